// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IGuarded} from "../../../src/IGuarded.sol";
import {IRelayForwarder} from "../../../src/IRelayForwarder.sol";
import {Base, OwnerHasAllRoles} from "../../support/Base.sol";
import {Probe} from "../../support/Targets.sol";
import {DeployedForwarder, Deployments} from "../../support/Deployments.sol";

/// @notice `roles.t.sol` tries every other caller: of the powers of the owner a guardian has the
/// pause alone.
contract RelayForwarderOwnerTest is Base {
    /// @dev A relayer whose key is out is disallowed while all stands still.
    function test_WhenTheOwnerAllowsAndDisallowsARelayer() external {
        vm.startPrank(owner);
        vm.expectEmit();
        emit IRelayForwarder.RelayerSet(stranger, true);
        forwarder.setRelayer(stranger, true);
        assertTrue(forwarder.isRelayer(stranger), "allowed");
        forwarder.pause();
        vm.expectEmit();
        emit IRelayForwarder.RelayerSet(stranger, false);
        forwarder.setRelayer(stranger, false);
        assertFalse(forwarder.isRelayer(stranger), "disallowed");
        assertTrue(forwarder.isRelayer(relayer), "another relayer");
    }

    /// @dev That an account has a role makes it neither more nor less of a target.
    function test_RevertWhen_TheTargetIsZeroOrTheForwarder() external {
        address[3] memory roles = [owner, address(this), stranger];
        for (uint256 i; i < 3; ++i) {
            address role = roles[i];
            address itself = vm.computeCreateAddress(address(this), vm.getNonce(address(this)));
            vm.expectRevert(_error(IRelayForwarder.InvalidTarget.selector, itself));
            Deployments.forwarder(role, role, role, itself);
            vm.expectRevert(_error(IRelayForwarder.InvalidTarget.selector, address(0)));
            Deployments.forwarder(role, role, role, address(0));
            assertEq(Deployments.forwarder(role, role, role, stranger).target(), stranger, "target");
        }
    }

    function test_WhenAllIsSetInTheConstructor() external {
        address target = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        vm.expectEmit();
        emit IGuarded.GuardianSet(address(0), guardian);
        vm.expectEmit();
        emit IRelayForwarder.RelayerSet(stranger, true);
        DeployedForwarder created = Deployments.forwarder(owner, guardian, stranger, target);
        assertEq(address(new Probe()), target, "target that came to stand there");
        assertEq(created.owner(), owner, "owner");
        assertEq(created.guardian(), guardian, "guardian");
        assertTrue(created.isRelayer(stranger), "relayer");
        assertEq(created.target(), target, "target");
    }
}

contract RelayForwarderOwnerWithAllRolesTest is RelayForwarderOwnerTest, OwnerHasAllRoles {}
