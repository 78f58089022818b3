// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

import {IGuarded} from "./IGuarded.sol";

/// @title Guarded
/// @notice See {IGuarded}.
abstract contract Guarded is IGuarded, Ownable2Step, Pausable {
    /// @inheritdoc IGuarded
    address public guardian;

    constructor(address initialOwner, address initialGuardian) Ownable(initialOwner) {
        _setGuardian(initialGuardian);
    }

    /// @inheritdoc IGuarded
    function pause() external {
        // The plain sender: no role acts through a forwarder.
        if (msg.sender != guardian) _checkOwner();
        _pause();
    }

    /// @inheritdoc IGuarded
    function unpause() external onlyOwner {
        _unpause();
    }

    /// @inheritdoc IGuarded
    function setGuardian(address newGuardian) external onlyOwner {
        _setGuardian(newGuardian);
    }

    /// @notice Always reverts with `OwnershipNotRenounceable`.
    function renounceOwnership() public pure override {
        revert OwnershipNotRenounceable();
    }

    function _setGuardian(address newGuardian) private {
        emit GuardianSet(guardian, newGuardian);
        guardian = newGuardian;
    }
}
