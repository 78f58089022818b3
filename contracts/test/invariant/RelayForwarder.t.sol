// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Test} from "forge-std/Test.sol";

import {Probe} from "../support/Targets.sol";
import {RelayerHandler} from "./handlers/RelayerHandler.sol";
import {Store} from "./stores/Store.sol";
import {DeployedForwarder, DeployedLoan, Deployments, Setups} from "../support/Deployments.sol";

/// @notice See README.md in this folder for each in prose.
contract RelayForwarderInvariantTest is Test {
    DeployedForwarder internal forwarder;
    Probe internal probe;
    Store internal store;

    function setUp() external {
        address owner = makeAddr("owner");
        store = new Store(1 ether);
        vm.warp(store.timestamp());
        vm.chainId(31);
        probe = new Probe();
        forwarder = Deployments.forwarder(owner, address(0), makeAddr("relayer"), address(probe));
        DeployedLoan loan = Deployments.loan(Setups.wide(address(forwarder), owner, 0.1 ether, 1 ether));
        targetContract(address(new RelayerHandler(loan, forwarder, store, probe)));
    }

    /// @dev One campaign for all of them, as in `MicroLoan.t.sol`.
    function invariant_AllHold() external {
        invariant_AnIntentExecutesAtMostOnceInItsWindow();
        invariant_SpentIsExecuted();
        invariant_ASignedRequestExecutesAtMostOnce();
        invariant_OnlyWhatWasSignedIsCalled();
    }

    function invariant_AnIntentExecutesAtMostOnceInItsWindow() internal view {
        assertEq(store.executedWithinWindow(), 0, "executions within a window");
    }

    /// @dev After a call, of what it executed: all that there is would be nearly all of a
    /// campaign's time.
    function invariant_SpentIsExecuted() internal {
        vm.warp(store.timestamp());
        (address[] memory signers, bytes22[] memory intents) = store.lastExecuted();
        for (uint256 i; i < signers.length; ++i) {
            _assertSpentIsExecuted(signers[i], intents[i]);
        }
    }

    /// @dev And of all at the end, so that no call has touched what is another's.
    function afterInvariant() external {
        vm.warp(store.timestamp());
        bytes22[] memory intents = store.intents();
        for (uint256 i; i < intents.length; ++i) {
            for (uint256 j; j < store.PHONES(); ++j) {
                _assertSpentIsExecuted(store.account(j), intents[i]);
            }
        }
    }

    function _assertSpentIsExecuted(address signer, bytes22 intent) private view {
        (uint256 spentAt,) = forwarder.spentAt(signer, intent);
        uint256 last = store.lastExecutedAt(signer, intent);
        assertEq(spentAt, last + 7 days > store.timestamp() ? last : 0, "when it was spent");
    }

    function invariant_ASignedRequestExecutesAtMostOnce() internal view {
        assertEq(store.executedTwice(), 0, "signed requests executed twice");
    }

    function invariant_OnlyWhatWasSignedIsCalled() internal view {
        assertEq(probe.counted(), store.successes(), "calls");
        for (uint256 i; i < store.PHONES(); ++i) {
            address signer = store.account(i);
            assertEq(probe.countOf(signer), store.successesOf(signer), "calls for a signer");
        }
    }
}
