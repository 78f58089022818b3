// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";
import {Setups} from "../../support/Setups.sol";
import {IGuarded} from "../../../src/IGuarded.sol";

/// @dev What holds no matter who has which role.
abstract contract MicroLoanOwnerActs is Base {
    function test_RevertWhen_TheOwnerPausesTwice() external {
        vm.startPrank(owner);
        loan.pause();
        vm.expectRevert(Pausable.EnforcedPause.selector);
        loan.pause();
    }

    function test_RevertWhen_TheOwnerUnpausesWithoutAPause() external {
        vm.prank(owner);
        vm.expectRevert(Pausable.ExpectedPause.selector);
        loan.unpause();
    }

    function test_WhenTheOwnerPausesAndUnpauses() external {
        vm.startPrank(owner);
        vm.expectEmit();
        emit Pausable.Paused(owner);
        loan.pause();
        assertTrue(loan.paused(), "paused");
        vm.expectEmit();
        emit Pausable.Unpaused(owner);
        loan.unpause();
        vm.stopPrank();
        assertFalse(loan.paused(), "unpaused");
        _borrow(alice);
    }

    function test_RevertWhen_ThePrincipalIsOneWeiUnderTheMinimum() external {
        _refusesPrincipal(loan.MIN_PRINCIPAL() - 1);
    }

    function test_RevertWhen_ThePrincipalIsOneWeiOverTheMaximum() external {
        _refusesPrincipal(loan.MAX_PRINCIPAL() + 1);
    }

    function test_WhenThePrincipalIsAtABound() external {
        uint256 minimum = loan.MIN_PRINCIPAL();
        uint256 maximum = loan.MAX_PRINCIPAL();
        _setDailyCap(2 ether);
        IMicroLoan.Terms memory before = loan.terms();
        IMicroLoan.Terms memory terms = loan.terms();
        terms.principal = SafeCast.toUint64(minimum);
        vm.expectEmit();
        emit IMicroLoan.TermsSet(before, terms);
        vm.prank(owner);
        loan.setTerms(terms);
        _borrow(alice);
        _setPrincipal(maximum);
        _borrow(bob);

        assertEq(minimum, 0.0001 ether, "minimum");
        assertEq(maximum, 1 ether, "maximum");
        assertEq(loan.principal(), maximum, "principal");
        assertEq(loan.loanOf(alice.addr), minimum, "first loan");
        assertEq(loan.loanOf(bob.addr), maximum, "second loan");
    }

    function test_GivenALoanIsOpenWhenThePrincipalChanges() external {
        _borrow(alice);
        _setDailyCap(1 ether);
        _setPrincipal(1 ether);
        assertEq(loan.loanOf(alice.addr), PRINCIPAL, "owed");
        _forward(alice, _repayLoan(type(uint256).max));
        assertEq(loan.loanOf(alice.addr), 0, "owed after the repayment");
    }

    function test_RevertWhen_TheDailyCapIsOneWeiUnderThePrincipal() external {
        _refusesTerms(
            Setups.termsOf(PRINCIPAL, PRINCIPAL - 1),
            _error(IMicroLoan.DailyCapBelowPrincipal.selector, PRINCIPAL - 1, PRINCIPAL)
        );
    }

    function test_WhenTheDailyCapIsAtABound() external {
        assertEq(loan.MAX_DAILY(), type(uint72).max, "maximum");
        _setDailyCap(type(uint72).max);
        assertEq(loan.issuable(), type(uint72).max, "issuable");
        _setDailyCap(PRINCIPAL);
        assertEq(loan.issuable(), PRINCIPAL, "issuable with the least");
        _setDailyCap(0);
        assertEq(loan.issuable(), 0, "issuable with none");
    }

    function test_RevertWhen_ATermIsOutOfRange() external {
        assertEq(loan.MAX_LOANS_PER_DAY(), 15, "maximum");
        (uint256 day, uint256 years_) = (1 days, 3650 days);
        _takesTerm(1 days, _error(IMicroLoan.TermOutOfRange.selector, day - 1, day, years_), -1);
        _takesTerm(3650 days, _error(IMicroLoan.TermOutOfRange.selector, years_ + 1, day, years_), 1);
        (uint256 least, uint256 most) = (10 minutes, 365 days);
        _takesPause(10 minutes, _error(IMicroLoan.PauseOutOfRange.selector, least - 1, least, most), -1);
        _takesPause(365 days, _error(IMicroLoan.PauseOutOfRange.selector, most + 1, least, most), 1);
        IMicroLoan.Terms memory terms = loan.terms();
        terms.loansPerDay = 16;
        _refusesTerms(terms, _error(IMicroLoan.LoansPerDayOutOfRange.selector, 16, 15));
        terms.loansPerDay = 15;
        _setTerms(terms);
        assertEq(loan.terms().loansPerDay, 15, "loans per day");
    }

    /// @dev At the bound, and not one beyond it.
    function _takesTerm(uint32 bound_, bytes memory reason, int32 beyond) private {
        IMicroLoan.Terms memory terms = loan.terms();
        terms.term = uint32(int32(bound_) + beyond);
        _refusesTerms(terms, reason);
        terms.term = bound_;
        _setTerms(terms);
        assertEq(loan.terms().term, bound_, "term");
    }

    function _takesPause(uint32 bound_, bytes memory reason, int32 beyond) private {
        IMicroLoan.Terms memory terms = loan.terms();
        terms.pauseBetween = uint32(int32(bound_) + beyond);
        _refusesTerms(terms, reason);
        terms.pauseBetween = bound_;
        _setTerms(terms);
        assertEq(loan.terms().pauseBetween, bound_, "pause");
    }

    function test_RevertWhen_TheWithdrawalLimitIsOverTheMaximum() external {
        uint256 over = uint256(type(uint72).max) + 1;
        vm.prank(owner);
        vm.expectRevert(_error(IMicroLoan.WithdrawalLimitOutOfRange.selector, over, type(uint72).max));
        loan.setWithdrawalLimit(over);
    }

    function test_WhenTheWithdrawalLimitIsLowered() external {
        vm.prank(owner);
        vm.expectEmit();
        emit IMicroLoan.WithdrawalLimitSet(1 ether, block.timestamp);
        loan.setWithdrawalLimit(1 ether);
        assertEq(loan.withdrawalLimit(), 1 ether, "limit");
    }

    function test_WhenTheWithdrawalLimitIsRaised() external {
        vm.startPrank(owner);
        loan.setWithdrawalLimit(1 ether);
        uint256 from = block.timestamp + 24 hours;
        vm.expectEmit();
        emit IMicroLoan.WithdrawalLimitSet(3 ether, from);
        loan.setWithdrawalLimit(3 ether);
        vm.warp(from - 1);
        assertEq(loan.withdrawalLimit(), 1 ether, "limit a second before");
        (uint256 limit, uint256 at) = loan.pendingWithdrawalLimit();
        assertEq(limit, 3 ether, "limit that waits");
        assertEq(at, from, "when it begins");
        vm.warp(from);
        assertEq(loan.withdrawalLimit(), 3 ether, "limit");
        (limit, at) = loan.pendingWithdrawalLimit();
        assertEq(limit + at, 0, "nothing waits");
    }

    function test_GivenARaisedLimitWaitsWhenItIsSetAgain() external {
        vm.startPrank(owner);
        loan.setWithdrawalLimit(1 ether);
        loan.setWithdrawalLimit(3 ether);
        vm.warp(block.timestamp + 23 hours);
        loan.setWithdrawalLimit(4 ether);
        vm.warp(block.timestamp + 23 hours);
        assertEq(loan.withdrawalLimit(), 1 ether, "waits again");
        vm.expectEmit();
        emit IMicroLoan.WithdrawalLimitSet(1 ether, block.timestamp);
        loan.setWithdrawalLimit(1 ether);
        vm.warp(block.timestamp + 2 hours);
        assertEq(loan.withdrawalLimit(), 1 ether, "taken back");
    }

    function test_WhenTheOwnerNamesAnotherCreditor() external {
        vm.prank(owner);
        vm.expectEmit();
        emit IMicroLoan.CreditorSet(creditor, stranger);
        loan.setCreditor(stranger);
        assertEq(loan.creditor(), stranger, "creditor");
        vm.prank(creditor);
        vm.expectRevert(_error(IMicroLoan.NotCreditor.selector, creditor));
        loan.setBorrowers(new address[](1), true);
    }

    function test_GivenMoreWasIssuedThanTheNewDailyCap() external {
        _borrow(alice);
        _borrow(bob);
        _setDailyCap(PRINCIPAL);
        assertEq(loan.issuable(), 0, "issuable");
        _forwardFails(carol, _applyForLoan(), _error(IMicroLoan.DailyCapReached.selector, 0, PRINCIPAL));
    }

    function test_WhenTheOwnershipIsOffered() external {
        vm.prank(owner);
        loan.transferOwnership(stranger);
        assertEq(loan.owner(), owner, "owner");
        assertEq(loan.pendingOwner(), stranger, "pending owner");
        vm.prank(owner);
        loan.setWithdrawalLimit(1);
    }

    function test_RevertWhen_TheOwnershipIsAcceptedByAForwardedCaller() external {
        vm.prank(owner);
        loan.transferOwnership(alice.addr);
        _forwardFails(
            alice,
            abi.encodeCall(Ownable2Step.acceptOwnership, ()),
            _error(IMicroLoan.DirectCallersOnly.selector)
        );
        assertEq(loan.owner(), owner, "owner");
    }

    /// @dev A pause ties nobody's hands who has to mend what it is for.
    function test_GivenAPauseWhenTheOwnerActs() external {
        vm.startPrank(owner);
        loan.pause();
        loan.setTerms(Setups.termsOf(0.02 ether, 1 ether));
        loan.setWithdrawalLimit(1 ether);
        loan.setCreditor(stranger);
        loan.setGuardian(stranger);
        loan.transferOwnership(stranger);
        vm.stopPrank();
        vm.prank(stranger);
        loan.acceptOwnership();
        assertEq(loan.principal(), 0.02 ether, "principal");
        assertEq(loan.withdrawalLimit(), 1 ether, "limit");
        assertEq(loan.creditor(), stranger, "creditor");
        assertEq(loan.guardian(), stranger, "guardian");
        assertEq(loan.owner(), stranger, "owner");
    }

    function test_RevertWhen_TheOwnershipIsRenounced() external {
        vm.prank(owner);
        vm.expectRevert(IGuarded.OwnershipNotRenounceable.selector);
        loan.renounceOwnership();
    }

    function _refusesPrincipal(uint256 principal) private {
        _refusesTerms(
            Setups.termsOf(principal, 2 ether),
            _error(IMicroLoan.PrincipalOutOfRange.selector, principal, 0.0001 ether, 1 ether)
        );
    }

    function _refusesTerms(IMicroLoan.Terms memory terms, bytes memory reason) private {
        vm.prank(owner);
        vm.expectRevert(reason);
        loan.setTerms(terms);
    }
}

contract MicroLoanOwnerTest is MicroLoanOwnerActs {
    function test_WhenTheOwnershipIsAccepted() external {
        vm.prank(owner);
        loan.transferOwnership(stranger);
        vm.prank(stranger);
        loan.acceptOwnership();
        assertEq(loan.owner(), stranger, "owner");
        assertEq(loan.pendingOwner(), address(0), "pending owner");
        vm.prank(owner);
        vm.expectRevert(_error(Ownable.OwnableUnauthorizedAccount.selector, owner));
        loan.pause();
    }
}

/// @notice No check is spared to a caller who has all roles, and none is made for it alone.
contract MicroLoanOwnerWithAllRolesTest is MicroLoanOwnerActs {
    function setUp() public override {
        _giveAllRolesTo(owner);
        super.setUp();
    }
}
