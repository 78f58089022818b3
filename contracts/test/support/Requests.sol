// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";

/// @notice What a phone's account signs.
struct Request {
    address from;
    bytes22 intentId;
    uint40 deadline;
    uint32 gas;
    bytes data;
}

struct SignedRequest {
    Request request;
    /// 64 bytes (EIP-2098) where a test does not break them.
    bytes signature;
}

/// @notice Signs and packs requests as a phone and a relay do. Written from EIP-712 and the
/// interface's words, not from the forwarder's code.
library Requests {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function digest(Request memory request, address forwarder) internal view returns (bytes32) {
        string memory fields =
            "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
        bytes32 name = keccak256("RelayForwarder");
        bytes32 domain =
            keccak256(abi.encode(keccak256(bytes(fields)), name, keccak256("1"), block.chainid, forwarder));
        bytes memory message = abi.encode(
            keccak256("Request(address from,bytes22 intentId,uint40 deadline,uint32 gas,bytes data)"),
            request.from,
            request.intentId,
            request.deadline,
            request.gas,
            keccak256(request.data)
        );
        return keccak256(abi.encodePacked(hex"1901", domain, keccak256(message)));
    }

    function sign(Request memory request, uint256 key, address forwarder)
        internal
        view
        returns (SignedRequest memory)
    {
        (bytes32 r, bytes32 vs) = vm.signCompact(key, digest(request, forwarder));
        return SignedRequest(request, abi.encodePacked(r, vs));
    }

    /// @dev Calldata of `execute`.
    function pack(SignedRequest[] memory requests) internal pure returns (bytes memory batch) {
        for (uint256 i; i < requests.length; ++i) {
            batch = abi.encodePacked(batch, pack(requests[i]));
        }
    }

    function pack(SignedRequest memory signed) internal pure returns (bytes memory) {
        Request memory request = signed.request;
        return abi.encodePacked(
            request.from,
            request.intentId,
            request.deadline,
            request.gas,
            uint16(request.data.length),
            request.data,
            signed.signature
        );
    }

    /// @dev What a forwarder makes of a request whose intent is spent or not: `Executed` where it
    /// calls, however that ends.
    function judge(SignedRequest memory signed, bool isSpent, address forwarder)
        internal
        view
        returns (IRelayForwarder.Status)
    {
        Request memory request = signed.request;
        uint256 length = request.data.length;
        if (length < 4 || length > 1024 || request.gas > 1_000_000) {
            return IRelayForwarder.Status.OutOfBounds;
        }
        if (isSpent) return IRelayForwarder.Status.AlreadySpent;
        if (request.deadline < block.timestamp) return IRelayForwarder.Status.Expired;
        if (request.deadline > block.timestamp + 24 hours) return IRelayForwarder.Status.DeadlineTooFar;
        (bytes32 r, uint256 vs) = abi.decode(signed.signature, (bytes32, uint256));
        uint8 v = uint8(27 + (vs >> 255));
        address signer = ecrecover(digest(request, forwarder), v, r, bytes32(vs << 1 >> 1));
        return signer == request.from && signer != address(0)
            ? IRelayForwarder.Status.Executed
            : IRelayForwarder.Status.BadSignature;
    }
}
