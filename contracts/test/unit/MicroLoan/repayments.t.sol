// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {
    AliceHasAllRoles,
    Base,
    InTokensOf18,
    OwnerHasAllRoles,
    StrangerHasAllRoles
} from "../../support/Base.sol";

/// @notice What ends a loan, in whole or in part: its borrower, anybody else, or the owner who
/// writes it off.
contract MicroLoanRepaymentsTest is Base {
    function setUp() public override {
        super.setUp();
        _borrow(alice);
        _borrow(bob);
    }

    function test_WhenAPartIsRepaid() external {
        uint256 left = PRINCIPAL - PRINCIPAL / 4;
        vm.expectEmit();
        emit IMicroLoan.LoanRepaid(alice.addr, alice.addr, PRINCIPAL / 4, left);
        _forward(alice, _repayLoan(PRINCIPAL / 4));
        _assertAccount(alice.addr, left, left);
        _assertSums(POOL - PRINCIPAL - left, PRINCIPAL + left, PRINCIPAL + left);
        assertEq(loan.issuable(), CAP - PRINCIPAL - left, "issuable");
        vm.expectEmit();
        emit IMicroLoan.LoanRepaid(alice.addr, alice.addr, left, 0);
        _forward(alice, _repayLoan(type(uint256).max));
        _assertRepaid();
    }

    function test_WhenAllIsRepaid() external {
        vm.expectEmit();
        emit IMicroLoan.LoanRepaid(alice.addr, alice.addr, PRINCIPAL, 0);
        _forward(alice, _repayLoan(PRINCIPAL));
        _assertRepaid();
    }

    function test_WhenTheCallerIsDirect() external {
        vm.prank(alice.addr);
        loan.repayLoan(PRINCIPAL);
        _assertRepaid();
    }

    function test_WhenAnotherRepays() external {
        uint256 left = PRINCIPAL - PRINCIPAL / 4;
        _giveTokens(stranger, PRINCIPAL / 4);
        vm.expectEmit();
        emit IMicroLoan.LoanRepaid(alice.addr, stranger, PRINCIPAL / 4, left);
        _repayFor(alice.addr, PRINCIPAL / 4);
        _assertAccount(alice.addr, PRINCIPAL, left);
        _assertSums(POOL - PRINCIPAL - left, 2 * PRINCIPAL, PRINCIPAL + left);
        assertEq(loan.issuable(), CAP - PRINCIPAL - left, "issuable");
        _repayFor(alice.addr, left);
        _borrow(alice);
        _assertAccount(alice.addr, 2 * PRINCIPAL, PRINCIPAL);
    }

    // Writing off

    function test_WhenALoanIsWrittenOff() external {
        _forward(alice, _repayLoan(1));
        vm.expectEmit();
        emit IMicroLoan.LoanWrittenOff(alice.addr, PRINCIPAL - 1);
        vm.prank(owner);
        loan.writeOff(alice.addr);
        _assertAccount(alice.addr, PRINCIPAL - 1, PRINCIPAL - 1);
        _assertSums(POOL - 2 * PRINCIPAL + 1, 2 * PRINCIPAL - 1, PRINCIPAL);
        assertTrue(loan.loanDetailsOf(alice.addr).isWrittenOff, "written off");
        bytes memory reason = _error(IMicroLoan.AlreadyWrittenOff.selector, alice.addr);
        _fails(owner, abi.encodeCall(IMicroLoan.writeOff, (alice.addr)), reason);
    }

    function test_GivenALoanIsWrittenOffWhenItIsRepaid() external {
        vm.prank(owner);
        loan.writeOff(alice.addr);
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.LoanActive.selector, alice.addr, PRINCIPAL));
        _forward(alice, _repayLoan(PRINCIPAL / 2));
        assertTrue(loan.loanDetailsOf(alice.addr).isWrittenOff, "written off until all is repaid");
        _repayFor(alice.addr, PRINCIPAL / 2);
        _assertSums(POOL - PRINCIPAL, PRINCIPAL + PRINCIPAL / 2, PRINCIPAL);
        _borrow(alice);
        assertFalse(loan.loanDetailsOf(alice.addr).isWrittenOff, "the next loan");
        assertEq(loan.totalOwed(), 2 * PRINCIPAL, "total owed with the next");
    }

    function _assertRepaid() private view {
        IMicroLoan.Loan memory none;
        assertEq(abi.encode(loan.loanDetailsOf(alice.addr)), abi.encode(none), "loan");
        _assertAccount(alice.addr, 0, 0);
        _assertSums(POOL - PRINCIPAL, PRINCIPAL, PRINCIPAL);
        assertEq(loan.issuable(), CAP - PRINCIPAL, "issuable");
    }
}

contract MicroLoanRepaymentsOfAliceWithAllRolesTest is MicroLoanRepaymentsTest, AliceHasAllRoles {}

contract MicroLoanRepaymentsOfTheOwnerWithAllRolesTest is MicroLoanRepaymentsTest, OwnerHasAllRoles {}

contract MicroLoanRepaymentsOfAPayerWithAllRolesTest is MicroLoanRepaymentsTest, StrangerHasAllRoles {}

contract MicroLoanRepaymentsInTokensTest is MicroLoanRepaymentsTest, InTokensOf18 {}
