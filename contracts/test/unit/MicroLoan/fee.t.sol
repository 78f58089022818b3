// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";
import {DeployedLoan, Deployments} from "../../support/Deployments.sol";

/// @notice Of a loan with a fee of 7.77 %. An account pays it as it pays its debt.
contract MicroLoanFeeTest is Base {
    uint256 internal constant RATE = 777;
    uint256 internal constant FEE = PRINCIPAL * RATE / 10_000;

    function setUp() public virtual override {
        super.setUp();
        _setFee(RATE);
        _depositFor(alice.addr, 1 ether);
    }

    function test_RevertWhen_TheFeeIsOverTheMaximum() external {
        assertEq(loan.MAX_FEE(), 1_000, "maximum");
        IMicroLoan.Terms memory terms = loan.terms();
        terms.feeRate = 1_001;
        vm.prank(owner);
        vm.expectRevert(_error(IMicroLoan.FeeOutOfRange.selector, 1_001, 1_000));
        loan.setTerms(terms);
        _setFee(1_000);
        _borrow(alice);
        assertEq(loan.loanOf(alice.addr), PRINCIPAL * 11 / 10, "owed with the highest fee");
    }

    function test_WhenALoanIsIssued() external {
        vm.expectEmit();
        emit IMicroLoan.LoanIssued(alice.addr, PRINCIPAL, FEE, block.timestamp + 30 days);
        _forward(alice, _applyForLoanOf(PRINCIPAL, FEE, 30 days));
        assertEq(loan.loanOf(alice.addr), PRINCIPAL + FEE, "owed");
        assertEq(loan.loanDetailsOf(alice.addr).feeRate, RATE, "rate");
        assertEq(loan.totalOwed(), PRINCIPAL + FEE, "total owed");
        assertEq(loan.getBalance(alice.addr), 1 ether + PRINCIPAL, "balance");
        assertEq(loan.liquidity(), POOL - PRINCIPAL, "the pool lends the principal");
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
        address[] memory listed = new address[](1);
        listed[0] = bob.addr;
        vm.prank(creditor);
        loan.setBorrowers(listed, true);
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
        _forward(bob, abi.encodeCall(IMicroLoan.acceptAccount, (alice.addr)));
        _forward(alice, abi.encodeCall(IMicroLoan.passAccount, (bob.addr)));
        assertEq(loan.loanDetailsOf(bob.addr).feeRate, RATE, "rate");
        _forward(bob, _repayLoan(type(uint256).max));
        assertEq(loan.issuable(), CAP, "issuable");
    }

    function test_GivenTheAccountMoves() external {
        DeployedLoan next = _successor();
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
        DeployedLoan next = _successor();
        IMicroLoan.Loan memory made = IMicroLoan.Loan(1, 1_001, block.timestamp, block.timestamp, false);
        vm.prank(address(loan));
        vm.expectRevert(_error(IMicroLoan.FeeOutOfRange.selector, 1_001, 1_000));
        next.takeOver(alice.addr, made);
        made.feeRate = 1_000;
        vm.prank(address(loan));
        next.takeOver(alice.addr, made);
        assertEq(next.loanDetailsOf(alice.addr).feeRate, 1_000, "rate");
    }

    function _setFee(uint256 rate) private {
        IMicroLoan.Terms memory terms = loan.terms();
        terms.feeRate = uint16(rate);
        _setTerms(terms);
    }

    /// @dev Named two days ago.
    function _successor() private returns (DeployedLoan next) {
        IMicroLoan.Setup memory setup = _setup();
        setup.predecessor = address(loan);
        (, next) = Deployments.pair(setup, relayer);
        vm.prank(owner);
        loan.announceSuccessor(address(next));
        vm.warp(block.timestamp + 48 hours);
    }
}

/// @notice No check is spared to a phone that has all roles, and none is made for it alone.
contract MicroLoanFeeWithAllRolesTest is MicroLoanFeeTest {
    function setUp() public override {
        _giveAllRolesTo(alice.addr);
        super.setUp();
    }
}
