// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../../src/IRelayForwarder.sol";
import {AliceHasAllRoles, Base, InTokensOf18, InTokensOf6} from "../../support/Base.sol";
import {DeployedForwarder, DeployedLoan, Deployments, Setups} from "../../support/Deployments.sol";
import {Request} from "../../support/Requests.sol";

contract MicroLoanMoveAccountTest is Base {
    DeployedLoan internal next;
    DeployedForwarder internal nextForwarder;
    bytes internal move = abi.encodeCall(IMicroLoan.moveAccount, ());

    function setUp() public override {
        super.setUp();
        (nextForwarder, next) = _deploySuccessor();
        _depositFor(alice.addr, 3 ether);
        _borrow(alice);
    }

    // The successor

    function test_RevertWhen_TheSuccessorHasAnotherPredecessor() external {
        address other = address(Deployments.loan(_setup()));
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
        _move(alice);
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
        _move(alice);
        _moveFails(_error(IMicroLoan.NothingToMove.selector, alice.addr));
    }

    function test_RevertGiven_BothHaveALoan() external {
        _moveFailsWhereBothHaveALoan();
        _giveAllRolesOfNextToThePredecessor();
        _moveFailsWhereBothHaveALoan();
    }

    /// @dev In a pause of either contract, directly and forwarded.
    function test_GivenABalanceAndALoan() external {
        IMicroLoan.Loan memory before = loan.loanDetailsOf(alice.addr);
        _pause();
        _announceSuccessor(address(next));
        vm.prank(owner);
        next.pause();
        uint256 state = vm.snapshotState();
        for (uint256 i; i < 2; ++i) {
            vm.expectEmit();
            emit IMicroLoan.AccountMoved(alice.addr, address(next), 3 ether + PRINCIPAL, PRINCIPAL);
            vm.expectEmit();
            emit IMicroLoan.AccountTakenOver(alice.addr, 3 ether + PRINCIPAL, before);
            if (i == 0) _move(alice);
            else _forwardMove();
            _assertAccount(alice.addr, 0, 0);
            _assertSums(POOL - PRINCIPAL, 0, 0);
            assertEq(abi.encode(next.loanDetailsOf(alice.addr)), abi.encode(before), "loan");
            _swap();
            _assertAccount(alice.addr, 3 ether + PRINCIPAL, PRINCIPAL);
            _assertSums(0, 3 ether + PRINCIPAL, PRINCIPAL);
            vm.revertToState(state);
        }
    }

    function test_GivenABalanceAloneAndADebtOfOneWei() external {
        _depositFor(bob.addr, 1 ether);
        _forward(alice, _repayLoan(PRINCIPAL - 1));
        _announceSuccessor(address(next));
        _move(bob);
        _move(alice);
        _swap();
        _assertAccount(bob.addr, 1 ether, 0);
        _assertAccount(alice.addr, 3 ether + 1, 1);
    }

    /// @dev A loan of the last day counts against the new pool's cap, until it is repaid there.
    function test_GivenALoanOfTheLastDay() external {
        _announceSuccessor(address(next));
        _borrow(bob);
        _move(bob);
        _move(alice);
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
        _move(alice);
        assertTrue(next.loanDetailsOf(alice.addr).isWrittenOff, "written off");
        assertEq(next.totalOwed(), 0, "total owed");
        vm.prank(alice.addr);
        next.repayLoan(PRINCIPAL);
        assertEq(next.liquidity(), PRINCIPAL, "liquidity");
    }

    function test_RevertWhen_AnotherThanThePredecessorHandsOver() external {
        IMicroLoan.Loan memory made = IMicroLoan.Loan(1 ether, 0, block.timestamp, block.timestamp, false);
        bytes memory call = abi.encodeCall(IMicroLoan.takeOver, (alice.addr, made));
        address[5] memory callers = [stranger, owner, guardian, creditor, address(next)];
        _swap();
        for (uint256 i; i < 5; ++i) {
            _fails(callers[i], call, _error(IMicroLoan.NotPredecessor.selector, callers[i]));
        }
        _forwardFails(alice, call, _error(IMicroLoan.NotPredecessor.selector, address(forwarder)));
        _swap();
        _giveAllRolesOfNextToThePredecessor();
        _swap();
        _fails(stranger, call, _error(IMicroLoan.NotPredecessor.selector, stranger));
    }

    function test_GivenThePredecessorHasAllRoles() external {
        _giveAllRolesOfNextToThePredecessor();
        _announceSuccessor(address(next));
        _move(alice);
        assertEq(next.loanOf(alice.addr), PRINCIPAL, "owed");
    }

    /// @dev The successor is a contract like any other: that it has a role changes nothing.
    function test_GivenTheSuccessorHasAllRoles() external {
        _passAllRolesToNext();
        owner = address(next);
        _announceSuccessor(address(next));
        _move(alice);
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
        _move(alice);
    }

    function test_GivenOthersBorrowFromEitherPool() external {
        _borrow(bob);
        _announceSuccessor(address(next));
        _swap();
        _fund(1 ether);
        _borrow(carol);
        _swap();
        _move(alice);
        _assertSums(POOL - 2 * PRINCIPAL, PRINCIPAL, PRINCIPAL);
        _forward(bob, _repayLoan(PRINCIPAL));
        _assertSums(POOL - PRINCIPAL, 0, 0);
        _swap();
        _assertSums(1 ether - PRINCIPAL, 3 ether + 2 * PRINCIPAL, 2 * PRINCIPAL);
    }

    /// @dev What the account has borrowed from the successor counts on.
    function test_GivenABalanceAloneAndALoanRepaidToTheSuccessor() external {
        _forward(alice, _repayLoan(PRINCIPAL));
        _announceSuccessor(address(next));
        _borrowAndRepayAtNext();
        _move(alice);
        _swap();
        _setLimits(0, 1, false);
        bytes memory reason = _error(IMicroLoan.BorrowerLimitReached.selector, alice.addr, 1);
        _forwardFails(alice, _applyForLoan(), reason);
    }

    /// @dev The loan that comes is older than what the account has borrowed in its new place: both
    /// count from the older one's time on.
    function test_GivenTheAccountHasBorrowedFromTheSuccessorSince() external {
        _forward(alice, _repayLoan(PRINCIPAL));
        _announceSuccessor(address(next));
        _borrow(alice);
        uint256 issuedAt = block.timestamp;
        vm.warp(issuedAt + 3 hours);
        _borrowAndRepayAtNext();
        _move(alice);
        vm.prank(alice.addr);
        next.repayLoan(PRINCIPAL);

        _swap();
        _setLimits(0, 2, false);
        vm.warp(issuedAt + 24 hours);
        bytes memory reason = _error(IMicroLoan.BorrowerLimitReached.selector, alice.addr, 2);
        _forwardFails(alice, _applyForLoan(), reason);
        vm.warp(issuedAt + 27 hours);
        _borrow(alice);
    }

    function test_GivenALoanWithAFee() external {
        _announceSuccessor(address(next));
        _setFee(777);
        _borrow(bob);
        _forward(bob, _repayLoan(PRINCIPAL * 777 / 10_000));
        IMicroLoan.Loan memory before = loan.loanDetailsOf(bob.addr);
        _move(bob);
        _swap();
        assertEq(abi.encode(loan.loanDetailsOf(bob.addr)), abi.encode(before), "loan");
        assertEq(loan.totalOwed(), PRINCIPAL, "total owed");
        uint256 counted = (PRINCIPAL * 10_000 + 10_776) / 10_777;
        assertEq(loan.issuable(), CAP - counted, "the principal's part counts");
        _repayFor(bob.addr, PRINCIPAL);
        assertEq(loan.issuable(), CAP, "issuable");
    }

    function test_RevertGiven_APredecessorHandsOverAHigherFee() external {
        for (uint256 i; i < 2; ++i) {
            IMicroLoan.Loan memory made = IMicroLoan.Loan(1, 1_001, block.timestamp, block.timestamp, false);
            _swap();
            bytes memory reason = _error(IMicroLoan.FeeOutOfRange.selector, 1_001, 1_000);
            _fails(address(next), abi.encodeCall(IMicroLoan.takeOver, (alice.addr, made)), reason);
            made.feeRate = 1_000;
            vm.prank(address(next));
            loan.takeOver(alice.addr, made);
            assertEq(loan.loanDetailsOf(alice.addr).feeRate, 1_000, "rate");
            _swap();
            _giveAllRolesOfNextToThePredecessor();
        }
    }

    function _giveAllRolesOfNextToThePredecessor() private {
        IMicroLoan.Setup memory setup = Setups.wide(address(0), address(loan), PRINCIPAL, CAP);
        (setup.guardian, setup.creditor, setup.predecessor) = (address(loan), address(loan), address(loan));
        setup.token = address(token);
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
        _announceSuccessor(address(next));
        _swap();
        _fund(1 ether);
        _borrow(alice);
        _swap();
        _moveFails(_error(IMicroLoan.LoanActive.selector, alice.addr, PRINCIPAL));
    }

    /// @dev From now on the other pair is the one that is called.
    function _swap() private {
        (loan, forwarder, next, nextForwarder) = (next, nextForwarder, loan, forwarder);
    }

    function _borrowAndRepayAtNext() private {
        _swap();
        _fund(1 ether);
        _borrowAndRepay(alice);
        _swap();
    }

    function _move(Vm.Wallet memory account) private {
        vm.prank(account.addr);
        loan.moveAccount();
    }

    /// @dev With the gas that the command signs for (scripts/contracts/migrate/survey.ts).
    function _forwardMove() private {
        Request memory request = _request(alice.addr, move);
        request.gas = 250_000;
        _assertStatus(_execute(_sign(request, alice)).status, IRelayForwarder.Status.Executed, "move");
    }

    function _moveFails(bytes memory reason) private {
        _fails(alice.addr, move, reason);
    }
}

contract MicroLoanMoveAccountWithAllRolesTest is MicroLoanMoveAccountTest, AliceHasAllRoles {}

contract MicroLoanMoveAccountInTokensOf18Test is MicroLoanMoveAccountTest, InTokensOf18 {}

contract MicroLoanMoveAccountInTokensOf6Test is MicroLoanMoveAccountTest, InTokensOf6 {}
