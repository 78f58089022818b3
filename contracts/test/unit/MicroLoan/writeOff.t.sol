// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanWriteOffTest is Base {
    function test_RevertGiven_TheBorrowerOwesNothing() external {
        vm.prank(owner);
        vm.expectRevert(_error(IMicroLoan.NoLoan.selector, alice.addr));
        loan.writeOff(alice.addr);
    }

    function test_RevertGiven_TheLoanIsWrittenOff() external {
        _borrow(alice);
        vm.startPrank(owner);
        loan.writeOff(alice.addr);
        vm.expectRevert(_error(IMicroLoan.AlreadyWrittenOff.selector, alice.addr));
        loan.writeOff(alice.addr);
    }

    function test_GivenTheBorrowerOwes() external {
        _borrow(alice);
        _borrow(bob);
        _forward(alice, _repayLoan(1));
        vm.expectEmit();
        emit IMicroLoan.LoanWrittenOff(alice.addr, PRINCIPAL - 1);
        vm.prank(owner);
        loan.writeOff(alice.addr);
        assertEq(loan.totalOwed(), PRINCIPAL, "total owed");
        assertEq(loan.loanOf(alice.addr), PRINCIPAL - 1, "owed");
        assertEq(loan.getBalance(alice.addr), PRINCIPAL - 1, "balance");
        assertTrue(loan.loanDetailsOf(alice.addr).isWrittenOff, "written off");
        assertEq(loan.liquidity(), POOL - 2 * PRINCIPAL + 1, "liquidity");
    }

    function test_GivenTheBorrowerRepaysLater() external {
        _borrow(alice);
        _borrow(bob);
        vm.prank(owner);
        loan.writeOff(alice.addr);
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.LoanActive.selector, alice.addr, PRINCIPAL));
        _forward(alice, _repayLoan(PRINCIPAL / 2));
        assertTrue(loan.loanDetailsOf(alice.addr).isWrittenOff, "written off until all is repaid");
        _forward(alice, _repayLoan(type(uint256).max));
        assertEq(loan.totalOwed(), PRINCIPAL, "total owed");
        assertEq(loan.liquidity(), POOL - PRINCIPAL, "liquidity");
        _borrow(alice);
        assertFalse(loan.loanDetailsOf(alice.addr).isWrittenOff, "the next loan");
        assertEq(loan.totalOwed(), 2 * PRINCIPAL, "total owed with the next");
    }
}

/// @notice No check is spared who has all roles.
contract MicroLoanWriteOffWithAllRolesTest is MicroLoanWriteOffTest {
    function setUp() public override {
        _giveAllRolesTo(owner);
        super.setUp();
    }
}
