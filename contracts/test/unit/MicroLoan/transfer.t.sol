// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanTransferTest is Base {
    function setUp() public virtual override {
        super.setUp();
        _depositFor(alice.addr, 5 ether);
        _depositFor(bob.addr, 1 ether);
    }

    function test_RevertGiven_APauseWhenTheCallerIsDirect() external {
        vm.prank(owner);
        loan.pause();
        vm.prank(alice.addr);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        loan.transfer(bob.addr, 1);
    }

    function test_GivenAPauseWhenTheCallerIsForwarded() external {
        vm.prank(owner);
        loan.pause();
        _forward(alice, _transfer(bob.addr, 1 ether));
        assertEq(loan.getBalance(bob.addr), 2 ether, "recipient's balance");
    }

    function test_RevertGiven_TheLimitLeavesOneWeiLessWhenTheCallerIsDirect() external {
        vm.prank(owner);
        loan.setWithdrawalLimit(2 ether);
        vm.startPrank(alice.addr);
        loan.transfer(bob.addr, 1 ether);
        vm.expectRevert(_error(IMicroLoan.WithdrawalLimitReached.selector, 1 ether, 1 ether + 1));
        loan.transfer(bob.addr, 1 ether + 1);
        loan.transfer(bob.addr, 1 ether);
        vm.stopPrank();
        assertEq(loan.transferable(), 0, "left to direct transfers");
        assertEq(loan.withdrawable(), 2 ether, "left to forwarded withdrawals");
        _forward(alice, _transfer(bob.addr, 3 ether));
        assertEq(loan.getBalance(bob.addr), 6 ether, "recipient's balance");
        vm.warp(block.timestamp + 25 hours);
        assertEq(loan.transferable(), 2 ether, "left a day later");
    }

    function test_RevertWhen_TheRecipientIsZero() external {
        _refuses(address(0));
    }

    function test_RevertWhen_TheRecipientIsTheContract() external {
        _refuses(address(loan));
    }

    function test_RevertWhen_TheRecipientIsTheForwarder() external {
        _refuses(address(forwarder));
    }

    function test_RevertWhen_TheAmountIsZero() external {
        _forwardFails(alice, _transfer(bob.addr, 0), _error(IMicroLoan.ZeroAmount.selector));
    }

    function test_RevertWhen_TheAmountIsOneWeiOverTheBalance() external {
        _forwardFails(
            alice,
            _transfer(bob.addr, 5 ether + 1),
            _error(IMicroLoan.InsufficientBalance.selector, alice.addr, 5 ether, 5 ether + 1)
        );
    }

    function test_WhenTheRecipientIsTheCaller() external {
        vm.expectEmit();
        emit IMicroLoan.Transferred(alice.addr, alice.addr, 5 ether);
        _forward(alice, _transfer(alice.addr, 5 ether));
        assertEq(loan.getBalance(alice.addr), 5 ether, "balance");
        assertEq(loan.totalBalances(), 6 ether, "total of balances");
    }

    function test_WhenTheRecipientHasNeverBeenSeen() external {
        _forward(alice, _transfer(carol.addr, 5 ether));
        assertEq(loan.getBalance(alice.addr), 0, "sender's balance");
        assertEq(loan.getBalance(carol.addr), 5 ether, "recipient's balance");
    }

    function test_WhenTheCallerIsDirect() external {
        vm.prank(alice.addr);
        loan.transfer(bob.addr, 2 ether);
        assertEq(loan.getBalance(alice.addr), 3 ether, "sender's balance");
        assertEq(loan.getBalance(bob.addr), 3 ether, "recipient's balance");
    }

    function test_WhenTheCallerIsForwarded() external {
        _borrow(alice);
        vm.expectEmit();
        emit IMicroLoan.Transferred(alice.addr, bob.addr, 2 ether);
        _forward(alice, _transfer(bob.addr, 2 ether));

        assertEq(loan.getBalance(alice.addr), 3 ether + PRINCIPAL, "sender's balance");
        assertEq(loan.getBalance(bob.addr), 3 ether, "recipient's balance");
        assertEq(loan.totalBalances(), 6 ether + PRINCIPAL, "total of balances");
        assertEq(loan.liquidity(), POOL - PRINCIPAL, "liquidity");
        assertEq(loan.loanOf(alice.addr), PRINCIPAL, "sender's loan");
        assertEq(loan.loanOf(bob.addr), 0, "recipient's loan");
    }

    function _refuses(address recipient) private {
        _forwardFails(alice, _transfer(recipient, 1), _error(IMicroLoan.InvalidRecipient.selector, recipient));
    }
}

/// @notice No check is spared to a phone that has all roles, and none is made for it alone.
contract MicroLoanTransferWithAllRolesTest is MicroLoanTransferTest {
    function setUp() public override {
        _giveAllRolesTo(alice.addr);
        super.setUp();
    }
}
