// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title RelayForwarder
/// @notice Executes batches of requests that accounts signed (EIP-712) and relayers pay for
/// (ERC-2771).
///
/// Who. Only relayers that the owner allowed may execute, and every request calls the one `target`.
/// A relayer is a plain account: the transaction is its own. The target sees the signer of the
/// request as its caller: the signer's address stands in the last 20 bytes of the call.
///
/// What is signed. EIP-712's primary type `Request(address from,bytes22 intentId,uint40
/// deadline,uint32 gas,bytes data)`, in the domain (`RelayForwarder`, `1`, chain id, this
/// contract). `from` signs, and is whom the target sees. `intentId` is what happens at most once
/// for `from`; it is public: see SECURITY.md. `deadline` is the last second (Unix time) at which
/// the request may be executed. `gas` is what the call gets, all of it: `MAX_GAS` at most. `data`
/// is the call, from its 4 byte selector on: `MAX_DATA_LENGTH` bytes at most.
///
/// Packed. A batch is its requests one behind another, without padding and to its last byte, each
/// of them `from` (20 bytes), `intentId` (22), `deadline` (5), `gas` (4), the length of `data` (2),
/// `data`, and the signature in 64 bytes (EIP-2098: r, and s below the parity of y), with a low s,
/// as EIP-2 wants it.
///
/// Once. A request carries an intent id, which belongs to its signer: what one account spends is
/// unspent for every other. Executing the request spends the id, whether the call succeeds or
/// fails; nothing else spends it. A spent id is refused for 7 days, and a deadline more than 24
/// hours ahead is refused, so that no signed bytes outlive the refusal. After 7 days the contract
/// forgets it: then nothing but the event tells that an id was spent.
///
/// Each on its own. One request's failure or refusal harms no other of the batch. A request is
/// executed with all of its signed gas or not at all: with too little gas left, it and all that
/// follow are skipped, unspent. A batch for which even that is too little reverts as a whole.
///
/// The truth in one place. A call of `execute` returns a result for each request (so one `eth_call`
/// by a relayer simulates a batch), and emits one event for each, in the order of the batch.
/// `spentAt` names the block in which an id was spent, so that its event is found in one block.
///
/// Pause. The guardian and the owner can stop all execution at once; the owner ends that. A
/// guardian can do nothing else. Ownership passes in two steps and cannot be renounced.
///
/// Elsewhere. What is not listed here comes from OpenZeppelin as it is: `paused` with `Paused`,
/// `Unpaused`, `EnforcedPause` and `ExpectedPause` (`Pausable`), and all of `Ownable2Step`.
/// `guardian`, `pause`, `unpause` and `setGuardian` are {IGuarded}'s.
interface IRelayForwarder {
    /// @notice What became of a request. `Executed` and `Failed` spend the intent id, the others
    /// don't.
    enum Status {
        /// The call was made and succeeded.
        Executed,
        /// The call was made and failed; the return data say why.
        Failed,
        /// The deadline has passed.
        Expired,
        /// The deadline is more than 24 hours ahead.
        DeadlineTooFar,
        /// The signature is not that of `from` over this request on this chain for this contract.
        BadSignature,
        /// The signer has spent the intent id less than 7 days ago.
        AlreadySpent,
        /// Too little gas was left for this request or one before it.
        Skipped,
        /// The data are too long or too short for a call, or the gas is over the maximum.
        OutOfBounds
    }

    /// @notice A request's status and what its call returned, cut to `MAX_RETURN_LENGTH` bytes.
    struct Result {
        Status status;
        bytes returnData;
    }

    // Errors

    /// @notice `caller` is no relayer.
    error NotRelayer(address caller);

    /// @notice `caller` is called by another account, or has code, be it by delegation (EIP-7702):
    /// a relayer sends its transactions itself. Code could choose the depth of the call, at which
    /// RSKj (400 deep at most) lets the inner one fail.
    error NotPlainAccount(address caller);

    /// @notice The target can't be this contract or zero.
    error InvalidTarget(address target);

    /// @notice The batch ends within a request.
    error MalformedBatch();

    // Events

    /// @notice What became of a request that did not fail: one for each, in the order of the batch.
    /// The block's time is when it was spent.
    event RequestProcessed(bytes22 indexed intentId, address indexed from, Status status);

    /// @notice In its place: the request failed, with the first `MAX_RETURN_LENGTH` bytes of why.
    event RequestFailed(bytes22 indexed intentId, address indexed from, bytes returnData);

    /// @notice `relayer` may now execute batches, or may no more.
    event RelayerSet(address indexed relayer, bool allowed);

    // Views

    /// @notice Whether `account` may execute batches.
    function isRelayer(address account) external view returns (bool);

    /// @notice What requests call.
    function target() external view returns (address);

    /// @notice When (Unix time) and in which block `signer` has spent `intentId`, or zeros if it is
    /// not spent: it never was, or 7 days ago and more.
    function spentAt(address signer, bytes22 intentId)
        external
        view
        returns (uint256 timestamp, uint256 blockNumber);

    /// @notice The gas that must be left when a request's turn comes, for the request to be
    /// executed.
    /// @param requestGas The gas signed in that request.
    /// @param following How many requests follow it in the batch.
    /// @dev A relayer's gas limit is best summed up from this. Never take it from
    /// `eth_estimateGas`, which finds the least gas that does not revert: that of a batch skipped
    /// as a whole.
    function gasNeeded(uint32 requestGas, uint32 following) external view returns (uint256);

    /// @notice How long a spent id is refused: 7 days, in seconds.
    function INTENT_LIFETIME() external view returns (uint256);

    /// @notice How far ahead a deadline may be: 24 hours, in seconds.
    function MAX_DEADLINE_AHEAD() external view returns (uint256);

    /// @notice The most gas a request may ask for.
    function MAX_GAS() external view returns (uint256);

    /// @notice The longest call a request may make, in bytes.
    function MAX_DATA_LENGTH() external view returns (uint256);

    /// @notice How much of what a call returns is kept, in bytes.
    function MAX_RETURN_LENGTH() external view returns (uint256);

    // Relayers

    /// @notice Executes the requests in their order and says what became of each.
    /// @dev Relayers only: reverts with `EnforcedPause`, `NotRelayer`, `NotPlainAccount` or
    /// `MalformedBatch`. Emits `RequestProcessed` or `RequestFailed` for each request. What refuses
    /// a request is looked for in this order: `OutOfBounds`, `AlreadySpent`, `Expired`,
    /// `DeadlineTooFar`, `BadSignature`, `Skipped`.
    function execute(bytes calldata batch) external returns (Result[] memory results);

    // Owner

    /// @notice Allows `relayer` to execute batches, or no more.
    /// @dev Owner only. Emits `RelayerSet`.
    function setRelayer(address relayer, bool allowed) external;
}
