// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";
import {Refusing, Returning} from "../../support/Receivers.sol";
import {Setups} from "../../support/Setups.sol";
import {Deployments} from "../../support/Deployments.sol";

contract MicroLoanDefundTest is Base {
    function test_RevertWhen_TheAmountIsZero() external {
        vm.prank(owner);
        vm.expectRevert(IMicroLoan.ZeroAmount.selector);
        loan.defund(0);
    }

    function test_RevertWhen_TheAmountIsOneWeiOverTheLiquidity() external {
        _depositFor(alice.addr, 1 ether);
        vm.prank(owner);
        vm.expectRevert(_error(IMicroLoan.InsufficientLiquidity.selector, POOL, POOL + 1));
        loan.defund(POOL + 1);
    }

    function test_RevertGiven_TheOwnerTakesNoCurrency() external {
        address refusing = address(new Refusing());
        loan = Deployments.loan(Setups.wide(address(forwarder), refusing, PRINCIPAL, CAP));
        _fund(1 ether);
        vm.prank(refusing);
        vm.expectRevert(_error(IMicroLoan.CurrencyRefused.selector, refusing, 1 ether));
        loan.defund(1 ether);
        assertEq(loan.liquidity(), 1 ether, "liquidity");
    }

    /// @dev Whatever the owner does with it comes after it in the log.
    function test_GivenTheOwnerPaysInAgain() external {
        address returning = address(new Returning());
        loan = Deployments.loan(Setups.wide(address(forwarder), returning, PRINCIPAL, CAP));
        _fund(1 ether);
        vm.expectEmit();
        emit IMicroLoan.Defunded(returning, 1 ether);
        vm.expectEmit();
        emit IMicroLoan.Deposited(returning, returning, 1 ether);
        vm.prank(returning);
        loan.defund(1 ether);
        assertEq(loan.liquidity(), 0, "liquidity");
        assertEq(loan.getBalance(returning), 1 ether, "balance");
    }

    function test_GivenDepositorsHaveBalances() external {
        _depositFor(alice.addr, 1 ether);
        vm.prank(owner);
        loan.defund(POOL);
        assertEq(address(loan).balance, 1 ether, "currency held");
        _withdraw(alice.addr, 1 ether);
        assertEq(alice.addr.balance, 1 ether, "currency of the depositor");
    }

    function test_GivenAPause() external {
        vm.startPrank(owner);
        loan.pause();
        loan.defund(POOL);
        vm.stopPrank();
        assertEq(owner.balance, POOL, "currency of the owner");
    }

    function test_GivenTheLiquidityIsEnough() external {
        vm.expectEmit();
        emit IMicroLoan.Defunded(owner, 4 ether);
        vm.prank(owner);
        loan.defund(4 ether);

        assertEq(owner.balance, 4 ether, "currency of the owner");
        assertEq(loan.liquidity(), POOL - 4 ether, "liquidity");
        assertEq(loan.totalBalances(), 0, "total of balances");
    }
}

/// @notice No check is spared to a caller who has all roles, and none is made for it alone.
contract MicroLoanDefundWithAllRolesTest is MicroLoanDefundTest {
    function setUp() public override {
        _giveAllRolesTo(owner);
        super.setUp();
    }
}
