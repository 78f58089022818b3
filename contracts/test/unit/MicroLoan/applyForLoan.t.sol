// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {Vm} from "forge-std/Vm.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanApplyForLoanTest is Base {
    function test_RevertWhen_TheCallerIsDirect() external {
        vm.prank(alice.addr);
        vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
        loan.applyForLoan();
    }

    /// @dev The forwarder never calls without a signer's address; if it did, no account would be harmed.
    function test_WhenTheForwarderItselfIsADirectCaller() external {
        vm.prank(address(forwarder));
        loan.applyForLoan();
        assertEq(loan.loanOf(address(forwarder)), PRINCIPAL, "owed by the forwarder");
        assertEq(loan.totalOwed(), PRINCIPAL, "total owed");
    }

    function test_RevertGiven_APause() external {
        vm.prank(owner);
        loan.pause();
        _forwardFails(alice, _applyForLoan(), _error(Pausable.EnforcedPause.selector));
    }

    function test_RevertGiven_TheCallerOwes() external {
        _borrow(alice);
        _forward(alice, _repayLoan(1));
        _forwardFails(
            alice, _applyForLoan(), _error(IMicroLoan.LoanActive.selector, alice.addr, PRINCIPAL - 1)
        );
    }

    function test_RevertGiven_TheDailyCapIsUsedUp() external {
        _useUpCap();
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.DailyCapReached.selector, 0, PRINCIPAL));
    }

    function test_RevertGiven_ThePrincipalIsOneWeiOverWhatTheCapLeaves() external {
        _setDailyCap(2 * PRINCIPAL - 1);
        _borrow(bob);
        _forwardFails(
            alice, _applyForLoan(), _error(IMicroLoan.DailyCapReached.selector, PRINCIPAL - 1, PRINCIPAL)
        );
    }

    function test_GivenThePrincipalIsJustWhatTheCapLeaves() external {
        _setDailyCap(PRINCIPAL);
        _borrow(alice);
        assertEq(loan.loanOf(alice.addr), PRINCIPAL, "owed");
        assertEq(loan.issuable(), 0, "issuable");
    }

    function test_RevertGiven_TheLiquidityIsOneWeiShort() external {
        vm.prank(owner);
        loan.defund(POOL - PRINCIPAL + 1);
        _forwardFails(
            alice,
            _applyForLoan(),
            _error(IMicroLoan.InsufficientLiquidity.selector, PRINCIPAL - 1, PRINCIPAL)
        );
    }

    function test_GivenTheLiquidityIsJustEnough() external {
        vm.prank(owner);
        loan.defund(POOL - PRINCIPAL);
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

        vm.prank(alice.addr);
        vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
        loan.applyForLoan();
        _forwardFails(alice, _applyForLoan(), _error(Pausable.EnforcedPause.selector));
        vm.prank(owner);
        loan.unpause();
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.LoanActive.selector, alice.addr, PRINCIPAL));
        _forwardFails(bob, _applyForLoan(), _error(IMicroLoan.DailyCapReached.selector, 0, PRINCIPAL));
        _setDailyCap(1 ether);
        _forwardFails(bob, _applyForLoan(), _error(IMicroLoan.InsufficientLiquidity.selector, 0, PRINCIPAL));
    }

    function test_GivenTheLoanWasRepaid() external {
        _borrow(alice);
        _forward(alice, _repayLoan(PRINCIPAL));
        _borrow(alice);
        assertEq(loan.loanOf(alice.addr), PRINCIPAL, "owed");
        assertEq(loan.getBalance(alice.addr), PRINCIPAL, "balance");
        assertEq(loan.issuable(), CAP - PRINCIPAL, "repayment gives the cap its amount back");
    }

    function test_GivenTheCallerHasABalance() external {
        _depositFor(alice.addr, 3 ether);
        _borrow(alice);
        assertEq(loan.getBalance(alice.addr), 3 ether + PRINCIPAL, "balance");
        assertEq(loan.totalBalances(), 3 ether + PRINCIPAL, "total of balances");
    }

    function test_GivenNothingStandsInTheWay() external {
        uint256 held = address(loan).balance;
        vm.expectEmit();
        emit IMicroLoan.LoanIssued(alice.addr, PRINCIPAL, 0, block.timestamp + 30 days);
        _borrow(alice);

        assertEq(loan.getBalance(alice.addr), PRINCIPAL, "balance");
        assertEq(loan.loanOf(alice.addr), PRINCIPAL, "owed");
        assertEq(loan.liquidity(), POOL - PRINCIPAL, "liquidity");
        assertEq(loan.totalBalances(), PRINCIPAL, "total of balances");
        assertEq(loan.totalOwed(), PRINCIPAL, "total owed");
        assertEq(loan.issuable(), CAP - PRINCIPAL, "issuable");
        assertEq(address(loan).balance, held, "currency held");
    }

    function test_RevertGiven_TheListIsRequiredAndTheCallerIsNotInIt() external {
        IMicroLoan.Terms memory terms = loan.terms();
        terms.listOnly = true;
        _setTerms(terms);
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
        IMicroLoan.Terms memory terms = loan.terms();
        terms.pauseBetween = 10 minutes;
        _setTerms(terms);
        uint256 nextAt = block.timestamp + 10 minutes;
        _borrow(alice);
        _forward(alice, _repayLoan(PRINCIPAL));
        vm.warp(nextAt - 1);
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.LoanTooSoon.selector, alice.addr, nextAt));
        vm.warp(nextAt);
        _borrow(alice);
    }

    function test_RevertGiven_TheCallerHasHadItsLoansOfTheDay() external {
        IMicroLoan.Terms memory terms = loan.terms();
        terms.loansPerDay = 2;
        _setTerms(terms);
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

    /// @dev A count of three hours ends at 15, which stands for more, and must not run into another count.
    function test_RevertGiven_MoreLoansInThreeHoursThanAreCounted() external {
        vm.warp((block.timestamp / 3 hours + 1) * 3 hours);
        for (uint256 i; i < 17; ++i) {
            _borrowAndRepay(alice);
        }
        IMicroLoan.Terms memory terms = loan.terms();
        terms.loansPerDay = 15;
        _setTerms(terms);
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

    function test_RevertWhen_OtherTermsWereShown() external {
        IMicroLoan.Terms memory terms = loan.terms();
        terms.feeRate = 250;
        _setTerms(terms);
        uint256 fee = PRINCIPAL / 40;
        bytes memory reason = _error(IMicroLoan.TermsChanged.selector, PRINCIPAL, fee, 30 days);
        _forwardFails(alice, _applyForLoanOf(PRINCIPAL + 1, fee, 30 days), reason);
        _forwardFails(alice, _applyForLoanOf(PRINCIPAL - 1, fee, 30 days), reason);
        _forwardFails(alice, _applyForLoanOf(PRINCIPAL, fee + 1, 30 days), reason);
        _forwardFails(alice, _applyForLoanOf(PRINCIPAL, fee - 1, 30 days), reason);
        _forwardFails(alice, _applyForLoanOf(PRINCIPAL, fee, 30 days + 1), reason);
        _forwardFails(alice, _applyForLoanOf(PRINCIPAL, fee, 30 days - 1), reason);
        vm.prank(alice.addr);
        vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
        loan.applyForLoanOf(PRINCIPAL, fee, 30 days);
        vm.prank(owner);
        loan.pause();
        reason = _error(Pausable.EnforcedPause.selector);
        _forwardFails(alice, _applyForLoanOf(PRINCIPAL, 0, 30 days), reason);
    }

    function test_WhenTheTermsWereShown() external {
        _forward(alice, _applyForLoanOf(PRINCIPAL, 0, 30 days));
        assertEq(loan.loanOf(alice.addr), PRINCIPAL, "owed");
    }

    function test_GivenTheLoanHasItsDates() external {
        uint256 issuedAt = block.timestamp;
        _borrow(alice);
        vm.warp(issuedAt + 3 days);
        IMicroLoan.Terms memory terms = loan.terms();
        terms.term = 1 days;
        _setTerms(terms);
        IMicroLoan.Loan memory details = loan.loanDetailsOf(alice.addr);
        assertEq(details.owed, PRINCIPAL, "owed");
        assertEq(details.issuedAt, issuedAt, "when it was lent");
        assertEq(details.dueAt, issuedAt + 30 days, "when it is due");
        assertFalse(details.isWrittenOff, "written off");
        _forward(alice, _repayLoan(PRINCIPAL));
        details = loan.loanDetailsOf(alice.addr);
        assertEq(details.owed + details.issuedAt + details.dueAt, 0, "after the repayment");
    }

    function _list(address account, bool listed) private {
        address[] memory accounts = new address[](1);
        accounts[0] = account;
        vm.prank(creditor);
        loan.setBorrowers(accounts, listed);
    }

    function _borrowAndRepay(Vm.Wallet memory borrower) private {
        _borrow(borrower);
        _forward(borrower, _repayLoan(type(uint256).max));
    }

    function _useUpCap() private {
        for (uint256 i; i < CAP / PRINCIPAL; ++i) {
            _borrow(vm.createWallet(string.concat("borrower ", vm.toString(i))));
        }
    }
}

/// @notice No check is spared to a phone that has all roles, and none is made for it alone.
contract MicroLoanApplyForLoanWithAllRolesTest is MicroLoanApplyForLoanTest {
    function setUp() public override {
        _giveAllRolesTo(alice.addr);
        super.setUp();
    }
}
