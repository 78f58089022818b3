// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanDepositTest is Base {
    function test_RevertWhen_NoCurrencyIsSent() external {
        vm.prank(alice.addr);
        vm.expectRevert(IMicroLoan.ZeroAmount.selector);
        loan.deposit();
    }

    function test_RevertWhen_TheCallerIsForwarded() external {
        _forwardFails(alice, abi.encodeCall(IMicroLoan.deposit, ()), _error(IMicroLoan.ZeroAmount.selector));
    }

    function test_GivenAPause() external {
        vm.prank(owner);
        loan.pause();
        hoax(alice.addr, 1 ether);
        loan.deposit{value: 1 ether}();
        assertEq(loan.getBalance(alice.addr), 1 ether, "balance");
    }

    function test_RevertWhen_CurrencyIsSentWithoutACall() external {
        hoax(alice.addr, 1 ether);
        (bool success,) = address(loan).call{value: 1 ether}("");
        assertFalse(success, "plain payment");
    }

    function test_WhenCurrencyIsSent() external {
        vm.expectEmit();
        emit IMicroLoan.Deposited(alice.addr, alice.addr, 1 ether);
        hoax(alice.addr, 1 ether);
        loan.deposit{value: 1 ether}();
        hoax(alice.addr, 1 ether);
        loan.deposit{value: 0.5 ether}();

        assertEq(loan.getBalance(alice.addr), 1.5 ether, "balance");
        assertEq(loan.totalBalances(), 1.5 ether, "total of balances");
        assertEq(loan.liquidity(), POOL, "liquidity");
        assertEq(address(loan).balance, POOL + 1.5 ether, "currency held");
    }
}
