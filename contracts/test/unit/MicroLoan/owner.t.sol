// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base, OwnerHasAllRoles} from "../../support/Base.sol";
import {Setups} from "../../support/Deployments.sol";

/// @notice What the owner sets, and its bounds. `roles.t.sol` tries every other caller.
contract MicroLoanOwnerTest is Base {
    // Terms

    /// @dev At each bound, and not one beyond it.
    function test_RevertWhen_ATermIsOutOfRange() external {
        (uint256 least, uint256 most) = (loan.MIN_PRINCIPAL(), loan.MAX_PRINCIPAL());
        assertEq(least, 0.0001 ether, "least principal");
        assertEq(most, 1 ether, "highest principal");
        assertEq(loan.MAX_DAILY(), type(uint72).max, "highest cap");
        _sets(Setups.termsOf(least, 2 ether));
        _sets(Setups.termsOf(most, 2 ether));
        bytes4 error = IMicroLoan.PrincipalOutOfRange.selector;
        _refuses(Setups.termsOf(least - 1, 2 ether), _error(error, least - 1, least, most));
        _refuses(Setups.termsOf(most + 1, 2 ether), _error(error, most + 1, least, most));

        _sets(Setups.termsOf(PRINCIPAL, 0));
        _sets(Setups.termsOf(PRINCIPAL, PRINCIPAL));
        _sets(Setups.termsOf(PRINCIPAL, type(uint72).max));
        assertEq(loan.issuable(), type(uint72).max, "issuable");
        error = IMicroLoan.DailyCapBelowPrincipal.selector;
        _refuses(Setups.termsOf(PRINCIPAL, PRINCIPAL - 1), _error(error, PRINCIPAL - 1, PRINCIPAL));

        IMicroLoan.Terms memory terms = loan.terms();
        for (uint256 i; i < 8; ++i) {
            bool isTerm = i < 4;
            (least, most) = isTerm ? (1 days, 3650 days) : (10 minutes, 365 days);
            error = isTerm ? IMicroLoan.TermOutOfRange.selector : IMicroLoan.PauseOutOfRange.selector;
            uint256 value = [least, most, least - 1, most + 1][i % 4];
            terms = loan.terms();
            if (isTerm) terms.term = uint32(value);
            else terms.pauseBetween = uint32(value);
            if (i % 4 < 2) _sets(terms);
            else _refuses(terms, _error(error, value, least, most));
        }
        terms = loan.terms();
        assertEq(loan.MAX_LOANS_PER_DAY(), 15, "most loans of a day");
        terms.loansPerDay = 15;
        _sets(terms);
        terms.loansPerDay = 16;
        _refuses(terms, _error(IMicroLoan.LoansPerDayOutOfRange.selector, 16, 15));
    }

    // The limit of withdrawals

    function test_RevertWhen_TheWithdrawalLimitIsOverTheMaximum() external {
        uint256 over = uint256(type(uint72).max) + 1;
        bytes memory reason = _error(IMicroLoan.WithdrawalLimitOutOfRange.selector, over, type(uint72).max);
        _fails(owner, abi.encodeCall(IMicroLoan.setWithdrawalLimit, (over)), reason);
    }

    function test_WhenTheWithdrawalLimitIsLoweredAndRaised() external {
        vm.startPrank(owner);
        vm.expectEmit();
        emit IMicroLoan.WithdrawalLimitSet(1 ether, block.timestamp);
        loan.setWithdrawalLimit(1 ether);
        assertEq(loan.withdrawalLimit(), 1 ether, "limit");
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

    // Roles

    /// @dev A pause ties nobody's hands who has to mend what it is for.
    function test_GivenAPauseWhenTheOwnerActs() external {
        _borrow(alice);
        vm.startPrank(owner);
        loan.pause();
        vm.expectEmit();
        emit IMicroLoan.CreditorSet(creditor, stranger);
        loan.setCreditor(stranger);
        loan.setTerms(Setups.termsOf(0.02 ether, 1 ether));
        loan.setWithdrawalLimit(1 ether);
        loan.writeOff(alice.addr);
        vm.stopPrank();
        assertEq(loan.totalOwed(), 0, "total owed");
        assertEq(loan.creditor(), stranger, "creditor");
        assertEq(loan.principal(), 0.02 ether, "principal");
        assertEq(loan.withdrawalLimit(), 1 ether, "limit");
        bytes memory call = abi.encodeCall(IMicroLoan.setBorrowers, (new address[](1), true));
        _fails(creditor, call, _error(IMicroLoan.NotCreditor.selector, creditor));
    }

    function _sets(IMicroLoan.Terms memory terms) private {
        vm.expectEmit();
        emit IMicroLoan.TermsSet(loan.terms(), terms);
        vm.prank(owner);
        loan.setTerms(terms);
        assertEq(abi.encode(loan.terms()), abi.encode(terms), "terms");
    }

    function _refuses(IMicroLoan.Terms memory terms, bytes memory reason) private {
        _fails(owner, abi.encodeCall(IMicroLoan.setTerms, (terms)), reason);
    }
}

contract MicroLoanOwnerWithAllRolesTest is MicroLoanOwnerTest, OwnerHasAllRoles {}
