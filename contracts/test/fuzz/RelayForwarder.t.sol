// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {Deployments} from "../support/Deployments.sol";
import {Probe} from "../support/Targets.sol";
import {Request, Requests, SignedRequest} from "../support/Requests.sol";

contract RelayForwarderFuzzTest is Base {
    Probe internal probe;

    function setUp() public override {
        super.setUp();
        probe = new Probe();
        _target(address(probe));
    }

    function testFuzz_TheTargetSeesTheSignerAndTheData(uint256 key, bytes memory rest) external {
        Vm.Wallet memory signer = vm.createWallet(boundPrivateKey(key));
        if (rest.length > 200) assembly { mstore(rest, 200) }
        bytes memory data = abi.encodePacked(Probe.remember.selector, rest);
        Request memory request = _probing(data);
        request.from = signer.addr;
        request.gas = 400_000;
        IRelayForwarder.Result memory result = _execute(_sign(request, signer));
        _assertStatus(result.status, IRelayForwarder.Status.Executed, "status");
        assertEq(probe.lastCall().signer, signer.addr, "signer");
        assertEq(probe.lastCall().data, abi.encodePacked(data, signer.addr), "data");
    }

    function testFuzz_OnlyRelayersExecute(address caller) external {
        vm.assume(caller != relayer);
        SignedRequest[] memory requests = _batch(_remembering());
        vm.prank(caller);
        vm.expectRevert(_error(IRelayForwarder.NotRelayer.selector, caller));
        forwarder.execute(Requests.pack(requests));
    }

    function testFuzz_AnyFlippedBitOfASignatureIsRefused(uint256 bit) external {
        SignedRequest memory signed = _remembering();
        bit = bound(bit, 0, 64 * 8 - 1);
        signed.signature[bit / 8] ^= bytes1(uint8(1 << (bit % 8)));
        _refuses(signed, IRelayForwarder.Status.BadSignature);
    }

    function testFuzz_AnySignatureOfSomebodyElseIsRefused(uint256 key) external {
        Vm.Wallet memory other = vm.createWallet(boundPrivateKey(key));
        vm.assume(other.addr != alice.addr);
        _refuses(
            _sign(_probing(abi.encodeCall(Probe.remember, ())), other), IRelayForwarder.Status.BadSignature
        );
    }

    function testFuzz_NoRequestIsAnothers(Request memory other) external {
        SignedRequest memory signed = _remembering();
        // Within what is looked at before the signature, and in at least one member different.
        other.gas = uint32(bound(other.gas, 0, 1_000_000));
        other.deadline = uint40(bound(other.deadline, block.timestamp, block.timestamp + 24 hours));
        other.data = abi.encodePacked(Probe.remember.selector, other.intentId);
        signed.request = other;
        _refuses(signed, IRelayForwarder.Status.BadSignature);
    }

    function testFuzz_DeadlineIsKept(uint64 deadline, uint64 delay) external {
        Request memory request = _probing(abi.encodeCall(Probe.remember, ()));
        uint256 start = block.timestamp;
        request.deadline = uint40(bound(deadline, start - 1 days, start + 4 days));
        SignedRequest memory signed = _sign(request, alice);
        vm.warp(start + bound(delay, 0, 4 days));
        IRelayForwarder.Status expected = IRelayForwarder.Status.Executed;
        if (request.deadline < block.timestamp) expected = IRelayForwarder.Status.Expired;
        if (request.deadline > block.timestamp + 24 hours) expected = IRelayForwarder.Status.DeadlineTooFar;
        _assertStatus(_execute(signed).status, expected, "status");
        bool spent = _spentAt(request) != 0;
        assertEq(spent, expected == IRelayForwarder.Status.Executed, "spent");
    }

    function testFuzz_IntentIsRefusedFor7Days(uint64 delay, bool fails) external {
        bytes memory data = fails ? abi.encodeCall(Probe.fail, (0)) : abi.encodeCall(Probe.remember, ());
        Request memory request = _probing(data);
        _execute(_sign(request, alice));
        uint256 spentAt = block.timestamp;
        delay = uint64(bound(delay, 0, 14 days));
        vm.warp(spentAt + delay);
        request.deadline = uint40(block.timestamp + 1);
        request.data = abi.encodeCall(Probe.remember, ());
        IRelayForwarder.Result memory result = _execute(_sign(request, alice));
        _assertStatus(
            result.status,
            delay < 7 days ? IRelayForwarder.Status.AlreadySpent : IRelayForwarder.Status.Executed,
            "status"
        );
        assertEq(_spentAt(request), delay < 7 days ? spentAt : block.timestamp, "when spent");
    }

    /// @dev Whatever gas a relayer sends along: all of the signed gas, or nothing happened.
    function testFuzz_CallGetsAllOfItsGasOrNothingHappens(uint32 signedGas, uint256 sentGas, uint8 length)
        external
    {
        bytes memory data = abi.encodePacked(Probe.weigh.selector, new bytes(length));
        Request memory request = _probing(data);
        request.gas = uint32(bound(signedGas, 3_000, 1_000_000));
        SignedRequest[] memory requests = _batch(_sign(request, alice));
        uint256 needed = forwarder.gasNeeded(request.gas, 0);
        // Around the edge, where it is decided.
        sentGas = bound(sentGas, needed - 30_000, needed + 30_000);

        vm.prank(relayer, relayer);
        try forwarder.execute{gas: sentGas}(Requests.pack(requests)) returns (
            IRelayForwarder.Result[] memory results
        ) {
            if (results[0].status == IRelayForwarder.Status.Executed) {
                assertGt(probe.weight() + 500, request.gas, "gas at the start of the call");
                return;
            }
            _assertStatus(results[0].status, IRelayForwarder.Status.Skipped, "status");
        } catch {}
        assertEq(_spentAt(request), 0, "when it was spent");
        assertEq(probe.weight(), 0, "gas without a call");
    }

    function testFuzz_ReturnDataAreCut(uint16 length, bool fails) external {
        length = uint16(bound(length, 0, 2_000));
        bytes memory data =
            fails ? abi.encodeCall(Probe.fail, (length)) : abi.encodeCall(Probe.give, (length));
        Request memory request = _probing(data);
        request.gas = 1_000_000;
        IRelayForwarder.Result memory result = _execute(_sign(request, alice));
        _assertStatus(
            result.status, fails ? IRelayForwarder.Status.Failed : IRelayForwarder.Status.Executed, "status"
        );
        assertEq(result.returnData.length, length < 256 ? length : 256, "length");
    }

    /// @dev Each request of a batch is judged as if it were alone.
    function testFuzz_NoRequestHarmsAnother(uint8[10] memory kinds) external {
        SignedRequest[] memory requests = new SignedRequest[](10);
        IRelayForwarder.Status[] memory expected = new IRelayForwarder.Status[](10);
        uint256 executed;
        for (uint256 i; i < 10; ++i) {
            (requests[i], expected[i]) = _ofKind(kinds[i] % 6);
            if (expected[i] == IRelayForwarder.Status.Executed) ++executed;
        }
        IRelayForwarder.Result[] memory results = _execute(requests);
        for (uint256 i; i < 10; ++i) {
            _assertStatus(results[i].status, expected[i], "status");
            bool spent = _spentAt(requests[i].request) != 0;
            assertEq(spent, uint256(expected[i]) < 2, "spent");
        }
        assertEq(probe.calls(), executed, "calls");
    }

    function testFuzz_SignatureIsOfOneChain(uint64 chainId) external {
        vm.assume(chainId != 31 && chainId != 0);
        SignedRequest memory signed = _remembering();
        vm.chainId(chainId);
        _refuses(signed, IRelayForwarder.Status.BadSignature);
        vm.chainId(31);
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.Executed, "on its own chain");
    }

    function testFuzz_SignatureIsOfOneForwarder(bytes32 salt) external {
        SignedRequest memory signed = _remembering();
        forwarder = Deployments.saltedForwarder(owner, guardian, relayer, address(probe), salt);
        _refuses(signed, IRelayForwarder.Status.BadSignature);
    }

    function testFuzz_GasNeededCoversTheCall(uint32 requestGas, uint8 following) external view {
        requestGas = uint32(bound(requestGas, 0, 1_000_000));
        uint256 left = forwarder.gasNeeded(requestGas, following) - 45_000 - uint256(following) * 35_000;
        assertGe(left - left / 64, requestGas, "63/64 of it");
        if (left != 0) assertLt(left - 1 - (left - 1) / 64, uint256(requestGas) + 1, "and no more");
    }

    function _probing(bytes memory data) private returns (Request memory request) {
        request = _request(alice.addr, data);
    }

    function _remembering() private returns (SignedRequest memory) {
        return _sign(_probing(abi.encodeCall(Probe.remember, ())), alice);
    }

    function _ofKind(uint256 kind)
        private
        returns (SignedRequest memory signed, IRelayForwarder.Status status)
    {
        signed = _remembering();
        if (kind == 0) return (signed, IRelayForwarder.Status.Executed);
        Request memory request = signed.request;
        if (kind == 1) {
            request.data = abi.encodeCall(Probe.fail, (64));
            status = IRelayForwarder.Status.Failed;
        } else if (kind == 2) {
            request.deadline = uint40(block.timestamp - 1);
            status = IRelayForwarder.Status.Expired;
        } else if (kind == 3) {
            request.deadline = uint40(block.timestamp + 1 days + 1);
            status = IRelayForwarder.Status.DeadlineTooFar;
        } else if (kind == 4) {
            request.data = "";
            status = IRelayForwarder.Status.OutOfBounds;
        } else {
            return (_sign(request, bob), IRelayForwarder.Status.BadSignature);
        }
        signed = _sign(request, alice);
    }

    function _refuses(SignedRequest memory signed, IRelayForwarder.Status status) private {
        _assertStatus(_execute(signed).status, status, "status");
        assertEq(_spentAt(signed.request), 0, "when it was spent");
        assertEq(probe.calls(), 0, "calls");
    }
}
