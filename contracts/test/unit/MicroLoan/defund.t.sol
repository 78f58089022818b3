// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base, OwnerHasAllRoles} from "../../support/Base.sol";
import {Refusing, Returning} from "../../support/Receivers.sol";
import {Deployments, Setups} from "../../support/Deployments.sol";

contract MicroLoanDefundTest is Base {
    function test_RevertGiven_TheOwnerTakesNoCurrency() external {
        address refusing = address(new Refusing());
        _ownedBy(refusing);
        bytes memory reason = _error(IMicroLoan.CurrencyRefused.selector, refusing, 1 ether);
        _fails(refusing, abi.encodeCall(IMicroLoan.defund, (1 ether)), reason);
        _assertSums(1 ether, 0, 0);
    }

    /// @dev Whatever the owner does with it comes after it in the log.
    function test_GivenTheOwnerPaysInAgain() external {
        address returning = address(new Returning());
        _ownedBy(returning);
        vm.expectEmit();
        emit IMicroLoan.Defunded(returning, 1 ether);
        vm.expectEmit();
        emit IMicroLoan.Deposited(returning, returning, 1 ether);
        vm.prank(returning);
        loan.defund(1 ether);
        _assertSums(0, 1 ether, 0);
    }

    function test_GivenDepositorsHaveBalances() external {
        _depositFor(alice.addr, 1 ether);
        vm.prank(owner);
        loan.defund(POOL);
        _assertSums(0, 1 ether, 0);
        _withdraw(alice.addr, 1 ether);
        assertEq(alice.addr.balance, 1 ether, "currency of the depositor");
    }

    function test_GivenTheLiquidityIsEnough() external {
        vm.expectEmit();
        emit IMicroLoan.Defunded(owner, 4 ether);
        vm.prank(owner);
        loan.defund(4 ether);
        assertEq(owner.balance, 4 ether, "currency of the owner");
        _assertSums(POOL - 4 ether, 0, 0);
    }

    function _ownedBy(address account) private {
        loan = Deployments.loan(Setups.wide(address(forwarder), account, PRINCIPAL, CAP));
        _fund(1 ether);
    }
}

contract MicroLoanDefundWithAllRolesTest is MicroLoanDefundTest, OwnerHasAllRoles {}
