// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";

/// @notice Signs requests as a phone's account does. Written from EIP-712, not from the forwarder's code.
library Requests {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function digest(IRelayForwarder.Request memory request, address forwarder)
        internal
        view
        returns (bytes32)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("RelayForwarder"),
                keccak256("1"),
                block.chainid,
                forwarder
            )
        );
        bytes32 message = keccak256(
            abi.encode(
                keccak256(
                    "Request(address from,address to,bytes32 intentId,uint64 gas,uint64 deadline,bytes data)"
                ),
                request.from,
                request.to,
                request.intentId,
                request.gas,
                request.deadline,
                keccak256(request.data)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, message));
    }

    function sign(IRelayForwarder.Request memory request, uint256 key, address forwarder)
        internal
        view
        returns (IRelayForwarder.SignedRequest memory)
    {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest(request, forwarder));
        return IRelayForwarder.SignedRequest({request: request, signature: abi.encodePacked(r, s, v)});
    }
}
