// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {AliceHasAllRoles, Base} from "../../support/Base.sol";

contract MicroLoanApplyForLoanTest is Base {
    /// @dev The forwarder never calls without a signer's address; if it did, no account would be
    /// harmed.
    function test_WhenTheForwarderItselfIsADirectCaller() external {
        vm.prank(address(forwarder));
        loan.applyForLoan();
        _assertAccount(address(forwarder), PRINCIPAL, PRINCIPAL);
        _assertSums(POOL - PRINCIPAL, PRINCIPAL, PRINCIPAL);
    }

    function test_RevertGiven_TheCallerOwes() external {
        _borrow(alice);
        _forward(alice, _repayLoan(PRINCIPAL - 1));
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.LoanActive.selector, alice.addr, 1));
    }

    function test_RevertGiven_TheDailyCapIsUsedUpOrLeavesOneWeiLess() external {
        _setDailyCap(2 * PRINCIPAL);
        _borrow(bob);
        _borrow(carol);
        assertEq(loan.issuable(), 0, "issuable");
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.DailyCapReached.selector, 0, PRINCIPAL));
        _setDailyCap(3 * PRINCIPAL - 1);
        bytes memory reason = _error(IMicroLoan.DailyCapReached.selector, PRINCIPAL - 1, PRINCIPAL);
        _forwardFails(alice, _applyForLoan(), reason);
        _setDailyCap(PRINCIPAL);
        assertEq(loan.issuable(), 0, "issuable where more was issued than a new cap");
    }

    function test_RevertGiven_TheLiquidityIsOneWeiShort() external {
        vm.prank(owner);
        loan.defund(POOL - PRINCIPAL + 1);
        bytes memory reason = _error(IMicroLoan.InsufficientLiquidity.selector, PRINCIPAL - 1, PRINCIPAL);
        _forwardFails(alice, _applyForLoan(), reason);
        _fund(1);
        _borrow(alice);
        assertEq(loan.liquidity(), 0, "liquidity");
    }

    function test_GivenAllStandsInTheWay() external {
        _borrow(alice);
        vm.startPrank(owner);
        _setDailyCap(0);
        loan.defund(loan.liquidity());
        loan.pause();
        vm.stopPrank();

        _fails(alice.addr, _applyForLoan(), _error(IMicroLoan.ForwardedCallersOnly.selector));
        _forwardFails(alice, _applyForLoan(), _error(Pausable.EnforcedPause.selector));
        vm.prank(owner);
        loan.unpause();
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.LoanActive.selector, alice.addr, PRINCIPAL));
        _forwardFails(bob, _applyForLoan(), _error(IMicroLoan.DailyCapReached.selector, 0, PRINCIPAL));
        _setDailyCap(1 ether);
        _forwardFails(bob, _applyForLoan(), _error(IMicroLoan.InsufficientLiquidity.selector, 0, PRINCIPAL));
    }

    function test_GivenNothingStandsInTheWay() external {
        _depositFor(alice.addr, 3 ether);
        vm.expectEmit();
        emit IMicroLoan.LoanIssued(alice.addr, PRINCIPAL, 0, block.timestamp + 30 days);
        _borrow(alice);
        _assertAccount(alice.addr, 3 ether + PRINCIPAL, PRINCIPAL);
        _assertSums(POOL - PRINCIPAL, 3 ether + PRINCIPAL, PRINCIPAL);
        assertEq(loan.issuable(), CAP - PRINCIPAL, "issuable");
    }

    function test_RevertGiven_TheListIsRequiredAndTheCallerIsNotInIt() external {
        _setLimits(0, 0, true);
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.NotListed.selector, alice.addr));
        _list(alice.addr, true);
        _borrow(alice);
        assertTrue(loan.isListed(alice.addr), "listed with a loan");
        _forward(alice, _repayLoan(PRINCIPAL));
        assertTrue(loan.isListed(alice.addr), "listed after the repayment");
        _list(alice.addr, false);
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.NotListed.selector, alice.addr));
    }

    function test_RevertGiven_TheLastLoanWasIssuedASecondTooShortAgo() external {
        _setLimits(10 minutes, 0, false);
        uint256 nextAt = block.timestamp + 10 minutes;
        _borrowAndRepay(alice);
        vm.warp(nextAt - 1);
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.LoanTooSoon.selector, alice.addr, nextAt));
        vm.warp(nextAt);
        _borrow(alice);
    }

    function test_RevertGiven_TheCallerHasHadItsLoansOfTheDay() external {
        _setLimits(0, 2, false);
        // The last second of three hours: they count for 24 hours from there on.
        vm.warp((block.timestamp / 3 hours + 1) * 3 hours - 1);
        uint256 start = block.timestamp;
        _borrowAndRepay(alice);
        vm.warp(start + 1);
        _borrowAndRepay(alice);
        bytes memory reason = _error(IMicroLoan.BorrowerLimitReached.selector, alice.addr, 2);
        _forwardFails(alice, _applyForLoan(), reason);
        _borrowAndRepay(bob);
        vm.warp(start + 24 hours);
        _forwardFails(alice, _applyForLoan(), reason);
        vm.warp(start + 24 hours + 1);
        _borrowAndRepay(alice);
        _forwardFails(alice, _applyForLoan(), reason);
    }

    /// @dev A count of three hours ends at 15, which stands for more, and must not run into another
    /// count.
    function test_RevertGiven_MoreLoansInThreeHoursThanAreCounted() external {
        vm.warp((block.timestamp / 3 hours + 1) * 3 hours);
        for (uint256 i; i < 17; ++i) {
            _borrowAndRepay(alice);
        }
        _setLimits(0, 15, false);
        bytes memory reason = _error(IMicroLoan.BorrowerLimitReached.selector, alice.addr, 15);
        _forwardFails(alice, _applyForLoan(), reason);
        vm.warp(block.timestamp + 24 hours + 1);
        _forwardFails(alice, _applyForLoan(), reason);
        vm.warp(block.timestamp + 3 hours);
        _borrow(alice);
    }

    /// @dev The loop that used to block all lending for a day.
    function test_GivenTheCallerBorrowsAndRepaysInALoop() external {
        for (uint256 i; i < 3 * CAP / PRINCIPAL; ++i) {
            _borrowAndRepay(alice);
        }
        assertEq(loan.issuable(), CAP, "left to others");
        _borrow(bob);
    }

    /// @dev What is a single unit off in any direction was not shown.
    function test_RevertWhen_OtherTermsWereShown() external {
        _setFee(250);
        uint256[3] memory terms = [PRINCIPAL, PRINCIPAL / 40, 30 days];
        bytes memory reason = _error(IMicroLoan.TermsChanged.selector, terms[0], terms[1], terms[2]);
        for (uint256 i = 1; i < 3; ++i) {
            terms[i] += 1;
            _forwardFails(alice, _applyForLoanOf(terms[0], terms[1], terms[2]), reason);
            terms[i] -= 2;
            _forwardFails(alice, _applyForLoanOf(terms[0], terms[1], terms[2]), reason);
            terms[i] += 1;
        }
        _forward(alice, _applyForLoanOf(terms[0], terms[1], terms[2]));
        assertEq(loan.loanOf(alice.addr), PRINCIPAL + PRINCIPAL / 40, "owed");
    }

    function test_GivenTheLoanHasItsDates() external {
        uint256 issuedAt = block.timestamp;
        _borrow(alice);
        vm.warp(issuedAt + 3 days);
        IMicroLoan.Terms memory terms = loan.terms();
        terms.term = 1 days;
        _setTerms(terms);
        IMicroLoan.Loan memory expected = IMicroLoan.Loan(PRINCIPAL, 0, issuedAt, issuedAt + 30 days, false);
        assertEq(abi.encode(loan.loanDetailsOf(alice.addr)), abi.encode(expected), "loan");
    }

    // The cap's day

    /// @dev From each second of an hour a loan counts to the end of the 24th hour after it.
    function test_GivenALoanOfTheFirstOrTheLastSecondOfAnHour() external {
        uint256 hour_ = block.timestamp / 1 hours + 1;
        uint256[2] memory seconds_ = [uint256(0), 1 hours - 1];
        for (uint256 i; i < 2; ++i) {
            vm.warp(hour_ * 1 hours + seconds_[i]);
            _borrow(i == 0 ? alice : bob);
            hour_ += 25;
            vm.warp(hour_ * 1 hours - 1);
            assertEq(loan.issuable(), CAP - PRINCIPAL, "issuable a second before");
            vm.warp(hour_ * 1 hours);
            assertEq(loan.issuable(), CAP, "issuable then");
        }
    }

    /// @dev So often that each place of the ring is used again.
    function test_GivenALoanInEachHour() external {
        _setDailyCap(1 ether);
        uint256 start = block.timestamp;
        for (uint256 i; i < 60; ++i) {
            vm.warp(start + i * 1 hours);
            _borrow(vm.createWallet(1 + i));
            assertEq(loan.issuable(), 1 ether - (i < 24 ? i + 1 : 25) * PRINCIPAL, "issuable");
        }
        for (uint256 i = 1; i <= 25; ++i) {
            vm.warp(start + (59 + i) * 1 hours);
            assertEq(loan.issuable(), 1 ether - (25 - i) * PRINCIPAL, "issuable as hours fall out");
        }
    }
}

contract MicroLoanApplyForLoanWithAllRolesTest is MicroLoanApplyForLoanTest, AliceHasAllRoles {}
