// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {AliceHasAllRoles, Base, InTokensOf18, InTokensOf6, StrangerHasAllRoles} from "../../support/Base.sol";
import {Refusing, Returning} from "../../support/Receivers.sol";

/// @notice What money comes in by, goes on by and goes out by: each moves what it says and nothing
/// else.
abstract contract MicroLoanPaymentsTest is Base {
    uint256 internal constant BALANCE = 5 ether;
    address internal wallet = makeAddr("outside wallet");

    function setUp() public override {
        super.setUp();
        _depositFor(alice.addr, BALANCE);
        _announce(alice.addr, BALANCE + 1 ether);
    }

    // In

    function test_WhenMoneyIsDeposited() external {
        _giveTokens(bob.addr, 1 ether);
        vm.expectEmit();
        emit IMicroLoan.Deposited(bob.addr, bob.addr, 1 ether);
        _deposit(bob.addr, bob.addr, 1 ether);
        _giveTokens(stranger, 0.5 ether);
        vm.expectEmit();
        emit IMicroLoan.Deposited(bob.addr, stranger, 0.5 ether);
        _depositFor(bob.addr, 0.5 ether);
        _assertAccount(bob.addr, 1.5 ether, 0);
        _assertAccount(stranger, 0, 0);
        _assertSums(POOL, BALANCE + 1.5 ether, 0);
    }

    function test_WhenThePoolIsFunded() external {
        _giveTokens(stranger, 2 ether);
        vm.expectEmit();
        emit IMicroLoan.Funded(stranger, 2 ether);
        _fund(2 ether);
        _assertAccount(stranger, 0, 0);
        _assertSums(POOL + 2 ether, BALANCE, 0);
    }

    // On

    function test_WhenABalanceIsTransferred() external {
        _borrow(alice);
        vm.expectEmit();
        emit IMicroLoan.Transferred(alice.addr, bob.addr, 2 ether);
        _forward(alice, _transfer(bob.addr, 2 ether));
        _assertAccount(alice.addr, BALANCE - 2 ether + PRINCIPAL, PRINCIPAL);
        _assertAccount(bob.addr, 2 ether, 0);
        vm.prank(bob.addr);
        loan.transfer(alice.addr, 2 ether);
        _assertAccount(alice.addr, BALANCE + PRINCIPAL, PRINCIPAL);
        _assertAccount(bob.addr, 0, 0);
        _assertSums(POOL - PRINCIPAL, BALANCE + PRINCIPAL, PRINCIPAL);
    }

    function test_WhenTheRecipientIsTheCaller() external {
        vm.expectEmit();
        emit IMicroLoan.Transferred(alice.addr, alice.addr, BALANCE);
        _forward(alice, _transfer(alice.addr, BALANCE));
        _assertAccount(alice.addr, BALANCE, 0);
        _assertSums(POOL, BALANCE, 0);
    }

    function test_RevertGiven_TheLimitLeavesOneWeiLessWhenTheCallerIsDirect() external {
        vm.prank(owner);
        loan.setWithdrawalLimit(2 ether);
        vm.startPrank(alice.addr);
        loan.transfer(bob.addr, 1 ether);
        vm.expectRevert(_error(IMicroLoan.WithdrawalLimitReached.selector, 1 ether, 1 ether + 1));
        loan.transfer(bob.addr, 1 ether + 1);
        loan.transfer(bob.addr, 1 ether);
        vm.stopPrank();
        assertEq(loan.transferable(), 0, "left to direct transfers");
        assertEq(loan.withdrawable(), 2 ether, "left to forwarded withdrawals");
        _forward(alice, _transfer(bob.addr, 3 ether));
        _assertAccount(bob.addr, 5 ether, 0);
        vm.warp(block.timestamp + 25 hours);
        assertEq(loan.transferable(), 2 ether, "left a day later");
    }

    // Out, announced

    function test_WhenAWithdrawalIsAnnounced() external {
        uint256 dueAt = block.timestamp + loan.NOTICE();
        assertEq(loan.NOTICE(), 48 hours, "notice");
        vm.startPrank(alice.addr);
        vm.expectEmit();
        emit IMicroLoan.WithdrawalAnnounced(alice.addr, 3 ether, dueAt);
        loan.announceWithdrawal(3 ether);
        (uint256 amount, uint256 at) = loan.announcedBy(alice.addr);
        assertEq(amount, 3 ether, "announced in place of what was due");
        assertEq(at, dueAt, "when it is due");
        vm.stopPrank();
        bytes memory reason = _error(IMicroLoan.WithdrawalNotDue.selector, alice.addr, 3 ether, dueAt);
        vm.warp(dueAt - 1);
        _fails(alice.addr, abi.encodeCall(IMicroLoan.withdraw, (3 ether)), reason);
        vm.warp(dueAt);
        vm.prank(alice.addr);
        loan.withdraw(3 ether);
        assertEq(_held(alice.addr), 3 ether, "held by the caller");
    }

    function test_RevertGiven_NothingOrLessWasAnnounced() external {
        _depositFor(bob.addr, 1 ether);
        bytes memory reason = _error(IMicroLoan.WithdrawalNotDue.selector, bob.addr, 0, 0);
        _fails(bob.addr, abi.encodeCall(IMicroLoan.withdraw, (1)), reason);
        (, uint256 dueAt) = loan.announcedBy(alice.addr);
        vm.prank(alice.addr);
        loan.withdraw(2 ether);
        reason = _error(IMicroLoan.WithdrawalNotDue.selector, alice.addr, 4 ether, dueAt);
        _fails(alice.addr, abi.encodeCall(IMicroLoan.withdraw, (4 ether + 1)), reason);
        (uint256 left,) = loan.announcedBy(alice.addr);
        assertEq(left, 4 ether, "announced and not withdrawn");
    }

    /// @dev Nothing is reserved: what is moved to safety meanwhile is not there for a thief.
    function test_GivenTheBalanceWasTransferredMeanwhile() external {
        _forward(alice, _transfer(bob.addr, BALANCE));
        bytes memory reason = _error(IMicroLoan.InsufficientBalance.selector, alice.addr, 0, BALANCE);
        _fails(alice.addr, abi.encodeCall(IMicroLoan.withdraw, (BALANCE)), reason);
    }

    /// @dev Whatever owner, guardian and forwarder's owner do: who calls directly leaves when it is
    /// due.
    function test_GivenEverybodyIsAgainstAWithdrawal() external {
        _forward(alice, _transfer(wallet, 3 ether));
        vm.prank(wallet);
        loan.announceWithdrawal(3 ether);
        vm.startPrank(owner);
        loan.pause();
        loan.setWithdrawalLimit(0);
        _setDailyCap(0);
        loan.defund(POOL);
        forwarder.pause();
        vm.stopPrank();
        vm.warp(block.timestamp + 48 hours);
        vm.prank(wallet);
        loan.withdraw(3 ether);
        assertEq(_held(wallet), 3 ether, "held by the wallet");
    }

    function test_GivenTheLiquidityIsAllLent() external {
        vm.prank(owner);
        loan.defund(POOL - PRINCIPAL);
        _borrow(bob);
        vm.prank(alice.addr);
        loan.withdraw(BALANCE);
        _assertSums(0, PRINCIPAL, PRINCIPAL);
    }

    function test_WhenTheCallerWithdraws() external {
        vm.expectEmit();
        emit IMicroLoan.Withdrawn(alice.addr, alice.addr, 2 ether);
        vm.prank(alice.addr);
        loan.withdraw(2 ether);
        assertEq(_held(alice.addr), 2 ether, "held by the caller");
        _assertAccount(alice.addr, BALANCE - 2 ether, 0);
        _assertSums(POOL, BALANCE - 2 ether, 0);
    }

    // Out, forwarded

    function test_WhenAForwardedCallerWithdraws() external {
        vm.expectEmit();
        emit IMicroLoan.Withdrawn(alice.addr, wallet, 2 ether);
        _forward(alice, _withdrawTo(wallet, 2 ether));
        assertEq(_held(wallet), 2 ether, "held by the recipient");
        _assertAccount(alice.addr, BALANCE - 2 ether, 0);
        _assertSums(POOL, BALANCE - 2 ether, 0);
    }

    function test_RevertGiven_TheLimitLeavesOneWeiLess() external {
        vm.prank(owner);
        loan.setWithdrawalLimit(2 ether);
        _depositFor(bob.addr, 5 ether);
        _forward(bob, _withdrawTo(wallet, 1 ether));
        bytes memory reason = _error(IMicroLoan.WithdrawalLimitReached.selector, 1 ether, 1 ether + 1);
        _forwardFails(alice, _withdrawTo(wallet, 1 ether + 1), reason);
        _forward(alice, _withdrawTo(wallet, 1 ether));
        assertEq(loan.withdrawable(), 0, "left to forwarded withdrawals");
        assertEq(loan.transferable(), 2 ether, "left to direct transfers");
        vm.warp(block.timestamp + 25 hours);
        _forward(alice, _withdrawTo(wallet, 2 ether));
        assertEq(_held(wallet), 4 ether, "held by the recipient");
    }
}

