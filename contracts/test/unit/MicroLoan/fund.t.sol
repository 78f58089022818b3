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

    /// @dev Forwarded calls carry no currency; else they are like others.
    function test_RevertWhen_ItIsForwarded() external {
        bytes memory call = abi.encodeCall(IMicroLoan.fund, ());
        _forwardFails(alice, call, _error(IMicroLoan.ZeroAmount.selector));
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

/// @notice No check is spared to a caller who has all roles, and none is made for it alone.
contract MicroLoanFundWithAllRolesTest is MicroLoanFundTest {
    function setUp() public override {
        _giveAllRolesTo(stranger);
        super.setUp();
    }
}
