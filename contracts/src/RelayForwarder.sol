// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

import {IRelayForwarder} from "./IRelayForwarder.sol";

/// @title RelayForwarder
/// @notice See {IRelayForwarder}, which says all there is to know before calling this.
contract RelayForwarder is IRelayForwarder, EIP712, Ownable2Step {
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

    /// @inheritdoc IRelayForwarder
    mapping(address account => bool) public isRelayer;

    /// @inheritdoc IRelayForwarder
    mapping(address account => bool) public isTarget;

    /// @inheritdoc IRelayForwarder
    mapping(bytes32 intentId => uint64) public spentAt;

    constructor(address initialOwner) EIP712("RelayForwarder", "1") Ownable(initialOwner) {}

    /// @inheritdoc IRelayForwarder
    function execute(SignedRequest[] calldata requests) external returns (Result[] memory results) {
        if (!isRelayer[msg.sender]) revert NotRelayer(msg.sender);

        uint256 count = requests.length;
        results = new Result[](count);
        bool skipping;
        for (uint256 i; i < count; ++i) {
            Request calldata request = requests[i].request;
            Result memory result = results[i];
            result.status = skipping ? Status.Skipped : _judge(request, requests[i].signature);
            if (result.status == Status.Executed) {
                if (gasleft() < gasNeeded(request.gas, count - i - 1)) {
                    skipping = true;
                    result.status = Status.Skipped;
                } else {
                    // Spent before the call, so that nothing the call does can execute it again.
                    spentAt[request.intentId] = uint64(block.timestamp);
                    bool success;
                    (success, result.returnData) = _call(request);
                    if (!success) result.status = Status.Failed;
                }
            }
            emit RequestProcessed(request.intentId, request.from, result.status, result.returnData);
        }
    }

    /// @inheritdoc IRelayForwarder
    function setRelayer(address relayer, bool allowed) external onlyOwner {
        isRelayer[relayer] = allowed;
        emit RelayerSet(relayer, allowed);
    }

    /// @inheritdoc IRelayForwarder
    function setTarget(address target, bool allowed) external onlyOwner {
        if (allowed && (target.code.length == 0 || target == address(this))) revert InvalidTarget(target);
        isTarget[target] = allowed;
        emit TargetSet(target, allowed);
    }

    /// @notice Always reverts with `OwnershipNotRenounceable`.
    function renounceOwnership() public pure override {
        revert OwnershipNotRenounceable();
    }

    /// @inheritdoc IRelayForwarder
    function gasNeeded(uint256 requestGas, uint256 following) public pure returns (uint256) {
        // A call gets at most 63/64 of what is left (EIP-150), silently less than what was asked for.
        return CALL_OVERHEAD + (requestGas * 64 + 62) / 63 + following * REQUEST_OVERHEAD;
    }

    /// @dev `Executed` if nothing stands against it. Bounds come first, so that the rest is cheap.
    function _judge(Request calldata request, bytes calldata signature) private view returns (Status) {
        uint256 length = request.data.length;
        if (length < MIN_DATA_LENGTH || length > MAX_DATA_LENGTH || request.gas > MAX_GAS) {
            return Status.OutOfBounds;
        }
        uint256 spent = spentAt[request.intentId];
        if (spent != 0 && block.timestamp < spent + INTENT_LIFETIME) return Status.AlreadySpent;
        if (block.timestamp > request.deadline) return Status.Expired;
        if (request.deadline > block.timestamp + MAX_DEADLINE_AHEAD) return Status.DeadlineTooFar;
        if (!isTarget[request.to]) return Status.DisallowedTarget;
        if (!_isSigned(request, signature)) return Status.BadSignature;
        return Status.Executed;
    }

    function _isSigned(Request calldata request, bytes calldata signature) private view returns (bool) {
        bytes32 digest = _hashTypedDataV4(
            keccak256(
                abi.encode(
                    REQUEST_TYPEHASH,
                    request.from,
                    request.to,
                    request.intentId,
                    request.gas,
                    request.deadline,
                    keccak256(request.data)
                )
            )
        );
        (address signer, ECDSA.RecoverError failure,) = ECDSA.tryRecoverCalldata(digest, signature);
        return failure == ECDSA.RecoverError.NoError && signer == request.from;
    }

    /// @dev The call as ERC-2771 wants it, in assembly because a plain one copies all that is returned.
    function _call(Request calldata request) private returns (bool success, bytes memory returnData) {
        bytes memory data = abi.encodePacked(request.data, request.from);
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
