// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanFundTest is Base {
    function test_RevertWhen_NoCurrencyIsSent() external {
        vm.prank(stranger);
        vm.expectRevert(IMicroLoan.ZeroAmount.selector);
        loan.fund();
    }

    function test_GivenAPause() external {
        vm.prank(owner);
        loan.pause();
        _fund(1 ether);
        assertEq(loan.liquidity(), POOL + 1 ether, "liquidity");
    }

    function test_WhenCurrencyIsSent() external {
        vm.expectEmit();
        emit IMicroLoan.Funded(stranger, 2 ether);
        _fund(2 ether);

        assertEq(loan.liquidity(), POOL + 2 ether, "liquidity");
        assertEq(loan.getBalance(stranger), 0, "balance of the payer");
        assertEq(loan.totalBalances(), 0, "total of balances");
    }
}
