// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {AliceHasAllRoles, Base} from "../../support/Base.sol";

contract MicroLoanTransferTest is Base {
    function setUp() public override {
        super.setUp();
        _depositFor(alice.addr, 5 ether);
        _depositFor(bob.addr, 1 ether);
    }

    function test_RevertGiven_TheLimitLeavesOneWeiLessWhenTheCallerIsDirect() external {
        vm.prank(owner);
        loan.setWithdrawalLimit(2 ether);
        vm.prank(alice.addr);
        loan.transfer(bob.addr, 1 ether);
        bytes memory reason = _error(IMicroLoan.WithdrawalLimitReached.selector, 1 ether, 1 ether + 1);
        _fails(alice.addr, _transfer(bob.addr, 1 ether + 1), reason);
        vm.prank(alice.addr);
        loan.transfer(bob.addr, 1 ether);
        assertEq(loan.transferable(), 0, "left to direct transfers");
        assertEq(loan.withdrawable(), 2 ether, "left to forwarded withdrawals");
        _forward(alice, _transfer(bob.addr, 3 ether));
        _assertAccount(bob.addr, 6 ether, 0);
        vm.warp(block.timestamp + 25 hours);
        assertEq(loan.transferable(), 2 ether, "left a day later");
    }

    function test_WhenTheRecipientIsTheCaller() external {
        vm.expectEmit();
        emit IMicroLoan.Transferred(alice.addr, alice.addr, 5 ether);
        _forward(alice, _transfer(alice.addr, 5 ether));
        _assertAccount(alice.addr, 5 ether, 0);
        _assertSums(POOL, 6 ether, 0);
    }

    function test_WhenTheRecipientHasNeverBeenSeen() external {
        _forward(alice, _transfer(carol.addr, 5 ether));
        _assertAccount(alice.addr, 0, 0);
        _assertAccount(carol.addr, 5 ether, 0);
    }

    function test_WhenTheCallerIsDirect() external {
        vm.prank(alice.addr);
        loan.transfer(bob.addr, 2 ether);
        _assertAccount(alice.addr, 3 ether, 0);
        _assertAccount(bob.addr, 3 ether, 0);
    }

    function test_WhenTheCallerIsForwarded() external {
        _borrow(alice);
        vm.expectEmit();
        emit IMicroLoan.Transferred(alice.addr, bob.addr, 2 ether);
        _forward(alice, _transfer(bob.addr, 2 ether));
        _assertAccount(alice.addr, 3 ether + PRINCIPAL, PRINCIPAL);
        _assertAccount(bob.addr, 3 ether, 0);
        _assertSums(POOL - PRINCIPAL, 6 ether + PRINCIPAL, PRINCIPAL);
    }
}

contract MicroLoanTransferWithAllRolesTest is MicroLoanTransferTest, AliceHasAllRoles {}
