// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title RelayForwarder
/// @notice Executes batches of requests that accounts signed (EIP-712) and relayers pay for (ERC-2771).
///
/// Who. Only relayers that the owner allowed may execute, and only calls to targets that the owner
/// allowed are made. A relayer is a plain account: the transaction is its own. A target sees the signer
/// of the request as its caller: the signer's address stands in the last 20 bytes of the call.
///
/// Once. A request carries an intent id, which belongs to its signer: what one account spends is
/// unspent for every other. Executing the request spends the id, whether the call succeeds or fails;
/// nothing else spends it. A spent id is refused for 7 days, and a deadline more than 24 hours ahead is
/// refused, so that no signed bytes outlive the refusal.
///
/// Each on its own. One request's failure or refusal harms no other of the batch. A request is
/// executed with all of its signed gas or not at all: with too little gas left, it and all that follow
/// are skipped, unspent. A batch for which even that is too little reverts as a whole.
///
/// The truth in one place. A call of `execute` returns a result for each request (so one `eth_call`
/// by a relayer simulates a batch), and emits an event for each, in the order of the batch. `spentAt`
/// names the block in which an id was spent, so that its event is found in one block.
///
/// Pause. The guardian and the owner can stop all execution at once; the owner ends that. A guardian
/// can do nothing else. Ownership passes in two steps and cannot be renounced.
///
/// Elsewhere. What is not listed here comes from OpenZeppelin as it is: `paused` with `Paused`, `Unpaused`,
/// `EnforcedPause` and `ExpectedPause` (`Pausable`), and all of `Ownable2Step`. `guardian`, `pause`,
/// `unpause` and `setGuardian` are {IGuarded}'s.
interface IRelayForwarder {
    /// @notice What an account signs, as EIP-712's primary type `Request` in this order, in the domain
    /// (`RelayForwarder`, `1`, chain id, this contract).
    struct Request {
        /// Who signs, and who the target sees as its caller.
        address from;
        /// The target, allowed by the owner.
        address to;
        /// What happens at most once for `from`. Chosen by the signer and public: see SECURITY.md.
        bytes32 intentId;
        /// The gas that the call gets, all of it. At most `MAX_GAS`.
        uint64 gas;
        /// The last second (Unix time) at which this may be executed.
        uint64 deadline;
        /// The call, from its 4 byte selector on. At most `MAX_DATA_LENGTH` bytes.
        bytes data;
    }

    /// @notice A request and its signature: 65 bytes (r, s, v) with a low s, as EIP-2 wants it.
    struct SignedRequest {
        Request request;
        bytes signature;
    }

    /// @notice What became of a request. `Executed` and `Failed` spend the intent id, the others don't.
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
        /// The target is not allowed.
        DisallowedTarget,
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

    /// @notice `caller` is called by another account: a relayer sends its transactions itself. A contract
    /// could choose the depth of the call, at which RSKj (400 deep at most) lets the inner one fail.
    error NotPlainAccount(address caller);

    /// @notice A target must be a contract, and can't be this one.
    error InvalidTarget(address target);

    // Events

    /// @notice One for each request of a batch, in their order; the block's time is when it was spent.
    event RequestProcessed(bytes32 indexed intentId, address indexed from, Status status, bytes returnData);

    /// @notice `relayer` may now execute batches, or may no more.
    event RelayerSet(address indexed relayer, bool allowed);

    /// @notice `target` may now be called, or may no more.
    event TargetSet(address indexed target, bool allowed);

    // Views

    /// @notice Whether `account` may execute batches.
    function isRelayer(address account) external view returns (bool);

    /// @notice Whether requests may call `account`.
    function isTarget(address account) external view returns (bool);

    /// @notice When (Unix time) and in which block `signer` last spent `intentId`, or zeros if it never
    /// did. What was spent more than 7 days ago may be spent again.
    function spentAt(address signer, bytes32 intentId)
        external
        view
        returns (uint64 timestamp, uint64 blockNumber);

    /// @notice The gas that must be left when a request's turn comes, for the request to be executed.
    /// @param requestGas The gas signed in that request.
    /// @param following How many requests follow it in the batch.
    /// @dev A relayer's gas limit is best summed up from this. Never take it from `eth_estimateGas`,
    /// which finds the least gas that does not revert: that of a batch skipped as a whole.
    function gasNeeded(uint256 requestGas, uint256 following) external view returns (uint256);

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
    /// @dev Relayers only: reverts with `EnforcedPause`, `NotRelayer` or `NotPlainAccount`. Emits `RequestProcessed` for each request. What
    /// refuses a request is looked for in this order: `OutOfBounds`, `AlreadySpent`, `Expired`,
    /// `DeadlineTooFar`, `DisallowedTarget`, `BadSignature`, `Skipped`.
    function execute(SignedRequest[] calldata requests) external returns (Result[] memory results);

    // Owner

    /// @notice Allows `relayer` to execute batches, or no more.
    /// @dev Owner only. Emits `RelayerSet`.
    function setRelayer(address relayer, bool allowed) external;

    /// @notice Allows requests to call `target`, or no more.
    /// @dev Owner only. Reverts with `InvalidTarget` when allowing what is no contract or this one.
    /// Emits `TargetSet`.
    function setTarget(address target, bool allowed) external;
}
