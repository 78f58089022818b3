// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Test} from "forge-std/Test.sol";

import {Probe} from "../support/Targets.sol";
import {RelayerHandler} from "./handlers/RelayerHandler.sol";
import {Store} from "./stores/Store.sol";
import {Setups} from "../support/Setups.sol";
import {DeployedForwarder, DeployedLoan, Deployments} from "../support/Deployments.sol";

/// @notice See README.md in this folder for each in prose.
contract RelayForwarderInvariantTest is Test {
    DeployedForwarder internal forwarder;
    Probe internal probe;
    Store internal store;

    function setUp() external {
        address owner = makeAddr("owner");
        store = new Store();
        vm.warp(store.timestamp());
        vm.chainId(31);
        forwarder = Deployments.forwarder(owner, address(0));
        probe = new Probe();
        DeployedLoan loan = Deployments.loan(Setups.wide(address(forwarder), owner, 0.1 ether, 1 ether));
        vm.startPrank(owner);
        forwarder.setRelayer(makeAddr("relayer"), true);
        forwarder.setTarget(address(probe), true);
        vm.stopPrank();
        targetContract(address(new RelayerHandler(loan, forwarder, store, probe)));
    }

    /// @dev One campaign for all of them, as in `MicroLoan.t.sol`.
    function invariant_AllHold() external view {
        invariant_AnIntentExecutesAtMostOnceInItsWindow();
        invariant_SpentIsExecuted();
        invariant_ASignedRequestExecutesAtMostOnce();
        invariant_OnlyWhatWasSignedIsCalled();
    }

    function invariant_AnIntentExecutesAtMostOnceInItsWindow() internal view {
        assertEq(store.executedWithinWindow(), 0, "executions within a window");
    }

    /// @dev After a call, of what it executed: all that there is would be nearly all of a campaign's time.
    function invariant_SpentIsExecuted() internal view {
        (address[] memory signers, bytes32[] memory intents) = store.lastExecuted();
        for (uint256 i; i < signers.length; ++i) {
            _assertSpentIsExecuted(signers[i], intents[i]);
        }
    }

    /// @dev And of all at the end, so that no call has touched what is another's.
    function afterInvariant() external view {
        bytes32[] memory intents = store.intents();
        for (uint256 i; i < intents.length; ++i) {
            for (uint256 j; j < store.PHONES(); ++j) {
                _assertSpentIsExecuted(store.account(j), intents[i]);
            }
        }
    }

    function _assertSpentIsExecuted(address signer, bytes32 intent) private view {
        (uint64 spentAt,) = forwarder.spentAt(signer, intent);
        assertEq(spentAt, store.lastExecutedAt(signer, intent), "when it was spent");
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
