// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRelayForwarder} from "../../../src/IRelayForwarder.sol";
import {Probe} from "../../support/Targets.sol";
import {Store} from "../stores/Store.sol";
import {Handler} from "./Handler.sol";
import {DeployedForwarder, DeployedLoan} from "../../support/Deployments.sol";
import {Request, Requests, SignedRequest} from "../../support/Requests.sol";

/// @notice Signs requests over a few intents, good and bad, keeps all of them, and executes any of
/// them at any time, in any company, with any gas. What should become of each is worked out from
/// the store alone.
contract RelayerHandler is Handler {
    uint256 internal constant INTENTS = 12;
    Probe internal immutable PROBE;

    constructor(DeployedLoan loan, DeployedForwarder forwarder, Store store, Probe probe)
        Handler(loan, forwarder, store)
    {
        PROBE = probe;
        for (uint256 i; i < INTENTS; ++i) {
            store.recordIntent(_intent(i));
        }
    }

    function sign(uint256 seed, uint256 deadline, uint256 fault) external {
        vm.warp(STORE.timestamp());
        // Few, so that their rows of marks run full.
        uint256 phone = seed % 2;
        bytes memory data =
            seed % 3 == 0 ? abi.encodeCall(Probe.fail, (seed % 300)) : abi.encodeCall(Probe.count, ());
        Request memory request = Request({
            from: STORE.account(phone),
            intentId: _intent(seed % INTENTS),
            gas: fault % 8 == 2 ? 1_000_001 : 100_000,
            deadline: uint40(block.timestamp + _uniform(deadline, 40 hours)),
            data: fault % 8 == 3 ? bytes("") : data
        });
        uint256 signer = fault % 8 == 4 ? (phone + 1) % STORE.PHONES() : phone;
        STORE.keep(Requests.sign(request, STORE.key(signer), address(FORWARDER)));
    }

    function execute(uint256[4] memory seeds, uint256 gas_) external {
        vm.warp(STORE.timestamp());
        uint256 count = STORE.signedCount();
        if (count == 0) return;
        SignedRequest[] memory requests = new SignedRequest[](4);
        for (uint256 i; i < 4; ++i) {
            requests[i] = STORE.signedAt(seeds[i] % count);
        }
        // A third of the batches gets too little gas for some or all of it.
        gas_ = gas_ % 3 == 0 ? bound(gas_, 150_000, 500_000) : 5_000_000;
        vm.prank(RELAYER, RELAYER);
        IRelayForwarder.Result[] memory results = FORWARDER.execute{gas: gas_}(Requests.pack(requests));

        STORE.recordBatch();
        bool skipping;
        for (uint256 i; i < 4; ++i) {
            skipping = skipping || results[i].status == IRelayForwarder.Status.Skipped;
            IRelayForwarder.Status expected =
                skipping ? IRelayForwarder.Status.Skipped : _expected(requests[i]);
            if (skipping) assertLt(gas_, 5_000_000, "skipped for want of gas");
            assertEq(uint256(results[i].status), uint256(expected), "status");
            if (uint256(expected) < 2) {
                STORE.recordExecution(requests[i], expected == IRelayForwarder.Status.Executed);
            }
        }
    }

    function executeAsAnotherCaller(uint256 seed) external {
        vm.warp(STORE.timestamp());
        uint256 count = STORE.signedCount();
        if (count == 0) return;
        bytes memory batch = Requests.pack(STORE.signedAt(seed % count));
        vm.prank(STORE.account(seed % STORE.ACCOUNTS()));
        (bool success,) = address(FORWARDER).call(abi.encodeCall(IRelayForwarder.execute, (batch)));
        assertFalse(success, "executed by no relayer");
    }

    function pass(uint256 seconds_) external {
        STORE.pass(_uniform(seconds_, 30 hours));
    }

    function _expected(SignedRequest memory signed) private view returns (IRelayForwarder.Status) {
        Request memory request = signed.request;
        uint256 last = STORE.lastExecutedAt(request.from, request.intentId);
        bool isSpent = last != 0 && block.timestamp < last + 7 days;
        IRelayForwarder.Status status = Requests.judge(signed, isSpent, address(FORWARDER));
        bool isCalled = status == IRelayForwarder.Status.Executed;
        return
            isCalled && bytes4(request.data) == Probe.fail.selector ? IRelayForwarder.Status.Failed : status;
    }

    function _intent(uint256 index) private pure returns (bytes22) {
        return bytes22(keccak256(abi.encode("kept intent", index)));
    }
}