/// @notice Of what currency alone can do: call whom it is sent to.
contract MicroLoanPaymentsOfCurrencyTest is MicroLoanPaymentsTest {
    /// @dev Whatever the caller does with it comes after it in the log.
    function test_GivenTheCallerPaysInAgain() external {
        address returning = address(new Returning());
        _depositFor(returning, 1 ether);
        _announce(returning, 1 ether);
        vm.expectEmit();
        emit IMicroLoan.Withdrawn(returning, returning, 1 ether);
        vm.expectEmit();
        emit IMicroLoan.Deposited(returning, returning, 1 ether);
        vm.prank(returning);
        loan.withdraw(1 ether);
        _assertAccount(returning, 1 ether, 0);
    }

    function test_RevertGiven_TheRecipientTakesNoCurrency() external {
        address refusing = address(new Refusing());
        bytes memory reason = _error(IMicroLoan.CurrencyRefused.selector, refusing, 1 ether);
        _forwardFails(alice, _withdrawTo(refusing, 1 ether), reason);
        _forward(alice, _transfer(refusing, 1 ether));
        _announce(refusing, 1 ether);
        _fails(refusing, abi.encodeCall(IMicroLoan.withdraw, (1 ether)), reason);
        _assertAccount(refusing, 1 ether, 0);
        _assertSums(POOL, BALANCE, 0);
    }
}

contract MicroLoanPaymentsOfAliceWithAllRolesTest is MicroLoanPaymentsOfCurrencyTest, AliceHasAllRoles {}

contract MicroLoanPaymentsOfAPayerWithAllRolesTest is MicroLoanPaymentsOfCurrencyTest, StrangerHasAllRoles {}

contract MicroLoanPaymentsInTokensOf18Test is MicroLoanPaymentsTest, InTokensOf18 {}

contract MicroLoanPaymentsInTokensOf6Test is MicroLoanPaymentsTest, InTokensOf6 {}
