// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Guarded
/// @notice A pause that the owner and a guardian begin and the owner alone ends. The guardian's key
/// is at hand day and night; all that a thief of it can do is to stop what a pause stops, until the
/// owner names another guardian.
interface IGuarded {
    /// @notice Without an owner nobody could end a pause.
    error OwnershipNotRenounceable();

    /// @notice `current` may pause from now on, and `previous` no more.
    event GuardianSet(address indexed previous, address indexed current);

    /// @notice Who may pause beside the owner; zero for the owner alone.
    function guardian() external view returns (address);

    /// @notice Stops what a pause stops, at once.
    /// @dev Guardian or owner. Reverts with `EnforcedPause` if paused already. Emits `Paused`.
    function pause() external;

    /// @notice Ends a pause.
    /// @dev Owner only. Reverts with `ExpectedPause` if not paused. Emits `Unpaused`.
    function unpause() external;

    /// @notice Names another guardian, or none (zero).
    /// @dev Owner only. Emits `GuardianSet`.
    function setGuardian(address newGuardian) external;
}
