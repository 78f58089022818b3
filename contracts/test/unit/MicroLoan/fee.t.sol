// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {AliceHasAllRoles, Base} from "../../support/Base.sol";
import {DeployedLoan} from "../../support/Deployments.sol";

/// @notice Of a loan with a fee of 7.77 %. An account pays it as it pays its debt.
contract MicroLoanFeeTest is Base {
    uint256 internal constant RATE = 777;
    uint256 internal constant FEE = PRINCIPAL * RATE / 10_000;

    function setUp() public override {
        super.setUp();
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

    /// @dev What is left of the principal is rounded up by a single wei: 1,387 x 10,000 is one more than a multiple
    /// of 10,777.
    function test_GivenAPartIsRepaid() external {
        _borrow(alice);
        _forward(alice, _repayLoan(PRINCIPAL + FEE - 1_387));
        assertEq(loan.issuable(), CAP - 1_288, "the cap counts the principal that is left");
        assertEq(loan.loanDetailsOf(alice.addr).feeRate, RATE, "rate");
        _forward(alice, _repayLoan(1_387));
        assertEq(loan.issuable(), CAP, "issuable");
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

    function test_GivenTheFeeChangesWhileALoanIsOpen() external {
        _borrow(alice);
        _setFee(0);
        _borrow(bob);
        assertEq(loan.loanOf(alice.addr), PRINCIPAL + FEE, "owed by the first");
        assertEq(loan.loanOf(bob.addr), PRINCIPAL, "owed by the second");
        _forward(alice, _repayLoan(PRINCIPAL + FEE));
        assertEq(loan.issuable(), CAP - PRINCIPAL, "issuable");
    }

    function test_GivenALoanIsWrittenOffInPart() external {
        _borrow(alice);
        _forward(alice, _repayLoan(FEE));
        vm.prank(owner);
        loan.writeOff(alice.addr);
        assertEq(loan.totalOwed(), 0, "total owed");
        _forward(alice, _repayLoan(type(uint256).max));
        assertEq(loan.liquidity(), POOL + FEE, "liquidity");
        assertEq(loan.issuable(), CAP, "issuable");
    }

    function test_GivenTheAccountIsPassedOn() external {
        _borrow(alice);
        _forward(bob, _accept(alice.addr));
        _forward(alice, _pass(bob.addr));
        assertEq(loan.loanDetailsOf(bob.addr).feeRate, RATE, "rate");
        _forward(bob, _repayLoan(type(uint256).max));
        assertEq(loan.issuable(), CAP, "issuable");
    }

    function test_GivenTheAccountMoves() external {
        DeployedLoan next = _announced();
        _borrow(alice);
        _forward(alice, _repayLoan(FEE));
        IMicroLoan.Loan memory before = loan.loanDetailsOf(alice.addr);
        vm.prank(alice.addr);
        loan.moveAccount();
        assertEq(abi.encode(next.loanDetailsOf(alice.addr)), abi.encode(before), "loan");
        assertEq(next.totalOwed(), PRINCIPAL, "total owed");
        uint256 counted = CAP - next.issuable();
        assertEq(counted, (PRINCIPAL * 10_000 + 10_776) / 10_777, "the principal's part counts");
        vm.prank(alice.addr);
        next.repayLoan(type(uint256).max);
        assertEq(next.issuable(), CAP, "issuable");
    }

    function test_RevertGiven_APredecessorHandsOverAHigherFee() external {
        DeployedLoan next = _announced();
        IMicroLoan.Loan memory made = IMicroLoan.Loan(1, 1_001, block.timestamp, block.timestamp, false);
        vm.startPrank(address(loan));
        vm.expectRevert(_error(IMicroLoan.FeeOutOfRange.selector, 1_001, 1_000));
        next.takeOver(alice.addr, made);
        made.feeRate = 1_000;
        next.takeOver(alice.addr, made);
        assertEq(next.loanDetailsOf(alice.addr).feeRate, 1_000, "rate");
    }

    function _announced() private returns (DeployedLoan next) {
        (, next) = _deploySuccessor();
        _announceSuccessor(address(next));
    }
}

contract MicroLoanFeeWithAllRolesTest is MicroLoanFeeTest, AliceHasAllRoles {}
