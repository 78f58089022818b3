// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {Request, Requests, SignedRequest} from "../support/Requests.sol";
import {Probe} from "../support/Targets.sol";

/// @notice Reads a batch by the words of the interface, slice by slice.
contract PlainDecoder {
    function read(bytes calldata batch)
        external
        pure
        returns (bool isWhole, SignedRequest[] memory requests)
    {
        requests = new SignedRequest[](batch.length / 117);
        uint256 count;
        while (batch.length != 0) {
            if (batch.length < 117) return (false, requests);
            uint256 end = 53 + uint16(bytes2(batch[51:53]));
            if (batch.length < end + 64) return (false, requests);
            requests[count++] = SignedRequest(
                Request({
                    from: address(bytes20(batch[:20])),
                    intentId: bytes22(batch[20:42]),
                    deadline: uint40(bytes5(batch[42:47])),
                    gas: uint32(bytes4(batch[47:51])),
                    data: batch[53:end]
                }),
                batch[end:end + 64]
            );
            batch = batch[end + 64:];
        }
        assembly ("memory-safe") {
            mstore(requests, count)
        }
        isWhole = true;
    }
}

contract BatchesFuzzTest is Base {
    Probe internal probe = new Probe();
    PlainDecoder internal decoder = new PlainDecoder();

    function setUp() public override {
        super.setUp();
        _target(address(probe));
    }

    function testFuzz_AnyBytesAreReadAsAPlainDecoderDoes(bytes memory batch) external {
        _compare(batch);
    }

    /// @dev Batches that are whole but for a byte, an end or a piece within: as near to good ones
    /// as can be.
    function testFuzz_BrokenBatchesAreReadAsAPlainDecoderDoes(
        bytes[4] memory datas,
        uint256 at,
        bytes1 byte_,
        uint256 cut,
        bytes memory piece
    ) external {
        bytes memory batch = _good(datas);
        if (at % 4 != 0) batch[at % batch.length] = byte_;
        if (cut % 4 == 0) {
            uint256 length = cut % (batch.length + 1);
            assembly ("memory-safe") {
                mstore(batch, length)
            }
        } else if (cut % 4 == 1) {
            batch = abi.encodePacked(batch, piece);
        }
        _compare(batch);
    }

    /// @dev Each bit of what is signed, and of the signature, is read; the target sees the signer
    /// and the data.
    function testFuzz_NoFlippedBitIsPassedOver(bytes memory rest, uint256 bit) external {
        if (rest.length > 1020) assembly ("memory-safe") { mstore(rest, 1020) }
        bytes memory data = abi.encodePacked(Probe.remember.selector, rest);
        Request memory request = _request(alice.addr, data);
        request.gas = 1_000_000;
        SignedRequest memory signed = _sign(request, alice);
        bytes memory batch = Requests.pack(signed);
        bit = bound(bit, 0, batch.length * 8 - 1);
        batch[bit / 8] ^= bytes1(uint8(1 << (bit % 8)));
        vm.prank(relayer, relayer);
        try forwarder.execute(batch) returns (IRelayForwarder.Result[] memory results) {
            for (uint256 i; i < results.length; ++i) {
                assertGt(uint256(results[i].status), 1, "executed");
            }
        } catch {}
        assertEq(probe.calls(), 0, "calls");
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.Executed, "as it was signed");
        assertEq(probe.lastCall().signer, alice.addr, "signer");
        assertEq(probe.lastCall().data, abi.encodePacked(data, alice.addr), "data");
    }

    /// @dev Whatever gas a relayer sends along: all of the signed gas, or nothing happened.
    function testFuzz_CallGetsAllOfItsGasOrNothingHappens(uint32 signedGas, uint256 sentGas, uint8 length)
        external
    {
        bytes memory data = abi.encodePacked(Probe.weigh.selector, new bytes(length));
        Request memory request = _request(alice.addr, data);
        request.gas = uint32(bound(signedGas, 3_000, 1_000_000));
        bytes memory batch = Requests.pack(_sign(request, alice));
        uint256 needed = forwarder.gasNeeded(request.gas, 0);
        // Around the edge, where it is decided.
        sentGas = bound(sentGas, needed - 30_000, needed + 30_000);

        vm.prank(relayer, relayer);
        try forwarder.execute{gas: sentGas}(batch) returns (IRelayForwarder.Result[] memory results) {
            if (results[0].status == IRelayForwarder.Status.Executed) {
                assertGt(probe.weight() + 500, request.gas, "gas at the start of the call");
                return;
            }
            _assertStatus(results[0].status, IRelayForwarder.Status.Skipped, "status");
        } catch {}
        assertEq(_spentAt(request), 0, "when it was spent");
        assertEq(probe.weight(), 0, "gas without a call");
    }

    function _good(bytes[4] memory datas) private returns (bytes memory) {
        SignedRequest[] memory requests = new SignedRequest[](4);
        for (uint256 i; i < 4; ++i) {
            bytes memory data = i % 2 == 0 ? abi.encodePacked(Probe.count.selector, datas[i]) : datas[i];
            requests[i] = _signed(i < 2 ? alice : bob, data);
        }
        return Requests.pack(requests);
    }

    function _compare(bytes memory batch) private {
        (bool isWhole, SignedRequest[] memory requests) = decoder.read(batch);
        if (!isWhole) {
            vm.prank(relayer, relayer);
            vm.expectRevert(IRelayForwarder.MalformedBatch.selector);
            forwarder.execute(batch);
            return;
        }
        assertEq(Requests.pack(requests), batch, "the decoder reads all of it");
        vm.recordLogs();
        vm.prank(relayer, relayer);
        IRelayForwarder.Result[] memory results = forwarder.execute(batch);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(results.length, requests.length, "results");
        assertEq(logs.length, requests.length, "events");
        for (uint256 i; i < requests.length; ++i) {
            Request memory request = requests[i].request;
            assertEq(logs[i].topics[1], bytes32(request.intentId), "intent of the event");
            assertEq(logs[i].topics[2], bytes32(uint256(uint160(request.from))), "signer of the event");
            // No intent comes twice here.
            IRelayForwarder.Status expected = Requests.judge(requests[i], false, address(forwarder));
            bool isCalled = expected == IRelayForwarder.Status.Executed;
            if (isCalled && results[i].status == IRelayForwarder.Status.Failed) continue;
            _assertStatus(results[i].status, expected, "status");
        }
    }
}
