// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanRepayLoanForTest is Base {
    function setUp() public virtual override {
        super.setUp();
        _borrow(alice);
        vm.deal(stranger, 1 ether);
    }

    function test_RevertGiven_TheBorrowerOwesNothing() external {
        vm.prank(stranger);
        vm.expectRevert(_error(IMicroLoan.NoLoan.selector, bob.addr));
        loan.repayLoanFor{value: 1}(bob.addr);
    }

    function test_RevertWhen_NothingIsSentAlong() external {
        vm.prank(stranger);
        vm.expectRevert(IMicroLoan.ZeroAmount.selector);
        loan.repayLoanFor(alice.addr);
    }

    /// @dev Forwarded calls carry no currency; else they are like others.
    function test_RevertWhen_ItIsForwarded() external {
        bytes memory call = abi.encodeCall(IMicroLoan.repayLoanFor, (alice.addr));
        _forwardFails(bob, call, _error(IMicroLoan.ZeroAmount.selector));
    }

    function test_RevertWhen_OneWeiTooMuchIsSentAlong() external {
        vm.prank(stranger);
        vm.expectRevert(_error(IMicroLoan.RepaymentTooLarge.selector, PRINCIPAL, PRINCIPAL + 1));
        loan.repayLoanFor{value: PRINCIPAL + 1}(alice.addr);
    }

    function test_GivenAPauseWhenAPartIsSentAlong() external {
        vm.prank(owner);
        loan.pause();
        uint256 part = PRINCIPAL / 4;
        vm.expectEmit();
        emit IMicroLoan.LoanRepaid(alice.addr, stranger, part, PRINCIPAL - part);
        vm.prank(stranger);
        loan.repayLoanFor{value: part}(alice.addr);
        assertEq(loan.loanOf(alice.addr), PRINCIPAL - part, "owed");
        assertEq(loan.getBalance(alice.addr), PRINCIPAL, "balance");
        assertEq(loan.totalOwed(), PRINCIPAL - part, "total owed");
        assertEq(loan.liquidity(), POOL - PRINCIPAL + part, "liquidity");
        assertEq(loan.issuable(), CAP - PRINCIPAL + part, "issuable");
        assertEq(address(loan).balance, loan.totalBalances() + loan.liquidity(), "currency held");
    }

    function test_WhenAllIsSentAlong() external {
        vm.prank(stranger);
        loan.repayLoanFor{value: PRINCIPAL}(alice.addr);
        assertEq(loan.loanOf(alice.addr), 0, "owed");
        _borrow(alice);
        assertEq(loan.getBalance(alice.addr), 2 * PRINCIPAL, "balance");
    }
}

/// @notice No check is spared to a payer who has all roles.
contract MicroLoanRepayLoanForWithAllRolesTest is MicroLoanRepayLoanForTest {
    function setUp() public override {
        _giveAllRolesTo(stranger);
        super.setUp();
    }
}
