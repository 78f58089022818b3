// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {AliceHasAllRoles, Base, InTokensOf6} from "../../support/Base.sol";
import {Deployments} from "../../support/Deployments.sol";

/// @notice What one borrower may borrow at a time, and how much of it it does.
contract MicroLoanLimitsTest is Base {
    uint256 internal CEILING;

    function setUp() public override {
        super.setUp();
        CEILING = 4 * PRINCIPAL;
        _setCeiling(CEILING);
    }

    function test_GivenNoLimitOfItsOwn() external {
        assertEq(loan.limitOf(alice.addr), PRINCIPAL, "limit");
        _refuses(PRINCIPAL + 1, PRINCIPAL);
        _borrowOf(PRINCIPAL / 3);
        _assertAccount(alice.addr, PRINCIPAL / 3, PRINCIPAL / 3);
        _assertSums(POOL - PRINCIPAL / 3, PRINCIPAL / 3, PRINCIPAL / 3);
    }

    /// @dev Of what is borrowed, and not of the usual principal, fee and daily cap are reckoned.
    function test_GivenALimitOfItsOwn() external {
        _setFee(250);
        _limit(alice.addr, 3 * PRINCIPAL);
        assertEq(loan.limitOf(alice.addr), 3 * PRINCIPAL, "limit");
        assertEq(loan.limitOf(bob.addr), PRINCIPAL, "another's");
        _refuses(3 * PRINCIPAL + 1, 3 * PRINCIPAL);
        uint256 fee = 3 * PRINCIPAL / 40;
        vm.expectEmit();
        emit IMicroLoan.LoanIssued(alice.addr, 3 * PRINCIPAL, fee, block.timestamp + 30 days);
        _forward(alice, _applyForLoanOf(3 * PRINCIPAL, fee, 30 days));
        _assertAccount(alice.addr, 3 * PRINCIPAL, 3 * PRINCIPAL + fee);
        assertEq(loan.issuable(), CAP - 3 * PRINCIPAL, "issuable");
        bytes memory reason = _error(IMicroLoan.LoanActive.selector, alice.addr, 3 * PRINCIPAL + fee);
        _forwardFails(alice, _applyForLoanOf(PRINCIPAL, PRINCIPAL / 40, 30 days), reason);
        _depositFor(alice.addr, fee);
        _forward(alice, _repayLoan(type(uint256).max));
        assertEq(loan.issuable(), CAP, "issuable then");
        assertEq(loan.limitOf(alice.addr), 3 * PRINCIPAL, "limit then");
    }

    function test_RevertGiven_TheDailyCapLeavesLess() external {
        _limit(alice.addr, 3 * PRINCIPAL);
        _setDailyCap(3 * PRINCIPAL - 1);
        bytes memory reason = _error(IMicroLoan.DailyCapReached.selector, 3 * PRINCIPAL - 1, 3 * PRINCIPAL);
        _forwardFails(alice, _applyForLoanOf(3 * PRINCIPAL, 0, 30 days), reason);
        _borrowOf(3 * PRINCIPAL - 1);
        assertEq(loan.issuable(), 0, "issuable");
    }

    /// @dev The usual loan is of the principal, whatever more its borrower might have.
    function test_WhenTheUsualLoanIsAppliedFor() external {
        _limit(alice.addr, 3 * PRINCIPAL);
        _borrow(alice);
        assertEq(loan.loanOf(alice.addr), PRINCIPAL, "owed");
        _limit(bob.addr, PRINCIPAL - 1);
        bytes memory reason = _outOfRange(PRINCIPAL, PRINCIPAL - 1);
        _forwardFails(bob, _applyForLoan(), reason);
        _forwardFails(bob, _applyForLoanOf(PRINCIPAL, 0, 30 days), reason);
        _limit(bob.addr, PRINCIPAL);
        _borrow(bob);
    }

    function test_GivenALimitOverTheCeiling() external {
        _limit(alice.addr, type(uint64).max);
        assertEq(loan.limitOf(alice.addr), CEILING, "limit");
        _refuses(CEILING + 1, CEILING);
        uint256 state = vm.snapshotState();
        _borrowOf(CEILING);
        vm.revertToState(state);
        _setCeiling(PRINCIPAL);
        _refuses(PRINCIPAL + 1, PRINCIPAL);
        _setCeiling(PRINCIPAL - 1);
        assertEq(loan.limitOf(alice.addr), PRINCIPAL, "limit under a ceiling below the principal");
        _setCeiling(0);
        assertEq(loan.limitOf(alice.addr), PRINCIPAL, "limit without a ceiling");
        _limit(alice.addr, PRINCIPAL - 1);
        assertEq(loan.limitOf(alice.addr), PRINCIPAL - 1, "a lower one without a ceiling");
        _setCeiling(CEILING);
        _limit(alice.addr, 0);
        assertEq(loan.limitOf(alice.addr), PRINCIPAL, "none of its own any more");
    }

    function test_RevertWhen_LessIsBorrowedThanTheLeastPrincipal() external {
        uint256 least = loan.MIN_PRINCIPAL();
        _refuses(least - 1, PRINCIPAL);
        _refuses(0, PRINCIPAL);
        _borrowOf(least);
        _limit(bob.addr, least - 1);
        _forwardFails(bob, _applyForLoanOf(least, 0, 30 days), _outOfRange(least, least - 1));
    }

    function test_RevertWhen_TheCeilingIsOutOfRange() external {
        uint256 most = loan.MAX_PRINCIPAL();
        bytes memory reason = _error(IMicroLoan.CeilingOutOfRange.selector, most + 1, most);
        _fails(owner, abi.encodeCall(IMicroLoan.setCeilingOfLimits, (most + 1)), reason);
        IMicroLoan.Setup memory setup = _setup();
        setup.ceiling = most + 1;
        vm.expectRevert(reason);
        Deployments.loan(setup);
        vm.expectEmit();
        emit IMicroLoan.CeilingOfLimitsSet(most);
        _setCeiling(most);
        assertEq(loan.ceilingOfLimits(), most, "ceiling");
        assertEq(loan.creditor(), creditor, "whose word it is in");
        setup.ceiling = most;
        assertEq(Deployments.loan(setup).ceilingOfLimits(), most, "ceiling from the start");
    }

    /// @dev It goes with the account; the heir's own stays where there is none to go.
    function test_WhenAnAccountIsPassedOn() external {
        _limit(alice.addr, 2 * PRINCIPAL);
        _limit(bob.addr, 3 * PRINCIPAL);
        _limit(carol.addr, 4 * PRINCIPAL);
        _forward(bob, _accept(alice.addr));
        _forward(alice, _pass(bob.addr));
        assertEq(loan.limitOf(bob.addr), 2 * PRINCIPAL, "heir's limit");
        assertEq(loan.limitOf(alice.addr), PRINCIPAL, "limit left");
        _forward(carol, _accept(alice.addr));
        _forward(alice, _pass(carol.addr));
        assertEq(loan.limitOf(carol.addr), 4 * PRINCIPAL, "heir's own");
    }

    function test_WhenAnAccountMovesHouse() external {
        (, IMicroLoan next) = _deploySuccessor();
        _limit(alice.addr, 3 * PRINCIPAL);
        _borrowOf(3 * PRINCIPAL);
        _announceSuccessor(address(next));
        vm.prank(alice.addr);
        loan.moveAccount();
        assertEq(next.loanOf(alice.addr), 3 * PRINCIPAL, "owed");
        assertEq(next.limitOf(alice.addr), PRINCIPAL, "limit there");
    }

    function test_WhenTheCreditorSetsLimits() external {
        IMicroLoan.BorrowerLimit[] memory limits = new IMicroLoan.BorrowerLimit[](2);
        limits[0] = IMicroLoan.BorrowerLimit(alice.addr, uint64(2 * PRINCIPAL));
        limits[1] = IMicroLoan.BorrowerLimit(bob.addr, uint64(3 * PRINCIPAL));
        vm.expectEmit();
        emit IMicroLoan.BorrowerLimitSet(alice.addr, 2 * PRINCIPAL);
        vm.expectEmit();
        emit IMicroLoan.BorrowerLimitSet(bob.addr, 3 * PRINCIPAL);
        vm.prank(creditor);
        loan.setBorrowerLimits(limits);
        assertEq(loan.limitOf(alice.addr), 2 * PRINCIPAL, "limit");
        assertEq(loan.limitOf(bob.addr), 3 * PRINCIPAL, "the other's");
        assertFalse(loan.isListed(alice.addr), "a limit is no place in the list");
    }

    function testFuzz_APrincipalUpToTheLimitIsLentWithItsFee(uint64 amount, uint64 limit, uint16 rate)
        external
    {
        limit = uint64(bound(limit, loan.MIN_PRINCIPAL(), CEILING));
        amount = uint64(bound(amount, loan.MIN_PRINCIPAL(), limit));
        rate = uint16(bound(rate, 0, 1_000));
        _setFee(rate);
        _limit(alice.addr, limit);
        uint256 fee = uint256(amount) * rate / 10_000;
        _forward(alice, _applyForLoanOf(amount, fee, 30 days));
        _assertAccount(alice.addr, amount, amount + fee);
        assertEq(loan.issuable(), CAP - amount, "issuable");
        if (fee != 0) _depositFor(alice.addr, fee);
        _forward(alice, _repayLoan(type(uint256).max));
        assertEq(loan.issuable(), CAP, "issuable then");
    }

    function _borrowOf(uint256 principal) private {
        _forward(alice, _applyForLoanOf(principal, 0, 30 days));
    }

    /// @dev Whatever the fee of so much.
    function _refuses(uint256 principal, uint256 limit) private {
        uint256 fee = principal * loan.terms().feeRate / 10_000;
        _forwardFails(alice, _applyForLoanOf(principal, fee, 30 days), _outOfRange(principal, limit));
    }

    function _outOfRange(uint256 principal, uint256 limit) private view returns (bytes memory) {
        return _error(IMicroLoan.PrincipalOutOfRange.selector, principal, loan.MIN_PRINCIPAL(), limit);
    }
}

contract MicroLoanLimitsWithAllRolesTest is MicroLoanLimitsTest, AliceHasAllRoles {}

contract MicroLoanLimitsInTokensTest is MicroLoanLimitsTest, InTokensOf6 {}
