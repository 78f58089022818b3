// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";
import {Refusing, Returning} from "../../support/Receivers.sol";

contract MicroLoanWithdrawTest is Base {
    function setUp() public virtual override {
        super.setUp();
        _depositFor(alice.addr, 5 ether);
        _announce(alice.addr, 6 ether);
    }

    function test_RevertWhen_TheCallerIsForwarded() external {
        _forwardFails(
            alice, abi.encodeCall(IMicroLoan.withdraw, (1)), _error(IMicroLoan.DirectCallersOnly.selector)
        );
    }

    function test_RevertWhen_TheAmountIsZero() external {
        vm.prank(alice.addr);
        vm.expectRevert(IMicroLoan.ZeroAmount.selector);
        loan.withdraw(0);
    }

    function test_RevertWhen_TheAmountIsOneWeiOverTheBalance() external {
        vm.prank(alice.addr);
        vm.expectRevert(_error(IMicroLoan.InsufficientBalance.selector, alice.addr, 5 ether, 5 ether + 1));
        loan.withdraw(5 ether + 1);
    }

    function test_RevertGiven_TheCallerTakesNoCurrency() external {
        Refusing refusing = new Refusing();
        _depositFor(address(refusing), 1 ether);
        refusing.announce(loan, 1 ether);
        vm.warp(block.timestamp + 48 hours);
        vm.expectRevert(_error(IMicroLoan.CurrencyRefused.selector, address(refusing), 1 ether));
        refusing.withdraw(loan, 1 ether);
    }

    function test_GivenTheCallerWasSentTheAmountByAPhone() external {
        address wallet = makeAddr("outside wallet");
        _forward(alice, _transfer(wallet, 2 ether));
        _withdraw(wallet, 2 ether);
        assertEq(wallet.balance, 2 ether, "currency of the wallet");
    }

    function test_GivenAPause() external {
        vm.prank(owner);
        loan.pause();
        vm.prank(alice.addr);
        loan.withdraw(5 ether);
        assertEq(alice.addr.balance, 5 ether, "currency of the caller");
    }

    function test_GivenTheLiquidityIsAllLent() external {
        vm.startPrank(owner);
        _setDailyCap(100 ether);
        _setPrincipal(1 ether);
        loan.defund(POOL - 1 ether);
        vm.stopPrank();
        _borrow(bob);
        assertEq(loan.liquidity(), 0, "liquidity");

        uint256 before = alice.addr.balance;
        vm.prank(alice.addr);
        loan.withdraw(5 ether);
        assertEq(alice.addr.balance, before + 5 ether, "currency of the caller");
        assertEq(address(loan).balance, 1 ether, "currency held for the borrower");
    }

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
        assertEq(loan.getBalance(returning), 1 ether, "balance");
    }

    function test_GivenTheCallerHasTheAmount() external {
        vm.expectEmit();
        emit IMicroLoan.Withdrawn(alice.addr, alice.addr, 2 ether);
        vm.prank(alice.addr);
        loan.withdraw(2 ether);

        assertEq(alice.addr.balance, 2 ether, "currency of the caller");
        assertEq(loan.getBalance(alice.addr), 3 ether, "balance");
        assertEq(loan.totalBalances(), 3 ether, "total of balances");
        assertEq(loan.liquidity(), POOL, "liquidity");
        assertEq(address(loan).balance, POOL + 3 ether, "currency held");
    }

    function test_RevertGiven_NothingWasAnnounced() external {
        _depositFor(bob.addr, 1 ether);
        vm.prank(bob.addr);
        vm.expectRevert(_error(IMicroLoan.WithdrawalNotDue.selector, bob.addr, 0, 0));
        loan.withdraw(1);
    }

    function test_RevertGiven_TheAnnouncementIsASecondTooYoung() external {
        vm.prank(alice.addr);
        loan.announceWithdrawal(5 ether);
        uint256 dueAt = block.timestamp + 48 hours;
        vm.warp(dueAt - 1);
        vm.prank(alice.addr);
        vm.expectRevert(_error(IMicroLoan.WithdrawalNotDue.selector, alice.addr, 5 ether, dueAt));
        loan.withdraw(5 ether);
        vm.warp(dueAt);
        vm.prank(alice.addr);
        loan.withdraw(5 ether);
        assertEq(alice.addr.balance, 5 ether, "currency of the caller");
    }

    function test_RevertWhen_TheAmountIsOneWeiOverTheAnnouncement() external {
        (, uint256 dueAt) = loan.announcedBy(alice.addr);
        vm.startPrank(alice.addr);
        loan.withdraw(2 ether);
        vm.expectRevert(_error(IMicroLoan.WithdrawalNotDue.selector, alice.addr, 4 ether, dueAt));
        loan.withdraw(4 ether + 1);
        (uint256 left,) = loan.announcedBy(alice.addr);
        assertEq(left, 4 ether, "announced and not withdrawn");
    }
}

/// @notice No check is spared to a phone that has all roles, and none is made for it alone.
contract MicroLoanWithdrawWithAllRolesTest is MicroLoanWithdrawTest {
    function setUp() public override {
        _giveAllRolesTo(alice.addr);
        super.setUp();
    }
}
