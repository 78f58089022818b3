// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanDepositForTest is Base {
    /// @dev Forwarded calls carry no currency; else they are like others.
    function test_RevertWhen_ItIsForwarded() external {
        bytes memory call = abi.encodeCall(IMicroLoan.depositFor, (alice.addr));
        _forwardFails(bob, call, _error(IMicroLoan.ZeroAmount.selector));
    }

    function test_RevertWhen_TheAccountIsZero() external {
        _refuses(address(0));
    }

    function test_RevertWhen_TheAccountIsTheContract() external {
        _refuses(address(loan));
    }

    function test_RevertWhen_TheAccountIsTheForwarder() external {
        _refuses(address(forwarder));
    }

    function test_RevertWhen_NoCurrencyIsSent() external {
        vm.prank(stranger);
        vm.expectRevert(IMicroLoan.ZeroAmount.selector);
        loan.depositFor(alice.addr);
    }

    function test_GivenAPause() external {
        vm.prank(owner);
        loan.pause();
        _depositFor(alice.addr, 1 ether);
        assertEq(loan.getBalance(alice.addr), 1 ether, "balance");
    }

    function test_WhenCurrencyIsSent() external {
        vm.expectEmit();
        emit IMicroLoan.Deposited(alice.addr, stranger, 1 ether);
        _depositFor(alice.addr, 1 ether);

        assertEq(loan.getBalance(alice.addr), 1 ether, "balance of the account");
        assertEq(loan.getBalance(stranger), 0, "balance of the payer");
        assertEq(loan.totalBalances(), 1 ether, "total of balances");
        assertEq(loan.liquidity(), POOL, "liquidity");
    }

    function _refuses(address account) private {
        hoax(stranger, 1 ether);
        vm.expectRevert(_error(IMicroLoan.InvalidRecipient.selector, account));
        loan.depositFor{value: 1 ether}(account);
    }
}

/// @notice No check is spared to a payer who has all roles.
contract MicroLoanDepositForWithAllRolesTest is MicroLoanDepositForTest {
    function setUp() public override {
        _giveAllRolesTo(stranger);
        super.setUp();
    }
}
