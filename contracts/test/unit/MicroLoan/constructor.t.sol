// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

import {IGuarded} from "../../../src/IGuarded.sol";
import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";
import {Setups} from "../../support/Setups.sol";
import {DeployedLoan, Deployments} from "../../support/Deployments.sol";

contract MicroLoanConstructorTest is Base {
    function test_RevertWhen_TheForwarderHasNoCode() external {
        IMicroLoan.Setup memory setup = Setups.wide(stranger, owner, PRINCIPAL, CAP);
        vm.expectRevert(_error(IMicroLoan.InvalidForwarder.selector, stranger));
        Deployments.loan(setup);
    }

    /// @dev This test deploys, and is the owner and the guardian.
    function test_GivenTheDeployerHasRoles() external {
        IMicroLoan.Setup memory setup = Setups.wide(address(forwarder), address(this), PRINCIPAL, CAP);
        setup.guardian = address(this);
        assertEq(Deployments.loan(setup).owner(), address(this), "owner");
        setup.predecessor = address(loan);
        assertEq(Deployments.loan(setup).predecessor(), address(loan), "predecessor");
        setup.predecessor = stranger;
        vm.expectRevert(_error(IMicroLoan.InvalidPredecessor.selector, stranger));
        Deployments.loan(setup);
        setup.predecessor = address(0);
        setup.forwarder = stranger;
        vm.expectRevert(_error(IMicroLoan.InvalidForwarder.selector, stranger));
        Deployments.loan(setup);
    }

    function test_RevertGiven_ThePredecessorHasRolesAndNoCode() external {
        IMicroLoan.Setup memory setup = Setups.wide(address(forwarder), stranger, PRINCIPAL, CAP);
        (setup.guardian, setup.predecessor) = (stranger, stranger);
        vm.expectRevert(_error(IMicroLoan.InvalidPredecessor.selector, stranger));
        Deployments.loan(setup);
    }

    function test_RevertWhen_TheOwnerIsZero() external {
        IMicroLoan.Setup memory setup = Setups.wide(address(forwarder), address(0), PRINCIPAL, CAP);
        vm.expectRevert(_error(Ownable.OwnableInvalidOwner.selector, address(0)));
        Deployments.loan(setup);
    }

    function test_RevertWhen_ThePrincipalIsOutOfRange() external {
        IMicroLoan.Setup memory setup = Setups.wide(address(forwarder), owner, 0, CAP);
        vm.expectRevert(_error(IMicroLoan.PrincipalOutOfRange.selector, 0, 0.0001 ether, 1 ether));
        Deployments.loan(setup);
    }

    function test_RevertWhen_TheDailyCapIsBelowThePrincipal() external {
        IMicroLoan.Setup memory setup = Setups.wide(address(forwarder), owner, PRINCIPAL, 1);
        vm.expectRevert(_error(IMicroLoan.DailyCapBelowPrincipal.selector, 1, PRINCIPAL));
        Deployments.loan(setup);
    }

    function test_RevertWhen_TheWithdrawalLimitIsOutOfRange() external {
        IMicroLoan.Setup memory setup = Setups.wide(address(forwarder), owner, PRINCIPAL, CAP);
        setup.withdrawalLimit = uint256(type(uint72).max) + 1;
        vm.expectRevert(
            _error(IMicroLoan.WithdrawalLimitOutOfRange.selector, setup.withdrawalLimit, type(uint72).max)
        );
        Deployments.loan(setup);
    }

    function test_RevertWhen_ThePredecessorHasNoCode() external {
        IMicroLoan.Setup memory setup = Setups.wide(address(forwarder), owner, PRINCIPAL, CAP);
        setup.predecessor = stranger;
        vm.expectRevert(_error(IMicroLoan.InvalidPredecessor.selector, stranger));
        Deployments.loan(setup);
    }

    function test_WhenAllIsInRange() external {
        IMicroLoan.Setup memory setup = Setups.wide(address(forwarder), stranger, 0.5 ether, 2 ether);
        (setup.guardian, setup.creditor) = (guardian, creditor);
        (setup.predecessor, setup.withdrawalLimit) = (address(loan), 3 ether);
        IMicroLoan.Terms memory none;
        vm.expectEmit();
        emit IGuarded.GuardianSet(address(0), guardian);
        vm.expectEmit();
        emit IMicroLoan.TermsSet(none, setup.terms);
        vm.expectEmit();
        emit IMicroLoan.CreditorSet(address(0), creditor);
        vm.expectEmit();
        emit IMicroLoan.WithdrawalLimitSet(3 ether, block.timestamp);
        DeployedLoan created = Deployments.loan(setup);

        assertEq(created.trustedForwarder(), address(forwarder), "forwarder");
        assertEq(created.owner(), stranger, "owner");
        assertEq(created.guardian(), guardian, "guardian");
        assertEq(created.creditor(), creditor, "creditor");
        assertEq(created.predecessor(), address(loan), "predecessor");
        assertEq(created.withdrawalLimit(), 3 ether, "limit of withdrawals");
        assertEq(abi.encode(created.terms()), abi.encode(setup.terms), "terms");
        assertEq(created.principal(), 0.5 ether, "principal");
        assertEq(created.issuable(), 2 ether, "issuable");
        assertEq(created.liquidity(), 0, "liquidity");
        assertEq(created.totalBalances(), 0, "total of balances");
        assertEq(created.totalOwed(), 0, "total owed");
        assertFalse(created.paused(), "paused");
    }
}
