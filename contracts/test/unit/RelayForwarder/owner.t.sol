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
    function test_RevertWhen_AStrangerAllowsARelayer() external {
        vm.prank(relayer, relayer);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, relayer));
        forwarder.setRelayer(stranger, true);
    }

    function test_RevertWhen_AStrangerAllowsATarget() external {
        vm.prank(relayer, relayer);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, relayer));
        forwarder.setTarget(address(loan), false);
    }

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

    function test_WhenTheOwnerAllowsAndDisallowsATarget() external {
        address probe = address(new Probe());
        vm.startPrank(owner);
        vm.expectEmit();
        emit IRelayForwarder.TargetSet(probe, true);
        forwarder.setTarget(probe, true);
        assertTrue(forwarder.isTarget(probe), "allowed");
        vm.expectEmit();
        emit IRelayForwarder.TargetSet(probe, false);
        forwarder.setTarget(probe, false);
        assertFalse(forwarder.isTarget(probe), "disallowed");
        assertTrue(forwarder.isTarget(address(loan)), "another target");
    }

    /// @dev A relayer whose key is out is disallowed while all stands still.
    function test_GivenAPauseWhenTheOwnerActs() external {
        vm.startPrank(owner);
        forwarder.pause();
        forwarder.setRelayer(relayer, false);
        forwarder.setTarget(address(loan), false);
        forwarder.setGuardian(stranger);
        forwarder.transferOwnership(stranger);
        vm.stopPrank();
        vm.prank(stranger);
        forwarder.acceptOwnership();
        assertFalse(forwarder.isRelayer(relayer), "relayer");
        assertFalse(forwarder.isTarget(address(loan)), "target");
        assertEq(forwarder.guardian(), stranger, "guardian");
        assertEq(forwarder.owner(), stranger, "owner");
    }

    function test_RevertWhen_TheTargetToAllowIsNoContract() external {
        vm.prank(owner);
        vm.expectRevert(abi.encodeWithSelector(IRelayForwarder.InvalidTarget.selector, stranger));
        forwarder.setTarget(stranger, true);
    }

    function test_RevertWhen_TheTargetToAllowIsTheForwarder() external {
        vm.prank(owner);
        vm.expectRevert(abi.encodeWithSelector(IRelayForwarder.InvalidTarget.selector, address(forwarder)));
        forwarder.setTarget(address(forwarder), true);
    }

    function test_WhenTheTargetToDisallowIsNoContract() external {
        vm.prank(owner);
        forwarder.setTarget(stranger, false);
        assertFalse(forwarder.isTarget(stranger), "allowed");
    }

    function test_WhenTheOwnershipIsPassedOn() external {
        vm.prank(owner);
        forwarder.transferOwnership(stranger);
        assertEq(forwarder.owner(), owner, "owner after the first step");
        vm.prank(stranger);
        forwarder.acceptOwnership();
        assertEq(forwarder.owner(), stranger, "owner after the second step");
    }

    function test_RevertWhen_TheOwnershipIsRenounced() external {
        vm.prank(owner);
        vm.expectRevert(IGuarded.OwnershipNotRenounceable.selector);
        forwarder.renounceOwnership();
    }

    function test_WhenTheGuardianPauses() external {
        vm.prank(guardian);
        forwarder.pause();
        assertTrue(forwarder.paused(), "paused");
    }

    function test_WhenTheOwnerPauses() external {
        vm.prank(owner);
        forwarder.pause();
        assertTrue(forwarder.paused(), "paused");
    }

    function test_RevertWhen_ARelayerPauses() external {
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, relayer));
        forwarder.pause();
    }

    function test_GivenTheConstructorNamesNoTarget() external {
        address[] memory none;
        DeployedForwarder created = Deployments.forwarder(owner, guardian, none, address(0));
        assertFalse(created.isTarget(address(0)), "target");
    }

    /// @dev That an account has a role makes it neither more nor less of a target.
    function test_GivenATargetHasAllRoles() external {
        address probe = address(new Probe());
        address[] memory relayers = new address[](1);
        relayers[0] = probe;
        DeployedForwarder created = Deployments.forwarder(probe, probe, relayers, probe);
        assertTrue(created.isTarget(probe), "target from the start");
        vm.startPrank(probe);
        created.setTarget(probe, true);
        assertTrue(created.isTarget(probe), "target again");
        vm.expectRevert(abi.encodeWithSelector(IRelayForwarder.InvalidTarget.selector, stranger));
        created.setTarget(stranger, true);
    }

    function test_WhenAllIsSetInTheConstructor() external {
        address[] memory relayers = new address[](2);
        (relayers[0], relayers[1]) = (relayer, stranger);
        address target = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        vm.expectEmit();
        emit IGuarded.GuardianSet(address(0), guardian);
        vm.expectEmit();
        emit IRelayForwarder.RelayerSet(relayer, true);
        vm.expectEmit();
        emit IRelayForwarder.RelayerSet(stranger, true);
        vm.expectEmit();
        emit IRelayForwarder.TargetSet(target, true);
        DeployedForwarder created = Deployments.forwarder(owner, guardian, relayers, target);
        assertEq(address(new Probe()), target, "target that came to stand there");
        assertEq(created.owner(), owner, "owner");
        assertEq(created.guardian(), guardian, "guardian");
        assertTrue(created.isRelayer(relayer) && created.isRelayer(stranger), "relayers");
        assertTrue(created.isTarget(target), "target");
    }
}

contract RelayForwarderOwnerTest is RelayForwarderOwnerActs {
    function test_RevertWhen_TheGuardianDoesAnythingElse() external {
        vm.prank(owner);
        forwarder.pause();
        bytes memory refusal = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, guardian);
        vm.startPrank(guardian);
        vm.expectRevert(refusal);
        forwarder.unpause();
        vm.expectRevert(refusal);
        forwarder.setGuardian(stranger);
        vm.expectRevert(refusal);
        forwarder.setRelayer(guardian, true);
        vm.expectRevert(refusal);
        forwarder.setTarget(address(loan), false);
        vm.expectRevert(refusal);
        forwarder.transferOwnership(guardian);
    }

    function test_WhenTheOwnerNamesAnotherGuardian() external {
        vm.prank(owner);
        vm.expectEmit();
        emit IGuarded.GuardianSet(guardian, stranger);
        forwarder.setGuardian(stranger);
        assertEq(forwarder.guardian(), stranger, "guardian");
        vm.prank(guardian);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, guardian));
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
