// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";
import {Setups} from "../../support/Setups.sol";
import {DeployedForwarder, DeployedLoan, Deployments} from "../../support/Deployments.sol";

contract MicroLoanMoveAccountTest is Base {
    DeployedLoan internal next;
    DeployedForwarder internal nextForwarder;
    DeployedLoan internal old;
    DeployedForwarder internal oldForwarder;

    function setUp() public virtual override {
        super.setUp();
        IMicroLoan.Setup memory setup = _setup();
        setup.predecessor = address(loan);
        (nextForwarder, next) = Deployments.pair(setup, relayer);
        _depositFor(alice.addr, 3 ether);
        _borrow(alice);
    }

    // The successor

    function test_RevertWhen_TheSuccessorHasAnotherPredecessor() external {
        address other = address(Deployments.loan(Setups.wide(address(forwarder), owner, PRINCIPAL, CAP)));
        address[7] memory successors =
            [stranger, address(forwarder), address(loan), other, owner, guardian, creditor];
        for (uint256 i; i < 7; ++i) {
            vm.prank(owner);
            vm.expectRevert(_error(IMicroLoan.InvalidSuccessor.selector, successors[i]));
            loan.announceSuccessor(successors[i]);
        }
    }

    function test_RevertGiven_TheNoticeIsASecondTooShort() external {
        _moveFails(_error(IMicroLoan.MoveNotDue.selector, 0));
        uint256 from = block.timestamp + 48 hours;
        vm.expectEmit();
        emit IMicroLoan.SuccessorAnnounced(address(next), from);
        vm.prank(owner);
        loan.announceSuccessor(address(next));
        (address account, uint256 at) = loan.successor();
        assertEq(account, address(next), "successor");
        assertEq(at, from, "from when on");
        vm.warp(from - 1);
        _moveFails(_error(IMicroLoan.MoveNotDue.selector, from));
        vm.warp(from);
        _move();
    }

    function test_GivenAPauseWhenTheOwnerAnnounces() external {
        vm.prank(owner);
        loan.pause();
        _announceNext();
        (address account,) = loan.successor();
        assertEq(account, address(next), "successor");
    }

    function test_RevertGiven_TheSuccessorIsTakenBack() external {
        _announceNext();
        vm.prank(owner);
        loan.announceSuccessor(address(0));
        _moveFails(_error(IMicroLoan.MoveNotDue.selector, 0));
    }

    // Moving

    function test_RevertGiven_NothingIsThere() external {
        _announceNext();
        vm.prank(bob.addr);
        vm.expectRevert(_error(IMicroLoan.NothingToMove.selector, bob.addr));
        loan.moveAccount();
        _move();
        _moveFails(_error(IMicroLoan.NothingToMove.selector, alice.addr));
    }

    function test_RevertGiven_BothHaveALoan() external {
        _moveFailsWhereBothHaveALoan();
        assertEq(loan.getBalance(alice.addr), 3 ether + PRINCIPAL, "balance");
    }

    function test_RevertGiven_BothHaveALoanAndThePredecessorHasAllRoles() external {
        _giveAllRolesOfNextToThePredecessor();
        _moveFailsWhereBothHaveALoan();
        assertEq(loan.getBalance(alice.addr), 3 ether + PRINCIPAL, "balance");
    }

    function test_GivenABalanceAndALoan() external {
        IMicroLoan.Loan memory before = loan.loanDetailsOf(alice.addr);
        _announceNext();
        vm.prank(owner);
        loan.pause();
        vm.expectEmit();
        emit IMicroLoan.AccountMoved(alice.addr, address(next), 3 ether + PRINCIPAL, PRINCIPAL);
        vm.expectEmit();
        emit IMicroLoan.AccountTakenOver(alice.addr, 3 ether + PRINCIPAL, before);
        _move();

        assertEq(loan.getBalance(alice.addr), 0, "balance left");
        assertEq(loan.loanOf(alice.addr), 0, "owed to the old pool");
        assertEq(loan.totalBalances(), 0, "total of balances left");
        assertEq(loan.totalOwed(), 0, "total owed to the old pool");
        assertEq(address(loan).balance, loan.liquidity(), "currency left");
        assertEq(next.getBalance(alice.addr), 3 ether + PRINCIPAL, "balance");
        assertEq(abi.encode(next.loanDetailsOf(alice.addr)), abi.encode(before), "loan");
        assertEq(next.totalBalances(), 3 ether + PRINCIPAL, "total of balances");
        assertEq(next.totalOwed(), PRINCIPAL, "total owed");
        assertEq(address(next).balance, 3 ether + PRINCIPAL, "currency held");
    }

    /// @dev A loan of the last day counts against the new pool's cap, until it is repaid there.
    function test_GivenALoanOfTheLastDay() external {
        vm.prank(owner);
        loan.announceSuccessor(address(next));
        vm.warp(block.timestamp + 48 hours);
        _borrow(bob);
        vm.prank(bob.addr);
        loan.moveAccount();
        _move();
        assertEq(next.issuable(), CAP - PRINCIPAL, "issuable: the older loan counts no more");
        vm.prank(bob.addr);
        next.repayLoan(PRINCIPAL);
        assertEq(next.issuable(), CAP, "issuable then");
        assertEq(next.liquidity(), PRINCIPAL, "liquidity");
    }

    function test_GivenALoanThatIsWrittenOff() external {
        vm.prank(owner);
        loan.writeOff(alice.addr);
        _announceNext();
        _move();
        assertTrue(next.loanDetailsOf(alice.addr).isWrittenOff, "written off");
        assertEq(next.totalOwed(), 0, "total owed");
        vm.prank(alice.addr);
        next.repayLoan(PRINCIPAL);
        assertEq(next.liquidity(), PRINCIPAL, "liquidity");
    }

    function test_GivenABalanceAlone() external {
        _depositFor(bob.addr, 1 ether);
        _announceNext();
        vm.prank(bob.addr);
        loan.moveAccount();
        assertEq(next.getBalance(bob.addr), 1 ether, "balance");
        assertEq(next.loanOf(bob.addr), 0, "owed");
    }

    function test_WhenTheCallerIsForwarded() external {
        _announceNext();
        _forward(alice, abi.encodeCall(IMicroLoan.moveAccount, ()));
        assertEq(next.getBalance(alice.addr), 3 ether + PRINCIPAL, "balance");
    }

    function test_RevertWhen_AnotherThanThePredecessorHandsOver() external {
        IMicroLoan.Loan memory made = IMicroLoan.Loan(1 ether, 0, block.timestamp, block.timestamp, false);
        address[5] memory callers = [stranger, owner, guardian, creditor, address(next)];
        for (uint256 i; i < 5; ++i) {
            vm.prank(callers[i]);
            vm.expectRevert(_error(IMicroLoan.NotPredecessor.selector, callers[i]));
            next.takeOver(alice.addr, made);
        }
    }

    function test_RevertGiven_ThePredecessorHasAllRolesWhenAnotherHandsOver() external {
        _giveAllRolesOfNextToThePredecessor();
        IMicroLoan.Loan memory made = IMicroLoan.Loan(1 ether, 0, block.timestamp, block.timestamp, false);
        vm.prank(stranger);
        vm.expectRevert(_error(IMicroLoan.NotPredecessor.selector, stranger));
        next.takeOver(alice.addr, made);
    }

    function test_GivenThePredecessorHasAllRoles() external {
        _giveAllRolesOfNextToThePredecessor();
        _announceNext();
        _move();
        assertEq(next.getBalance(alice.addr), 3 ether + PRINCIPAL, "balance");
        assertEq(next.loanOf(alice.addr), PRINCIPAL, "owed");
    }

    function test_RevertWhen_ItIsHandedOverByTheForwarder() external {
        IMicroLoan.Loan memory made = IMicroLoan.Loan(1 ether, 0, block.timestamp, block.timestamp, false);
        bytes memory call = abi.encodeCall(IMicroLoan.takeOver, (alice.addr, made));
        _turnToNext();
        bytes memory reason = _error(IMicroLoan.NotPredecessor.selector, address(forwarder));
        _forwardFails(alice, call, reason);
    }

    function test_GivenTheSuccessorIsPaused() external {
        _announceNext();
        vm.prank(owner);
        next.pause();
        _move();
        assertEq(next.getBalance(alice.addr), 3 ether + PRINCIPAL, "balance");
    }

    /// @dev The successor is a contract like any other: that it has a role changes nothing.
    function test_GivenTheSuccessorHasAllRoles() external {
        _passAllRolesToNext();
        vm.prank(address(next));
        loan.announceSuccessor(address(next));
        vm.warp(block.timestamp + 48 hours);
        _move();
        assertEq(next.getBalance(alice.addr), 3 ether + PRINCIPAL, "balance");
    }

    /// @dev A successor takes over from this contract, and not from one that has a role in it.
    function test_RevertWhen_ThePredecessorOfTheSuccessorHasAllRoles() external {
        _passAllRolesToNext();
        IMicroLoan.Setup memory setup = Setups.wide(address(forwarder), owner, PRINCIPAL, CAP);
        setup.predecessor = address(next);
        address other = address(Deployments.loan(setup));
        vm.prank(address(next));
        vm.expectRevert(_error(IMicroLoan.InvalidSuccessor.selector, other));
        loan.announceSuccessor(other);
    }

    /// @dev A plain call of what has no code would succeed, and take the account to nowhere.
    function test_RevertGiven_TheSuccessorHasNoCodeAnyMore() external {
        _announceNext();
        bytes memory code = address(next).code;
        vm.etch(address(next), "");
        _moveFails(_error(IMicroLoan.InvalidSuccessor.selector, address(next)));
        vm.etch(address(next), code);
        _move();
    }

    function test_GivenAnotherBorrowerStays() external {
        _borrow(bob);
        _announceNext();
        _move();
        assertEq(loan.totalOwed(), PRINCIPAL, "total owed");
        assertEq(loan.totalBalances(), PRINCIPAL, "total of balances");
        vm.prank(bob.addr);
        loan.repayLoan(PRINCIPAL);
        assertEq(loan.totalOwed(), 0, "total owed then");
    }

    function test_GivenTheSuccessorHasLiquidityAndBorrowers() external {
        _announceNext();
        _fundNext();
        _turnToNext();
        _borrow(bob);
        _turnBack();
        _move();
        assertEq(next.totalOwed(), 2 * PRINCIPAL, "total owed");
        assertEq(next.liquidity(), 1 ether - PRINCIPAL, "liquidity");
        assertEq(next.totalBalances(), 3 ether + 2 * PRINCIPAL, "total of balances");
    }

    function test_GivenOneWeiIsOwed() external {
        _forward(alice, _repayLoan(PRINCIPAL - 1));
        _announceNext();
        _move();
        assertEq(next.loanOf(alice.addr), 1, "owed");
    }

    /// @dev What the account has borrowed from the successor counts on.
    function test_GivenABalanceAloneAndALoanRepaidToTheSuccessor() external {
        _forward(alice, _repayLoan(PRINCIPAL));
        _announceNext();
        _borrowAndRepayAtNext();
        _move();
        IMicroLoan.Terms memory terms = Setups.termsOf(PRINCIPAL, CAP);
        terms.loansPerDay = 1;
        vm.prank(owner);
        next.setTerms(terms);
        _turnToNext();
        bytes memory reason = _error(IMicroLoan.BorrowerLimitReached.selector, alice.addr, 1);
        _forwardFails(alice, _applyForLoan(), reason);
    }

    /// @dev The loan that comes is older than what the account has borrowed in its new place: both count from
    /// the older one's time on.
    function test_GivenTheAccountHasBorrowedFromTheSuccessorSince() external {
        _forward(alice, _repayLoan(PRINCIPAL));
        _announceNext();
        _borrow(alice);
        uint256 issuedAt = block.timestamp;
        vm.warp(issuedAt + 3 hours);
        _borrowAndRepayAtNext();
        _move();
        vm.prank(alice.addr);
        next.repayLoan(PRINCIPAL);

        IMicroLoan.Terms memory terms = Setups.termsOf(PRINCIPAL, CAP);
        terms.loansPerDay = 2;
        vm.prank(owner);
        next.setTerms(terms);
        _turnToNext();
        vm.warp(issuedAt + 24 hours);
        bytes memory reason = _error(IMicroLoan.BorrowerLimitReached.selector, alice.addr, 2);
        _forwardFails(alice, _applyForLoan(), reason);
        vm.warp(issuedAt + 27 hours);
        _borrow(alice);
    }

    function _giveAllRolesOfNextToThePredecessor() private {
        IMicroLoan.Setup memory setup = Setups.wide(address(0), address(loan), PRINCIPAL, CAP);
        (setup.guardian, setup.creditor, setup.predecessor) = (address(loan), address(loan), address(loan));
        (nextForwarder, next) = Deployments.pair(setup, relayer);
    }

    function _passAllRolesToNext() private {
        vm.startPrank(owner);
        loan.setCreditor(address(next));
        loan.setGuardian(address(next));
        loan.transferOwnership(address(next));
        vm.stopPrank();
        vm.prank(address(next));
        loan.acceptOwnership();
    }

    function _moveFailsWhereBothHaveALoan() private {
        _fundNext();
        _announceNext();
        _turnToNext();
        _borrow(alice);
        _turnBack();
        _moveFails(_error(IMicroLoan.LoanActive.selector, alice.addr, PRINCIPAL));
    }

    function _turnToNext() private {
        (old, oldForwarder) = (loan, forwarder);
        (loan, forwarder) = (next, nextForwarder);
    }

    function _turnBack() private {
        (loan, forwarder) = (old, oldForwarder);
    }

    function _fundNext() private {
        hoax(stranger, 1 ether);
        next.fund{value: 1 ether}();
    }

    function _borrowAndRepayAtNext() private {
        _fundNext();
        _turnToNext();
        _borrow(alice);
        _forward(alice, _repayLoan(PRINCIPAL));
        _turnBack();
    }

    function _announceNext() private {
        vm.prank(owner);
        loan.announceSuccessor(address(next));
        vm.warp(block.timestamp + 48 hours);
    }

    function _move() private {
        vm.prank(alice.addr);
        loan.moveAccount();
    }

    function _moveFails(bytes memory reason) private {
        vm.prank(alice.addr);
        vm.expectRevert(reason);
        loan.moveAccount();
    }
}

/// @notice No check is spared to a phone that has all roles, and none is made for it alone.
contract MicroLoanMoveAccountWithAllRolesTest is MicroLoanMoveAccountTest {
    function setUp() public override {
        _giveAllRolesTo(alice.addr);
        super.setUp();
    }
}
