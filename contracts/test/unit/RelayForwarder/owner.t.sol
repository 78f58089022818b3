// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

import {IGuarded} from "../../../src/IGuarded.sol";
import {IRelayForwarder} from "../../../src/IRelayForwarder.sol";
import {Base} from "../../support/Base.sol";
import {Probe} from "../../support/Targets.sol";
import {DeployedForwarder, Deployments} from "../../support/Deployments.sol";

/// @dev What holds no matter who has which role.
abstract contract RelayForwarderOwnerActs is Base {
    function test_WhenTheOwnerAllowsAndDisallowsARelayer() external {
        vm.startPrank(owner);
        vm.expectEmit();
        emit IRelayForwarder.RelayerSet(stranger, true);
        forwarder.setRelayer(stranger, true);
        assertTrue(forwarder.isRelayer(stranger), "allowed");
        vm.expectEmit();
        emit IRelayForwarder.RelayerSet(stranger, false);
        forwarder.setRelayer(stranger, false);
        assertFalse(forwarder.isRelayer(stranger), "disallowed");
        assertTrue(forwarder.isRelayer(relayer), "another relayer");
    }

    /// @dev A relayer whose key is out is disallowed while all stands still.
    function test_GivenAPauseWhenTheOwnerActs() external {
        vm.startPrank(owner);
        forwarder.pause();
        forwarder.setRelayer(relayer, false);
        forwarder.setGuardian(stranger);
        forwarder.transferOwnership(stranger);
        vm.stopPrank();
        assertEq(forwarder.owner(), owner, "owner after the first step");
        vm.prank(stranger);
        forwarder.acceptOwnership();
        assertFalse(forwarder.isRelayer(relayer), "relayer");
        assertEq(forwarder.guardian(), stranger, "guardian");
        assertEq(forwarder.owner(), stranger, "owner after the second step");
    }

    function test_RevertWhen_TheOwnershipIsRenounced() external {
        vm.prank(owner);
        vm.expectRevert(IGuarded.OwnershipNotRenounceable.selector);
        forwarder.renounceOwnership();
    }

    function test_WhenTheGuardianPausesOrTheOwnerDoes() external {
        address[2] memory callers = [guardian, owner];
        for (uint256 i; i < 2; ++i) {
            vm.prank(callers[i]);
            forwarder.pause();
            assertTrue(forwarder.paused(), "paused");
            vm.prank(owner);
            forwarder.unpause();
        }
    }

    function test_RevertWhen_TheTargetIsZeroOrTheForwarder() external {
        address itself = vm.computeCreateAddress(address(this), vm.getNonce(address(this)));
        vm.expectRevert(_error(IRelayForwarder.InvalidTarget.selector, itself));
        Deployments.forwarder(owner, guardian, relayer, itself);
        vm.expectRevert(_error(IRelayForwarder.InvalidTarget.selector, address(0)));
        Deployments.forwarder(owner, guardian, relayer, address(0));
    }

    /// @dev That an account has a role makes it neither more nor less of a target.
    function test_GivenTheDeployerOrTheTargetHasAllRoles() external {
        vm.expectRevert(_error(IRelayForwarder.InvalidTarget.selector, address(0)));
        Deployments.forwarder(address(this), address(this), address(this), address(0));
        address[2] memory roles = [address(this), stranger];
        for (uint256 i; i < 2; ++i) {
            DeployedForwarder created = Deployments.forwarder(roles[i], roles[i], roles[i], stranger);
            assertEq(created.target(), stranger, "target");
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

contract RelayForwarderOwnerTest is RelayForwarderOwnerActs {
    function test_WhenTheOwnerNamesAnotherGuardian() external {
        vm.prank(owner);
        vm.expectEmit();
        emit IGuarded.GuardianSet(guardian, stranger);
        forwarder.setGuardian(stranger);
        assertEq(forwarder.guardian(), stranger, "guardian");
        vm.prank(guardian);
        vm.expectRevert(_error(Ownable.OwnableUnauthorizedAccount.selector, guardian));
        forwarder.pause();
    }
}

/// @notice No check is spared to a caller who has all roles, and none is made for it alone.
contract RelayForwarderOwnerWithAllRolesTest is RelayForwarderOwnerActs {
    function setUp() public override {
        _giveAllRolesTo(owner);
        super.setUp();
    }
}
