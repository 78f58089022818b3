// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {Vm} from "forge-std/Vm.sol";

import {IRelayForwarder} from "../../../src/IRelayForwarder.sol";
import {AliceHasAllRoles, Base, RelayerHasAllRoles} from "../../support/Base.sol";
import {Probe} from "../../support/Targets.sol";
import {Request, Requests, SignedRequest} from "../../support/Requests.sol";

contract RelayForwarderExecuteTest is Base {
    Probe internal probe;
    bytes internal remember = abi.encodeCall(Probe.remember, ());

    function setUp() public virtual override {
        super.setUp();
        probe = new Probe();
        _target(address(probe));
    }

    // Who

    function test_RevertWhen_TheCallerIsNoRelayer() external {
        address[4] memory callers = [stranger, owner, guardian, address(probe)];
        for (uint256 i; i < 4; ++i) {
            if (callers[i] != relayer) _refusesCaller(callers[i]);
        }
        vm.prank(owner);
        forwarder.setRelayer(relayer, false);
        _refusesCaller(relayer);
    }

    function test_RevertWhen_TheRelayerIsCalledByAnotherAccount() external {
        bytes memory batch = Requests.pack(_sign(_probing(remember), alice));
        address another = makeAddr("another relayer");
        vm.prank(owner);
        forwarder.setRelayer(another, true);
        address[5] memory callers = [stranger, owner, guardian, address(probe), another];
        for (uint256 i; i < 5; ++i) {
            if (callers[i] == relayer) continue;
            vm.prank(relayer, callers[i]);
            vm.expectRevert(_error(IRelayForwarder.NotPlainAccount.selector, relayer));
            forwarder.execute(batch);
        }
        assertEq(probe.calls(), 0, "calls");
    }

    function test_RevertGiven_ThePause() external {
        Request memory request = _probing(remember);
        vm.prank(guardian);
        forwarder.pause();
        _executeFails(_sign(request, alice), _error(Pausable.EnforcedPause.selector));
        vm.prank(owner);
        forwarder.unpause();
        _executes(request);
    }

    // Bounds

    function test_WhenTheDataOrTheGasAreAtABoundAndBeyondIt() external {
        assertEq(forwarder.MAX_DATA_LENGTH(), 1024, "maximum of the data");
        assertEq(forwarder.MAX_GAS(), 1_000_000, "maximum of the gas");
        uint256[5] memory beyond = [uint256(0), 1, 3, 1025, type(uint16).max];
        for (uint256 i; i < 5; ++i) {
            _refuses(_probing(_long(beyond[i])), IRelayForwarder.Status.OutOfBounds);
        }
        assertEq(remember.length, 4, "length of a selector alone");
        _executes(_probing(remember));
        Request memory request = _probing(_long(1024));
        request.gas = 1_000_000;
        _executes(request);
        request = _probing(remember);
        request.gas = 1_000_001;
        _refuses(request, IRelayForwarder.Status.OutOfBounds);
    }

    function test_WhenTheDeadlineIsAtABoundAndBeyondIt() external {
        assertEq(forwarder.MAX_DEADLINE_AHEAD(), 24 hours, "maximum");
        Request memory request = _probing(remember);
        request.deadline = uint40(block.timestamp - 1);
        _refuses(request, IRelayForwarder.Status.Expired);
        request.deadline = uint40(block.timestamp + 24 hours + 1);
        _refuses(request, IRelayForwarder.Status.DeadlineTooFar);
        request.deadline = type(uint40).max;
        _refuses(request, IRelayForwarder.Status.DeadlineTooFar);
        request.deadline = uint40(block.timestamp + 24 hours);
        _executes(request);
        request = _probing(remember);
        request.deadline = uint40(block.timestamp);
        _executes(request);
    }

    // Once

    function test_GivenTheIntentWasSpent() external {
        assertEq(forwarder.INTENT_LIFETIME(), 7 days, "lifetime");
        Request memory request = _probing(remember);
        uint256 spentAt = block.timestamp;
        _executes(request);
        _refuses(request, IRelayForwarder.Status.AlreadySpent);
        vm.warp(spentAt + 7 days - 1);
        request.deadline = uint40(block.timestamp + 1);
        _refuses(request, IRelayForwarder.Status.AlreadySpent);
        assertEq(_spentAt(request), spentAt, "when it was spent");
        vm.warp(spentAt + 7 days);
        _executes(request);
        assertEq(probe.calls(), 2, "calls");
    }

    // Signature

    function test_WhenAnotherAccountSigned() external {
        _refuses(_sign(_probing(remember), bob), IRelayForwarder.Status.BadSignature);
    }

    function test_WhenTheSignatureIsOfAnotherRequest() external {
        SignedRequest memory signed = _sign(_probing(remember), alice);
        Request memory request = _copy(signed.request);
        for (uint256 i; i < 5; ++i) {
            if (i == 0) request.from = bob.addr;
            if (i == 1) request.intentId = ~request.intentId;
            if (i == 2) request.gas += 1;
            if (i == 3) request.deadline += 1;
            if (i == 4) request.data = abi.encodePacked(remember, uint8(0));
            _refuses(SignedRequest(request, signed.signature), IRelayForwarder.Status.BadSignature);
            request = _copy(signed.request);
        }
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.Executed, "as it was signed");
    }

    function test_WhenTheSignatureRecoversNobody() external {
        Request memory request = _probing(remember);
        request.from = address(0);
        _refuses(SignedRequest(request, new bytes(64)), IRelayForwarder.Status.BadSignature);
    }

    // The batch

    function test_RevertWhen_TheBatchEndsWithinARequest() external {
        bytes memory whole = Requests.pack(_sign(_probing(abi.encodePacked(remember, "abc")), alice));
        for (uint256 length = 1; length < 2 * whole.length; ++length) {
            if (length == whole.length) continue;
            bytes memory part = abi.encodePacked(whole, whole);
            assembly {
                mstore(part, length)
            }
            vm.prank(relayer, relayer);
            vm.expectRevert(IRelayForwarder.MalformedBatch.selector);
            forwarder.execute(part);
        }
        assertEq(probe.calls(), 0, "calls");
    }

    function test_GivenMoreThanOneRefusal() external {
        Request memory request = _probing(remember);
        _executes(request);
        SignedRequest memory signed = SignedRequest(request, new bytes(64));

        request.deadline = 0;
        request.data = "";
        _refuses(signed, IRelayForwarder.Status.OutOfBounds);
        request.data = remember;
        _refuses(signed, IRelayForwarder.Status.AlreadySpent);
        request.intentId = ~request.intentId;
        _refuses(signed, IRelayForwarder.Status.Expired);
        request.deadline = type(uint40).max;
        _refuses(signed, IRelayForwarder.Status.DeadlineTooFar);
        request.deadline = uint40(block.timestamp);
        _refuses(signed, IRelayForwarder.Status.BadSignature);
        vm.prank(relayer, relayer);
        IRelayForwarder.Result[] memory results = forwarder.execute{gas: 100_000}(Requests.pack(signed));
        _assertStatus(results[0].status, IRelayForwarder.Status.BadSignature, "with little gas");
    }

    // Calls

    function test_WhenTheCallSucceeds() external {
        Request memory request = _probing(remember);
        vm.expectEmit();
        emit IRelayForwarder.RequestProcessed(request.intentId, alice.addr, IRelayForwarder.Status.Executed);
        _executes(request);

        Probe.Call memory call_ = probe.lastCall();
        assertEq(call_.signer, alice.addr, "signer");
        assertEq(call_.data, abi.encodePacked(remember, alice.addr), "data");
        assertLe(call_.gasAtStart, REQUEST_GAS, "gas");
        assertGt(call_.gasAtStart, REQUEST_GAS - 500, "gas before the first instructions");
        (uint256 timestamp, uint256 blockNumber) = forwarder.spentAt(alice.addr, request.intentId);
        assertEq(timestamp, block.timestamp, "when it was spent");
        assertEq(blockNumber, block.number, "in which block it was spent");
    }

    function test_WhenTheCallFails() external {
        SignedRequest memory signed = _sign(_probing(abi.encodeCall(Probe.fail, (36))), alice);
        bytes memory reason = abi.encodePacked(hex"abababab", bytes32(type(uint256).max / 0xff * 0xab));
        vm.expectEmit();
        emit IRelayForwarder.RequestFailed(signed.request.intentId, alice.addr, reason);
        IRelayForwarder.Result memory result = _execute(signed);
        _assertStatus(result.status, IRelayForwarder.Status.Failed, "status");
        assertEq(result.returnData, reason, "reason");
        assertEq(_spentAt(signed.request), block.timestamp, "when it was spent");
    }

    /// @dev What is returned is kept up to 256 bytes.
    function test_WhenTheCallReturnsOrRevertsWithAnyLength() external {
        assertEq(forwarder.MAX_RETURN_LENGTH(), 256, "maximum");
        uint256[5] memory lengths = [uint256(0), 1, 255, 256, 257];
        for (uint256 i; i < 5; ++i) {
            uint256 kept = lengths[i] < 256 ? lengths[i] : 256;
            bytes memory data = abi.encodeCall(Probe.give, (lengths[i]));
            _returns(data, IRelayForwarder.Status.Executed, kept);
            data = abi.encodeCall(Probe.fail, (lengths[i]));
            _returns(data, IRelayForwarder.Status.Failed, kept);
        }
    }

    // Gas

    function test_GivenTooLittleGasForTheFirstAndThenForTheSecond() external {
        SignedRequest[] memory requests = _many(3);
        vm.expectEmit();
        emit IRelayForwarder.RequestProcessed(
            requests[0].request.intentId, alice.addr, IRelayForwarder.Status.Skipped
        );
        IRelayForwarder.Result[] memory results = _executeWithGas(requests, 200_000);
        for (uint256 i; i < 3; ++i) {
            _assertStatus(results[i].status, IRelayForwarder.Status.Skipped, "status");
            assertEq(_spentAt(requests[i].request), 0, "when it was spent");
        }
        assertEq(probe.calls(), 0, "calls");

        // The third asks for little: it is skipped for the second's sake, since the order is kept.
        requests[2].request.gas = 1_000;
        requests[2] = _sign(requests[2].request, alice);
        results = _executeWithGas(requests, 330_000);
        _assertStatus(results[0].status, IRelayForwarder.Status.Executed, "first");
        _assertStatus(results[1].status, IRelayForwarder.Status.Skipped, "second");
        _assertStatus(results[2].status, IRelayForwarder.Status.Skipped, "third");
        assertEq(probe.calls(), 1, "calls");
        assertEq(_spentAt(requests[1].request), 0, "second spent");
        assertEq(_spentAt(requests[2].request), 0, "third spent");

        results = _execute(requests);
        _assertStatus(results[0].status, IRelayForwarder.Status.AlreadySpent, "first again");
        _assertStatus(results[1].status, IRelayForwarder.Status.Executed, "second again");
    }

    function test_WhenABatchHoldsEveryKind() external {
        assertEq(_execute(new SignedRequest[](0)).length, 0, "results of nothing");
        SignedRequest[] memory requests = _many(9);
        requests[1] = _sign(_probing(abi.encodeCall(Probe.fail, (3))), alice);
        requests[2].request.deadline = uint40(block.timestamp - 1);
        requests[3].request.deadline = uint40(block.timestamp + 2 days);
        requests[4].signature = requests[5].signature;
        requests[5] = requests[0];
        requests[6].request.data = new bytes(3_000);
        requests[7] = _sign(_probing(abi.encodeCall(Probe.burn, ())), alice);
        IRelayForwarder.Status[9] memory expected = [
            IRelayForwarder.Status.Executed,
            IRelayForwarder.Status.Failed,
            IRelayForwarder.Status.Expired,
            IRelayForwarder.Status.DeadlineTooFar,
            IRelayForwarder.Status.BadSignature,
            IRelayForwarder.Status.AlreadySpent,
            IRelayForwarder.Status.OutOfBounds,
            IRelayForwarder.Status.Failed,
            IRelayForwarder.Status.Executed
        ];

        vm.recordLogs();
        IRelayForwarder.Result[] memory results = _execute(requests);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(results.length, 9, "results");
        assertEq(logs.length, 9, "events");
        for (uint256 i; i < 9; ++i) {
            _assertStatus(results[i].status, expected[i], vm.toString(i));
            assertEq(logs[i].topics[1], bytes32(requests[i].request.intentId), "intent of the event");
            assertEq(logs[i].topics[2], bytes32(uint256(uint160(alice.addr))), "signer of the event");
            bool hasFailed = expected[i] == IRelayForwarder.Status.Failed;
            bytes memory data = hasFailed ? abi.encode(results[i].returnData) : abi.encode(expected[i]);
            assertEq(logs[i].data, data, "data of the event");
        }
        assertEq(probe.calls(), 2, "calls");
    }

    /// @dev Spent before the call, not after it.
    function test_WhenTheCallLooksItsIntentUp() external {
        Request memory request = _probing("");
        request.data = abi.encodeCall(Probe.see, (forwarder, alice.addr, request.intentId));
        _assertStatus(_execute(_sign(request, alice)).status, IRelayForwarder.Status.Executed, "status");
        assertEq(probe.seen(), block.timestamp, "spent when");
    }

    // Helpers

    function _probing(bytes memory data) private returns (Request memory request) {
        request = _request(alice.addr, data);
    }

    function _copy(Request memory request) private pure returns (Request memory) {
        return abi.decode(abi.encode(request), (Request));
    }

    function _long(uint256 length) private view returns (bytes memory data) {
        data = abi.encodePacked(remember, new bytes(length < 4 ? 0 : length - 4));
        assembly ("memory-safe") {
            mstore(data, length)
        }
    }

    function _many(uint256 count) private returns (SignedRequest[] memory requests) {
        requests = new SignedRequest[](count);
        for (uint256 i; i < count; ++i) {
            requests[i] = _sign(_probing(remember), alice);
        }
    }

    function _executeWithGas(SignedRequest[] memory requests, uint256 gas_)
        private
        returns (IRelayForwarder.Result[] memory)
    {
        vm.prank(relayer, relayer);
        return forwarder.execute{gas: gas_}(Requests.pack(requests));
    }

    function _refusesCaller(address caller) private {
        bytes memory batch = Requests.pack(_sign(_probing(remember), alice));
        vm.prank(caller, caller);
        vm.expectRevert(_error(IRelayForwarder.NotRelayer.selector, caller));
        forwarder.execute(batch);
        assertEq(probe.calls(), 0, "calls");
    }

    function _executes(Request memory request) private {
        uint256 before = probe.calls();
        _assertStatus(_execute(_sign(request, alice)).status, IRelayForwarder.Status.Executed, "status");
        assertEq(probe.calls(), before + 1, "calls");
        assertEq(_spentAt(request), block.timestamp, "when it was spent");
    }

    function _refuses(Request memory request, IRelayForwarder.Status status) private {
        _refuses(_sign(request, alice), status);
    }

    function _refuses(SignedRequest memory signed, IRelayForwarder.Status status) private {
        uint256 spentBefore = _spentAt(signed.request);
        uint256 callsBefore = probe.calls();
        vm.expectEmit();
        emit IRelayForwarder.RequestProcessed(signed.request.intentId, signed.request.from, status);
        IRelayForwarder.Result memory result = _execute(signed);
        _assertStatus(result.status, status, "status");
        assertEq(result.returnData, "", "return data");
        assertEq(_spentAt(signed.request), spentBefore, "when it was spent");
        assertEq(probe.calls(), callsBefore, "calls");
    }

    function _returns(bytes memory data, IRelayForwarder.Status status, uint256 length) private {
        IRelayForwarder.Result memory result = _execute(_sign(_probing(data), alice));
        _assertStatus(result.status, status, "status");
        assertEq(result.returnData.length, length, "length of the return data");
        for (uint256 i; i < length; ++i) {
            assertEq(result.returnData[i], bytes1(0xab), "return data");
        }
    }
}

contract RelayForwarderExecuteWithAllRolesTest is RelayForwarderExecuteTest, AliceHasAllRoles {}

contract RelayForwarderExecuteByAllRolesTest is RelayForwarderExecuteTest, RelayerHasAllRoles {}

/// @notice No check is spared to a signer who may be called.
contract RelayForwarderExecuteForATargetTest is RelayForwarderExecuteTest {
    function setUp() public override {
        super.setUp();
        probe = Probe(alice.addr);
        vm.etch(alice.addr, type(Probe).runtimeCode);
        _target(alice.addr);
    }
}
