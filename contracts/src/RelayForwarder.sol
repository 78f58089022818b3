// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

import {Guarded} from "./Guarded.sol";
import {IRelayForwarder} from "./IRelayForwarder.sol";
import {SpentMarks} from "./SpentMarks.sol";

/// @title RelayForwarder
/// @notice See {IRelayForwarder}, which says all there is to know before calling this.
contract RelayForwarder is IRelayForwarder, EIP712, Guarded {
    using SpentMarks for SpentMarks.Marks;

    /// @dev A request as it was read from a batch.
    struct Request {
        address from;
        bytes22 intentId;
        uint256 deadline;
        uint256 gas;
        /// The call as ERC-2771 wants it: the data, and then the signer.
        bytes call;
        bytes32 r;
        /// The signature's s, and above it the parity of y (EIP-2098).
        bytes32 vs;
        /// Whether the call is too short or too long.
        bool isOutOfBounds;
    }

    /// @inheritdoc IRelayForwarder
    uint256 public constant INTENT_LIFETIME = SpentMarks.LIFETIME;

    /// @inheritdoc IRelayForwarder
    uint256 public constant MAX_DEADLINE_AHEAD = 24 hours;

    /// @inheritdoc IRelayForwarder
    uint256 public constant MAX_GAS = 1_000_000;

    /// @inheritdoc IRelayForwarder
    uint256 public constant MAX_DATA_LENGTH = 1024;

    /// @inheritdoc IRelayForwarder
    uint256 public constant MAX_RETURN_LENGTH = 256;

    bytes32 private constant REQUEST_TYPEHASH =
        keccak256("Request(address from,bytes22 intentId,uint40 deadline,uint32 gas,bytes data)");

    /// @dev A call without a selector would let the appended address be read as one.
    uint256 private constant MIN_DATA_LENGTH = 4;

    /// @dev A request without its data: 20 + 22 + 5 + 4 + 2 bytes before them, 64 of signature
    /// behind.
    uint256 private constant HEAD_LENGTH = 53;
    uint256 private constant FRAME_LENGTH = 117;

    /// @dev Spending the id, making up the call, its access cost, and reporting the result.
    uint256 private constant CALL_OVERHEAD = 45_000;

    /// @dev Judging a request that will not be executed, with 9 words of marks to read, and
    /// reporting that.
    uint256 private constant REQUEST_OVERHEAD = 35_000;

    /// @inheritdoc IRelayForwarder
    address public immutable target;

    /// @inheritdoc IRelayForwarder
    mapping(address account => bool) public isRelayer;

    mapping(address signer => SpentMarks.Marks) private _marks;

    /// @param relayers May execute from the start.
    /// @param target_ What requests call, for good. It may be deployed after this one, which its
    /// own constructor names.
    constructor(address initialOwner, address initialGuardian, address[] memory relayers, address target_)
        EIP712("RelayForwarder", "1")
        Guarded(initialOwner, initialGuardian)
    {
        if (target_ == address(0) || target_ == address(this)) revert InvalidTarget(target_);
        target = target_;
        for (uint256 i; i < relayers.length; ++i) {
            _setRelayer(relayers[i], true);
        }
    }

    /// @inheritdoc IRelayForwarder
    function execute(bytes calldata batch) external whenNotPaused returns (Result[] memory results) {
        if (!isRelayer[msg.sender]) revert NotRelayer(msg.sender);
        // Code could have itself called so deep that RSKj lets every inner call fail. An account
        // that sends a transaction has code where it delegates (EIP-7702).
        if (msg.sender != tx.origin || msg.sender.code.length != 0) revert NotPlainAccount(msg.sender);

        uint256 count = _countIn(batch);
        results = new Result[](count);
        bytes32 domain = _domainSeparatorV4();
        Request memory request;
        request.call = new bytes(MAX_DATA_LENGTH + 20);
        bool skipping;
        for (uint256 i; i < count;) {
            batch = _read(batch, request);
            Result memory result = results[i++];
            if (skipping) result.status = Status.Skipped;
            else skipping = _execute(request, domain, count - i, result);
            if (result.status == Status.Failed) {
                emit RequestFailed(request.intentId, request.from, result.returnData);
            } else {
                emit RequestProcessed(request.intentId, request.from, result.status);
            }
        }
    }

    /// @inheritdoc IRelayForwarder
    function setRelayer(address relayer, bool allowed) external onlyOwner {
        _setRelayer(relayer, allowed);
    }

    /// @inheritdoc IRelayForwarder
    function spentAt(address signer, bytes22 intentId)
        external
        view
        returns (uint256 timestamp, uint256 blockNumber)
    {
        return _marks[signer].find(intentId);
    }

    /// @inheritdoc IRelayForwarder
    function gasNeeded(uint32 requestGas, uint32 following) public pure returns (uint256) {
        unchecked {
            // A call gets at most 63/64 of what is left (EIP-150), silently less than what was
            // asked for.
            return CALL_OVERHEAD + (uint256(requestGas) * 64 + 62) / 63 + following * REQUEST_OVERHEAD;
        }
    }

    function _setRelayer(address relayer, bool allowed) private {
        isRelayer[relayer] = allowed;
        emit RelayerSet(relayer, allowed);
    }

    /// @dev Executes a request if nothing stands against it, and says whether too little gas is
    /// left for that.
    function _execute(Request memory request, bytes32 domain, uint256 following, Result memory result)
        private
        returns (bool isSkipped)
    {
        (Status refusal, uint256 place) = _judge(request, domain);
        if (refusal != Status.Executed) {
            result.status = refusal;
        } else if (gasleft() < gasNeeded(uint32(request.gas), uint32(following))) {
            result.status = Status.Skipped;
            return true;
        } else {
            // Spent before the call, so that nothing the call does can execute it again.
            SpentMarks.put(place, request.intentId);
            if (!_call(request, result)) result.status = Status.Failed;
        }
    }

    /// @dev `Executed` if nothing stands against it, and the place of its mark. Bounds come first,
    /// so that the rest is cheap.
    function _judge(Request memory request, bytes32 domain) private view returns (Status, uint256 place) {
        if (request.isOutOfBounds || request.gas > MAX_GAS) return (Status.OutOfBounds, 0);
        place = _marks[request.from].placeFor(request.intentId);
        if (place == 0) return (Status.AlreadySpent, 0);
        uint256 deadline = request.deadline;
        if (block.timestamp > deadline) return (Status.Expired, 0);
        if (deadline > block.timestamp + MAX_DEADLINE_AHEAD) return (Status.DeadlineTooFar, 0);
        bytes32 digest = MessageHashUtils.toTypedDataHash(domain, _hash(request));
        (address signer, ECDSA.RecoverError failure,) = ECDSA.tryRecover(digest, request.r, request.vs);
        bool isSigned = failure == ECDSA.RecoverError.NoError && signer == request.from;
        return (isSigned ? Status.Executed : Status.BadSignature, place);
    }

    function _hash(Request memory request) private pure returns (bytes32 hash) {
        bytes32 typehash = REQUEST_TYPEHASH;
        bytes memory input = request.call;
        assembly ("memory-safe") {
            // EIP-712's `encodeData`, behind all that is kept: the members stand in the order in
            // which they are signed.
            let free := mload(0x40)
            mstore(free, typehash)
            mcopy(add(free, 0x20), request, 0x80)
            mstore(add(free, 0xa0), keccak256(add(input, 0x20), sub(mload(input), 20)))
            hash := keccak256(free, 0xc0)
        }
    }

    /// @dev In assembly because a plain call copies all that is returned.
    function _call(Request memory request, Result memory result) private returns (bool success) {
        bytes memory input = request.call;
        address to = target;
        uint256 gas_ = request.gas;
        uint256 maximum = MAX_RETURN_LENGTH;
        bytes memory returnData;
        uint256 size;
        assembly ("memory-safe") {
            success := call(gas_, to, 0, add(input, 0x20), mload(input), 0, 0)
            size := returndatasize()
            if gt(size, maximum) { size := maximum }
        }
        if (size == 0) return success;
        assembly ("memory-safe") {
            returnData := mload(0x40)
            mstore(returnData, size)
            returndatacopy(add(returnData, 0x20), 0, size)
            mstore(0x40, and(add(add(returnData, size), 0x3f), not(0x1f)))
        }
        result.returnData = returnData;
    }

    /// @dev How many requests there are, which end where the batch does.
    function _countIn(bytes calldata batch) private pure returns (uint256 count) {
        uint256 left = batch.length;
        uint256 at;
        assembly ("memory-safe") {
            at := batch.offset
        }
        for (; left != 0; ++count) {
            uint256 length;
            assembly ("memory-safe") {
                length := shr(240, calldataload(add(at, 51)))
            }
            // What is too short for a frame is shorter than any request, whatever is read behind
            // its end.
            length += FRAME_LENGTH;
            if (left < length) revert MalformedBatch();
            unchecked {
                (at, left) = (at + length, left - length);
            }
        }
    }

    /// @dev Reads the first request of a batch, whose bounds were checked, over the one before, and
    /// gives back the rest.
    function _read(bytes calldata batch, Request memory request) private pure returns (bytes calldata rest) {
        address from = address(bytes20(batch));
        bytes memory input = request.call;
        bytes32 head;
        uint256 length;
        assembly ("memory-safe") {
            head := calldataload(add(batch.offset, 20))
            length := shr(240, calldataload(add(batch.offset, 51)))
        }
        bool isOutOfBounds = length < MIN_DATA_LENGTH || length > MAX_DATA_LENGTH;
        (request.from, request.intentId, request.isOutOfBounds) = (from, bytes22(head), isOutOfBounds);
        (request.deadline, request.gas) = (uint40(uint256(head) >> 40), uint32(uint256(head) >> 8));
        bytes32 r;
        bytes32 vs;
        assembly ("memory-safe") {
            let at := add(batch.offset, HEAD_LENGTH)
            if iszero(isOutOfBounds) {
                mstore(input, add(length, 20))
                calldatacopy(add(input, 0x20), at, length)
                mstore(add(add(input, 0x20), length), shl(96, from))
            }
            at := add(at, length)
            r := calldataload(at)
            vs := calldataload(add(at, 0x20))
            rest.offset := add(at, 0x40)
            rest.length := sub(batch.length, add(length, FRAME_LENGTH))
        }
        (request.r, request.vs) = (r, vs);
    }
}
