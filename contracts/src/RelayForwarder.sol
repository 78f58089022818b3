// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

import {Guarded} from "./Guarded.sol";
import {IRelayForwarder} from "./IRelayForwarder.sol";

/// @title RelayForwarder
/// @notice See {IRelayForwarder}, which says all there is to know before calling this.
contract RelayForwarder is IRelayForwarder, EIP712, Guarded {
    /// @inheritdoc IRelayForwarder
    uint256 public constant INTENT_LIFETIME = 7 days;

    /// @inheritdoc IRelayForwarder
    uint256 public constant MAX_DEADLINE_AHEAD = 24 hours;

    /// @inheritdoc IRelayForwarder
    uint256 public constant MAX_GAS = 1_000_000;

    /// @inheritdoc IRelayForwarder
    uint256 public constant MAX_DATA_LENGTH = 1024;

    /// @inheritdoc IRelayForwarder
    uint256 public constant MAX_RETURN_LENGTH = 256;

    bytes32 private constant REQUEST_TYPEHASH =
        keccak256("Request(address from,address to,bytes32 intentId,uint64 gas,uint64 deadline,bytes data)");

    /// @dev A call without a selector would let the appended address be read as one.
    uint256 private constant MIN_DATA_LENGTH = 4;

    /// @dev Spending the id, making up the call, its access cost, and reporting the result.
    uint256 private constant CALL_OVERHEAD = 45_000;

    /// @dev Judging a request that will not be executed, and reporting that.
    uint256 private constant REQUEST_OVERHEAD = 20_000;

    /// @dev One word, so that spending is one write.
    struct Spending {
        uint64 timestamp;
        uint64 blockNumber;
    }

    /// @inheritdoc IRelayForwarder
    mapping(address account => bool) public isRelayer;

    /// @inheritdoc IRelayForwarder
    mapping(address account => bool) public isTarget;

    /// @inheritdoc IRelayForwarder
    mapping(address signer => mapping(bytes32 intentId => Spending)) public spentAt;

    /// @param relayers May execute from the start.
    /// @param target May be called from the start, or zero for none. It may be deployed after this one, which
    /// its own constructor names.
    constructor(address initialOwner, address initialGuardian, address[] memory relayers, address target)
        EIP712("RelayForwarder", "1")
        Guarded(initialOwner, initialGuardian)
    {
        for (uint256 i; i < relayers.length; ++i) {
            _setRelayer(relayers[i], true);
        }
        if (target != address(0)) _setTarget(target, true);
    }

    /// @inheritdoc IRelayForwarder
    function execute(SignedRequest[] calldata requests)
        external
        whenNotPaused
        returns (Result[] memory results)
    {
        if (!isRelayer[msg.sender]) revert NotRelayer(msg.sender);
        // A contract could have itself called so deep that RSKj lets every inner call fail.
        if (msg.sender != tx.origin) revert NotPlainAccount(msg.sender);

        uint256 count = requests.length;
        results = new Result[](count);
        bool skipping;
        for (uint256 i; i < count; ++i) {
            Request calldata request = requests[i].request;
            address from = request.from;
            bytes32 intentId = request.intentId;
            Spending storage spending = spentAt[from][intentId];
            Status status =
                skipping ? Status.Skipped : _judge(request, from, intentId, spending, requests[i].signature);
            bytes memory returnData = results[i].returnData;
            if (status == Status.Executed) {
                if (gasleft() < gasNeeded(request.gas, count - i - 1)) {
                    skipping = true;
                    status = Status.Skipped;
                } else {
                    // Spent before the call, so that nothing the call does can execute it again.
                    (spending.timestamp, spending.blockNumber) =
                    (uint64(block.timestamp), uint64(block.number));
                    bool success;
                    (success, returnData) = _call(request, from);
                    if (!success) status = Status.Failed;
                }
            }
            (results[i].status, results[i].returnData) = (status, returnData);
            emit RequestProcessed(intentId, from, status, returnData);
        }
    }

    /// @inheritdoc IRelayForwarder
    function setRelayer(address relayer, bool allowed) external onlyOwner {
        _setRelayer(relayer, allowed);
    }

    /// @inheritdoc IRelayForwarder
    function setTarget(address target, bool allowed) external onlyOwner {
        if (allowed && (target.code.length == 0 || target == address(this))) revert InvalidTarget(target);
        _setTarget(target, allowed);
    }

    /// @inheritdoc IRelayForwarder
    function gasNeeded(uint256 requestGas, uint256 following) public pure returns (uint256) {
        // A call gets at most 63/64 of what is left (EIP-150), silently less than what was asked for.
        return CALL_OVERHEAD + (requestGas * 64 + 62) / 63 + following * REQUEST_OVERHEAD;
    }

    function _setRelayer(address relayer, bool allowed) private {
        isRelayer[relayer] = allowed;
        emit RelayerSet(relayer, allowed);
    }

    function _setTarget(address target, bool allowed) private {
        isTarget[target] = allowed;
        emit TargetSet(target, allowed);
    }

    /// @dev `Executed` if nothing stands against it. Bounds come first, so that the rest is cheap.
    function _judge(
        Request calldata request,
        address from,
        bytes32 intentId,
        Spending storage spending,
        bytes calldata signature
    ) private view returns (Status) {
        uint256 length = request.data.length;
        if (length < MIN_DATA_LENGTH || length > MAX_DATA_LENGTH || request.gas > MAX_GAS) {
            return Status.OutOfBounds;
        }
        uint256 spent = spending.timestamp;
        if (spent != 0 && block.timestamp < spent + INTENT_LIFETIME) return Status.AlreadySpent;
        uint256 deadline = request.deadline;
        if (block.timestamp > deadline) return Status.Expired;
        if (deadline > block.timestamp + MAX_DEADLINE_AHEAD) return Status.DeadlineTooFar;
        if (!isTarget[request.to]) return Status.DisallowedTarget;
        if (!_isSigned(request, from, intentId, signature)) return Status.BadSignature;
        return Status.Executed;
    }

    function _isSigned(Request calldata request, address from, bytes32 intentId, bytes calldata signature)
        private
        view
        returns (bool)
    {
        bytes32 digest = _hashTypedDataV4(
            keccak256(
                abi.encode(
                    REQUEST_TYPEHASH,
                    from,
                    request.to,
                    intentId,
                    request.gas,
                    request.deadline,
                    keccak256(request.data)
                )
            )
        );
        (address signer, ECDSA.RecoverError failure,) = ECDSA.tryRecoverCalldata(digest, signature);
        return failure == ECDSA.RecoverError.NoError && signer == from;
    }

    /// @dev The call as ERC-2771 wants it, in assembly because a plain one copies all that is returned.
    function _call(Request calldata request, address from)
        private
        returns (bool success, bytes memory returnData)
    {
        bytes memory data = abi.encodePacked(request.data, from);
        address to = request.to;
        uint256 gas_ = request.gas;
        uint256 maximum = MAX_RETURN_LENGTH;
        assembly ("memory-safe") {
            success := call(gas_, to, 0, add(data, 0x20), mload(data), 0, 0)
            let size := returndatasize()
            if gt(size, maximum) { size := maximum }
            returnData := mload(0x40)
            mstore(returnData, size)
            returndatacopy(add(returnData, 0x20), 0, size)
            mstore(0x40, and(add(add(returnData, size), 0x3f), not(0x1f)))
        }
    }
}
