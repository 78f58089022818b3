// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {AliceHasAllRoles, Base, InTokensOf6} from "../../support/Base.sol";

/// @notice Of a loan with a fee of 7.77 %. That an account pays it as it pays its debt, also where
/// the terms change, the loan is written off or the account passed on, is what the invariants say
/// for any fee.
contract MicroLoanFeeTest is Base {
    uint256 internal constant RATE = 777;
    uint256 internal FEE;

    function setUp() public override {
        super.setUp();
        FEE = PRINCIPAL * RATE / 10_000;
        _setFee(RATE);
        _depositFor(alice.addr, 1 ether);
    }

    function test_RevertWhen_TheFeeIsOverTheMaximum() external {
        assertEq(loan.MAX_FEE(), 1_000, "maximum");
        IMicroLoan.Terms memory terms = loan.terms();
        terms.feeRate = 1_001;
        bytes memory reason = _error(IMicroLoan.FeeOutOfRange.selector, 1_001, 1_000);
        _fails(owner, abi.encodeCall(IMicroLoan.setTerms, (terms)), reason);
        _setFee(1_000);
        _borrow(alice);
        assertEq(loan.loanOf(alice.addr), PRINCIPAL * 11 / 10, "owed with the highest fee");
    }

    function test_WhenALoanIsIssued() external {
        vm.expectEmit();
        emit IMicroLoan.LoanIssued(alice.addr, PRINCIPAL, FEE, block.timestamp + 30 days);
        _forward(alice, _applyForLoanOf(PRINCIPAL, FEE, 30 days));
        _assertAccount(alice.addr, 1 ether + PRINCIPAL, PRINCIPAL + FEE);
        _assertSums(POOL - PRINCIPAL, 1 ether + PRINCIPAL, PRINCIPAL + FEE);
        assertEq(loan.loanDetailsOf(alice.addr).feeRate, RATE, "rate");
        assertEq(loan.issuable(), CAP - PRINCIPAL, "the cap counts the principal");
    }

    /// @dev Neither the cap nor the pool has to hold a fee.
    function test_GivenThePrincipalIsJustWhatIsLeft() external {
        _setDailyCap(PRINCIPAL);
        vm.prank(owner);
        loan.defund(POOL - PRINCIPAL);
        _borrow(alice);
        assertEq(loan.liquidity() + loan.issuable(), 0, "left");
        _forward(alice, _repayLoan(type(uint256).max));
        assertEq(loan.liquidity(), PRINCIPAL + FEE, "the pool earns the fee");
        assertEq(loan.issuable(), PRINCIPAL, "the cap has its principal back");
        assertEq(loan.totalOwed(), 0, "total owed");
        assertEq(loan.loanDetailsOf(alice.addr).feeRate, 0, "rate");
    }

    /// @dev What is left of the principal is rounded up by a single wei: 1,387 x 10,000 is one more
    /// than a multiple of 10,777.
    function test_GivenAPartIsRepaid() external {
        _borrow(alice);
        _forward(alice, _repayLoan(PRINCIPAL + FEE - 1_387));
        assertEq(loan.issuable(), CAP - 1_288, "the cap counts the principal that is left");
        assertEq(loan.loanDetailsOf(alice.addr).feeRate, RATE, "rate");
        _forward(alice, _repayLoan(1_387));
        assertEq(loan.issuable(), CAP, "issuable");
        // Nor does an odd fee stand where loans are counted.
        _setLimits(0, 2, false);
        _borrow(alice);
    }

    function test_GivenAListedBorrowerAndOneWhoIsNot() external {
        _setFee(1_000);
        _list(bob.addr, true);
        _borrow(alice);
        assertFalse(loan.isListed(alice.addr), "a fee is no place in the list");
        _setFee(0);
        _borrow(bob);
        assertEq(loan.loanDetailsOf(bob.addr).feeRate, 0, "nor is that a fee");
        assertTrue(loan.isListed(bob.addr), "listed");
    }
}

contract MicroLoanFeeWithAllRolesTest is MicroLoanFeeTest, AliceHasAllRoles {}

contract MicroLoanFeeInTokensTest is MicroLoanFeeTest, InTokensOf6 {}
