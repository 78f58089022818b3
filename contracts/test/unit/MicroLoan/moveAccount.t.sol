// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {AliceHasAllRoles, Base} from "../../support/Base.sol";
import {Setups} from "../../support/Setups.sol";
import {DeployedForwarder, DeployedLoan, Deployments} from "../../support/Deployments.sol";

contract MicroLoanMoveAccountTest is Base {
    DeployedLoan internal next;
    DeployedForwarder internal nextForwarder;
    DeployedLoan internal old;
    DeployedForwarder internal oldForwarder;
    bytes internal move = abi.encodeCall(IMicroLoan.moveAccount, ());

    function setUp() public override {
        super.setUp();
        (nextForwarder, next) = _deploySuccessor();
        _depositFor(alice.addr, 3 ether);
        _borrow(alice);
    }

    // The successor

    function test_RevertWhen_TheSuccessorHasAnotherPredecessor() external {
        address other = address(Deployments.loan(Setups.wide(address(forwarder), owner, PRINCIPAL, CAP)));
        address[7] memory successors =
            [stranger, address(forwarder), address(loan), other, owner, guardian, creditor];
        for (uint256 i; i < 7; ++i) {
            bytes memory reason = _error(IMicroLoan.InvalidSuccessor.selector, successors[i]);
            _fails(owner, abi.encodeCall(IMicroLoan.announceSuccessor, (successors[i])), reason);
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
        _pause();
        _announceSuccessor(address(next));
        (address account,) = loan.successor();
        assertEq(account, address(next), "successor");
    }

    function test_RevertGiven_TheSuccessorIsTakenBack() external {
        _announceSuccessor(address(next));
        vm.prank(owner);
        loan.announceSuccessor(address(0));
        _moveFails(_error(IMicroLoan.MoveNotDue.selector, 0));
    }

    // Moving

    function test_RevertGiven_NothingIsThere() external {
        _announceSuccessor(address(next));
        _fails(bob.addr, move, _error(IMicroLoan.NothingToMove.selector, bob.addr));
        _move();
        _moveFails(_error(IMicroLoan.NothingToMove.selector, alice.addr));
    }

    function test_RevertGiven_BothHaveALoan() external {
        _moveFailsWhereBothHaveALoan();
        _giveAllRolesOfNextToThePredecessor();
        _moveFailsWhereBothHaveALoan();
    }

    function test_GivenABalanceAndALoan() external {
        IMicroLoan.Loan memory before = loan.loanDetailsOf(alice.addr);
        _announceSuccessor(address(next));
        _pause();
        vm.expectEmit();
        emit IMicroLoan.AccountMoved(alice.addr, address(next), 3 ether + PRINCIPAL, PRINCIPAL);
        vm.expectEmit();
        emit IMicroLoan.AccountTakenOver(alice.addr, 3 ether + PRINCIPAL, before);
        _move();

        _assertAccount(alice.addr, 0, 0);
        _assertSums(POOL - PRINCIPAL, 0, 0);
        assertEq(abi.encode(next.loanDetailsOf(alice.addr)), abi.encode(before), "loan");
        _turnToNext();
        _assertAccount(alice.addr, 3 ether + PRINCIPAL, PRINCIPAL);
        _assertSums(0, 3 ether + PRINCIPAL, PRINCIPAL);
    }

    /// @dev A loan of the last day counts against the new pool's cap, until it is repaid there.
    function test_GivenALoanOfTheLastDay() external {
        _announceSuccessor(address(next));
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
        _announceSuccessor(address(next));
        _move();
        assertTrue(next.loanDetailsOf(alice.addr).isWrittenOff, "written off");
        assertEq(next.totalOwed(), 0, "total owed");
        vm.prank(alice.addr);
        next.repayLoan(PRINCIPAL);
        assertEq(next.liquidity(), PRINCIPAL, "liquidity");
    }

    function test_GivenABalanceAlone() external {
        _depositFor(bob.addr, 1 ether);
        _announceSuccessor(address(next));
        vm.prank(bob.addr);
        loan.moveAccount();
        assertEq(next.getBalance(bob.addr), 1 ether, "balance");
        assertEq(next.loanOf(bob.addr), 0, "owed");
    }

    function test_WhenTheCallerIsForwarded() external {
        _announceSuccessor(address(next));
        _forward(alice, move);
        assertEq(next.getBalance(alice.addr), 3 ether + PRINCIPAL, "balance");
    }

    function test_RevertWhen_AnotherThanThePredecessorHandsOver() external {
        IMicroLoan.Loan memory made = IMicroLoan.Loan(1 ether, 0, block.timestamp, block.timestamp, false);
        bytes memory call = abi.encodeCall(IMicroLoan.takeOver, (alice.addr, made));
        address[5] memory callers = [stranger, owner, guardian, creditor, address(next)];
        _turnToNext();
        for (uint256 i; i < 5; ++i) {
            _fails(callers[i], call, _error(IMicroLoan.NotPredecessor.selector, callers[i]));
        }
        _forwardFails(alice, call, _error(IMicroLoan.NotPredecessor.selector, address(forwarder)));
        _turnBack();
        _giveAllRolesOfNextToThePredecessor();
        _turnToNext();
        _fails(stranger, call, _error(IMicroLoan.NotPredecessor.selector, stranger));
    }

    function test_GivenThePredecessorHasAllRoles() external {
        _giveAllRolesOfNextToThePredecessor();
        _announceSuccessor(address(next));
        _move();
        assertEq(next.loanOf(alice.addr), PRINCIPAL, "owed");
    }

    function test_GivenTheSuccessorIsPaused() external {
        _announceSuccessor(address(next));
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
        IMicroLoan.Setup memory setup = _setup();
        setup.predecessor = address(next);
        address other = address(Deployments.loan(setup));
        bytes memory reason = _error(IMicroLoan.InvalidSuccessor.selector, other);
        _fails(address(next), abi.encodeCall(IMicroLoan.announceSuccessor, (other)), reason);
    }

    /// @dev A plain call of what has no code would succeed, and take the account to nowhere.
    function test_RevertGiven_TheSuccessorHasNoCodeAnyMore() external {
        _announceSuccessor(address(next));
        bytes memory code = address(next).code;
        vm.etch(address(next), "");
        _moveFails(_error(IMicroLoan.InvalidSuccessor.selector, address(next)));
        vm.etch(address(next), code);
        _move();
    }

    function test_GivenAnotherBorrowerStays() external {
        _borrow(bob);
        _announceSuccessor(address(next));
        _move();
        _assertSums(POOL - 2 * PRINCIPAL, PRINCIPAL, PRINCIPAL);
        _forward(bob, _repayLoan(PRINCIPAL));
        _assertSums(POOL - PRINCIPAL, 0, 0);
    }

    function test_GivenTheSuccessorHasLiquidityAndBorrowers() external {
        _announceSuccessor(address(next));
        _fundNext();
        _turnToNext();
        _borrow(bob);
        _turnBack();
        _move();
        _turnToNext();
        _assertSums(1 ether - PRINCIPAL, 3 ether + 2 * PRINCIPAL, 2 * PRINCIPAL);
    }

    function test_GivenOneWeiIsOwed() external {
        _forward(alice, _repayLoan(PRINCIPAL - 1));
        _announceSuccessor(address(next));
        _move();
        assertEq(next.loanOf(alice.addr), 1, "owed");
    }

    /// @dev What the account has borrowed from the successor counts on.
    function test_GivenABalanceAloneAndALoanRepaidToTheSuccessor() external {
        _forward(alice, _repayLoan(PRINCIPAL));
        _announceSuccessor(address(next));
        _borrowAndRepayAtNext();
        _move();
        _turnToNext();
        _setLimits(0, 1, false);
        bytes memory reason = _error(IMicroLoan.BorrowerLimitReached.selector, alice.addr, 1);
        _forwardFails(alice, _applyForLoan(), reason);
    }

    /// @dev The loan that comes is older than what the account has borrowed in its new place: both count from
    /// the older one's time on.
    function test_GivenTheAccountHasBorrowedFromTheSuccessorSince() external {
        _forward(alice, _repayLoan(PRINCIPAL));
        _announceSuccessor(address(next));
        _borrow(alice);
        uint256 issuedAt = block.timestamp;
        vm.warp(issuedAt + 3 hours);
        _borrowAndRepayAtNext();
        _move();
        vm.prank(alice.addr);
        next.repayLoan(PRINCIPAL);

        _turnToNext();
        _setLimits(0, 2, false);
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
        _announceSuccessor(address(next));
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
        _borrowAndRepay(alice);
        _turnBack();
    }

    function _move() private {
        vm.prank(alice.addr);
        loan.moveAccount();
    }

    function _moveFails(bytes memory reason) private {
        _fails(alice.addr, move, reason);
    }
}

contract MicroLoanMoveAccountWithAllRolesTest is MicroLoanMoveAccountTest, AliceHasAllRoles {}
