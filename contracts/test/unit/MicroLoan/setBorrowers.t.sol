// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

/// @dev What holds no matter who has which role.
abstract contract MicroLoanSetBorrowersActs is Base {
    function test_WhenTheCallerIsTheCreditor() external {
        _depositFor(alice.addr, 1 ether);
        vm.expectEmit();
        emit IMicroLoan.BorrowerSet(alice.addr, true);
        vm.expectEmit();
        emit IMicroLoan.BorrowerSet(bob.addr, true);
        vm.prank(creditor);
        loan.setBorrowers(_accounts(), true);
        assertTrue(loan.isListed(alice.addr) && loan.isListed(bob.addr), "listed");
        assertFalse(loan.isListed(carol.addr), "another");
        assertEq(loan.getBalance(alice.addr), 1 ether, "balance");
        vm.prank(creditor);
        loan.setBorrowers(_accounts(), false);
        assertFalse(loan.isListed(alice.addr) || loan.isListed(bob.addr), "listed no more");
        assertEq(loan.getBalance(alice.addr), 1 ether, "balance then");
    }

    function test_GivenAPause() external {
        vm.prank(owner);
        loan.pause();
        vm.prank(creditor);
        loan.setBorrowers(_accounts(), true);
        assertTrue(loan.isListed(alice.addr), "listed");
    }

    function _accounts() internal view returns (address[] memory accounts) {
        accounts = new address[](2);
        (accounts[0], accounts[1]) = (alice.addr, bob.addr);
    }
}

contract MicroLoanSetBorrowersTest is MicroLoanSetBorrowersActs {
    function test_RevertWhen_TheCallerIsNotTheCreditor() external {
        address[3] memory callers = [owner, relayer, alice.addr];
        for (uint256 i; i < 3; ++i) {
            vm.prank(callers[i]);
            vm.expectRevert(_error(IMicroLoan.NotCreditor.selector, callers[i]));
            loan.setBorrowers(_accounts(), true);
        }
    }
}

/// @notice No check is spared to a caller who has all roles, and none is made for it alone.
contract MicroLoanSetBorrowersWithAllRolesTest is MicroLoanSetBorrowersActs {
    function setUp() public override {
        _giveAllRolesTo(creditor);
        super.setUp();
    }
}
