// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

import {IGuarded} from "../../src/IGuarded.sol";
import {Base, OwnerHasAllRoles} from "../support/Base.sol";
import {DeployedGuarded} from "../support/Deployments.sol";

/// @notice Pause, guardian and ownership, which both contracts have alike. `roles.t.sol` tries
/// every other caller.
abstract contract GuardedActs is Base {
    function _guarded() internal view virtual returns (DeployedGuarded);

    function test_WhenTheOwnerOrTheGuardianPauses() external {
        DeployedGuarded guarded = _guarded();
        address[2] memory callers = [owner, guardian];
        for (uint256 i; i < 2; ++i) {
            vm.expectEmit();
            emit Pausable.Paused(callers[i]);
            vm.prank(callers[i]);
            guarded.pause();
            assertTrue(guarded.paused(), "paused");
            vm.prank(callers[i]);
            vm.expectRevert(Pausable.EnforcedPause.selector);
            guarded.pause();
            vm.expectEmit();
            emit Pausable.Unpaused(owner);
            vm.prank(owner);
            guarded.unpause();
            assertFalse(guarded.paused(), "unpaused");
        }
        vm.prank(owner);
        vm.expectRevert(Pausable.ExpectedPause.selector);
        guarded.unpause();
        _borrow(alice);
    }

    /// @dev A pause ties nobody's hands who has to mend what it is for.
    function test_GivenAPauseWhenTheRolesChange() external {
        DeployedGuarded guarded = _guarded();
        vm.startPrank(owner);
        guarded.pause();
        vm.expectEmit();
        emit IGuarded.GuardianSet(guardian, stranger);
        guarded.setGuardian(stranger);
        assertEq(guarded.guardian(), stranger, "guardian");
        guarded.transferOwnership(stranger);
        assertEq(guarded.owner(), owner, "owner after the first step");
        assertEq(guarded.pendingOwner(), stranger, "pending owner");
        vm.stopPrank();
        vm.startPrank(stranger);
        guarded.acceptOwnership();
        guarded.unpause();
        vm.stopPrank();
        assertEq(guarded.owner(), stranger, "owner after the second step");
        assertEq(guarded.pendingOwner(), address(0), "pending owner then");
        address[2] memory former = [owner, guardian];
        for (uint256 i; i < 2; ++i) {
            vm.prank(former[i]);
            vm.expectRevert(_error(Ownable.OwnableUnauthorizedAccount.selector, former[i]));
            guarded.pause();
        }
    }

    function test_RevertWhen_TheOwnershipIsRenounced() external {
        DeployedGuarded guarded = _guarded();
        vm.prank(owner);
        vm.expectRevert(IGuarded.OwnershipNotRenounceable.selector);
        guarded.renounceOwnership();
    }
}

contract GuardedLoanTest is GuardedActs {
    function _guarded() internal view override returns (DeployedGuarded) {
        return loan;
    }
}

contract GuardedForwarderTest is GuardedActs {
    function _guarded() internal view override returns (DeployedGuarded) {
        return forwarder;
    }
}

contract GuardedLoanWithAllRolesTest is GuardedLoanTest, OwnerHasAllRoles {}

contract GuardedForwarderWithAllRolesTest is GuardedForwarderTest, OwnerHasAllRoles {}
