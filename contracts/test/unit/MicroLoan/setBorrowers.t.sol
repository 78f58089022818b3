// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

/// @notice `roles.t.sol` tries every other caller.
contract MicroLoanSetBorrowersTest is Base {
    function test_WhenTheCallerIsTheCreditor() external {
        _depositFor(alice.addr, 1 ether);
        address[] memory accounts = new address[](2);
        (accounts[0], accounts[1]) = (alice.addr, bob.addr);
        vm.startPrank(creditor);
        vm.expectEmit();
        emit IMicroLoan.BorrowerSet(alice.addr, true);
        vm.expectEmit();
        emit IMicroLoan.BorrowerSet(bob.addr, true);
        loan.setBorrowers(accounts, true);
        assertTrue(loan.isListed(alice.addr) && loan.isListed(bob.addr), "listed");
        assertFalse(loan.isListed(carol.addr), "another");
        _assertAccount(alice.addr, 1 ether, 0);
        loan.setBorrowers(accounts, false);
        assertFalse(loan.isListed(alice.addr) || loan.isListed(bob.addr), "listed no more");
        _assertAccount(alice.addr, 1 ether, 0);
    }
}

contract MicroLoanSetBorrowersByAllRolesTest is MicroLoanSetBorrowersTest {
    constructor() {
        _giveAllRolesTo(creditor);
    }
}
