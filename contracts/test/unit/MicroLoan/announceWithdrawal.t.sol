// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanAnnounceWithdrawalTest is Base {
    function test_RevertWhen_TheCallerIsForwarded() external {
        _forwardFails(
            alice,
            abi.encodeCall(IMicroLoan.announceWithdrawal, (1)),
            _error(IMicroLoan.DirectCallersOnly.selector)
        );
    }

    function test_WhenTheCallerIsDirect() external {
        uint256 dueAt = block.timestamp + loan.NOTICE();
        assertEq(loan.NOTICE(), 48 hours, "notice");
        vm.expectEmit();
        emit IMicroLoan.WithdrawalAnnounced(alice.addr, 3 ether, dueAt);
        vm.prank(alice.addr);
        loan.announceWithdrawal(3 ether);
        (uint256 amount, uint256 at) = loan.announcedBy(alice.addr);
        assertEq(amount, 3 ether, "announced");
        assertEq(at, dueAt, "when it is due");
    }

    function test_GivenAnAnnouncementIsDue() external {
        _depositFor(alice.addr, 3 ether);
        _announce(alice.addr, 3 ether);
        vm.startPrank(alice.addr);
        loan.announceWithdrawal(1 ether);
        vm.expectRevert(
            _error(IMicroLoan.WithdrawalNotDue.selector, alice.addr, 1 ether, block.timestamp + 48 hours)
        );
        loan.withdraw(1 ether);
    }

    function test_GivenAPause() external {
        _depositFor(alice.addr, 3 ether);
        vm.prank(guardian);
        loan.pause();
        _withdraw(alice.addr, 3 ether);
        assertEq(alice.addr.balance, 3 ether, "currency of the caller");
    }

    /// @dev Nothing is reserved: what is moved to safety meanwhile is not there for a thief.
    function test_GivenTheBalanceIsTransferredMeanwhile() external {
        _depositFor(alice.addr, 3 ether);
        _announce(alice.addr, 3 ether);
        _forward(alice, _transfer(bob.addr, 3 ether));
        vm.prank(alice.addr);
        vm.expectRevert(_error(IMicroLoan.InsufficientBalance.selector, alice.addr, 0, 3 ether));
        loan.withdraw(3 ether);
    }

    /// @dev Whatever owner, guardian and forwarder's owner do: who calls directly leaves when it is due.
    function test_GivenEverybodyIsAgainstIt() external {
        address wallet = makeAddr("outside wallet");
        _depositFor(wallet, 3 ether);
        vm.prank(wallet);
        loan.announceWithdrawal(3 ether);
        vm.startPrank(owner);
        loan.pause();
        loan.setWithdrawalLimit(0);
        _setDailyCap(0);
        loan.defund(POOL);
        forwarder.pause();
        vm.stopPrank();
        vm.warp(block.timestamp + 48 hours);
        vm.prank(wallet);
        loan.withdraw(3 ether);
        assertEq(wallet.balance, 3 ether, "currency of the wallet");
    }
}

/// @notice No check is spared to a phone that has all roles, and none is made for it alone.
contract MicroLoanAnnounceWithdrawalWithAllRolesTest is MicroLoanAnnounceWithdrawalTest {
    function setUp() public override {
        _giveAllRolesTo(alice.addr);
        super.setUp();
    }
}
