// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {IRelayForwarder} from "../../../src/IRelayForwarder.sol";
import {Base} from "../../support/Base.sol";
import {Request, Requests, SignedRequest} from "../../support/Requests.sol";
import {Probe} from "../../support/Targets.sol";

contract RelayForwarderGasNeededTest is Base {
    uint256 internal constant MOST = 5_000_000;
    Probe internal probe;

    function setUp() public override {
        super.setUp();
        probe = new Probe();
        _target(address(probe));
    }

    function test_WhenARequestAsksForGas() external view {
        assertEq(forwarder.gasNeeded(0, 0), 45_000, "none");
        assertEq(forwarder.gasNeeded(1, 0), 45_002, "one, rounded up");
        assertEq(forwarder.gasNeeded(63, 0), 45_064, "no rounding");
        assertEq(forwarder.gasNeeded(64, 0), 45_066, "rounded up");
        assertEq(forwarder.gasNeeded(1_000_000, 0), 45_000 + 1_015_874, "the maximum");
    }

    function test_WhenRequestsFollow() external view {
        assertEq(forwarder.gasNeeded(63, 1), 45_064 + 35_000, "one");
        assertEq(forwarder.gasNeeded(63, 19), 45_064 + 19 * 35_000, "nineteen");
    }

    /// @dev A call that uses up what it gets, with the longest data, so that nothing is left to
    /// spare.
    function test_GivenTheLeastGasWithWhichACallIsMade() external {
        for (uint256 marks; marks <= 8; marks = marks * 8 + (marks == 0 ? 1 : 0)) {
            _spend(marks);
            Request memory request = _request(alice.addr, _calling(Probe.weigh.selector));
            request.gas = 500_000;
            bytes memory batch = Requests.pack(_sign(request, alice));
            uint256 low = 100_000;
            uint256 high = 1_000_000;
            while (high - low > 1) {
                uint256 middle = (low + high) / 2;
                if (_statusWith(batch, middle) == IRelayForwarder.Status.Executed) high = middle;
                else low = middle;
            }
            _assertStatus(_statusWith(batch, low), IRelayForwarder.Status.Skipped, "one less");
            assertLt(high, 35_000 + forwarder.gasNeeded(request.gas, 0), "least gas");
            vm.cool(address(forwarder));
            vm.prank(relayer, relayer);
            forwarder.execute{gas: high}(batch);
            assertGt(probe.weight(), request.gas - 500, "gas at the start of the call");
        }
    }

    /// @dev The sum of contracts/README.md, but for the transaction's own cost, where every call
    /// takes all it gets.
    function test_GivenTheGasLimitThatIsSummedUp() external {
        for (uint256 marks; marks <= 8; marks += 4) {
            _spend(marks == 0 ? 0 : 4);
            for (uint256 count = 1; count <= 10; count += 3) {
                uint256 state = vm.snapshotState();
                SignedRequest[] memory requests = new SignedRequest[](count);
                uint256 limit;
                for (uint256 i; i < count; ++i) {
                    requests[i] = _sign(_request(alice.addr, _calling(Probe.burn.selector)), alice);
                    limit += 35_000 + forwarder.gasNeeded(REQUEST_GAS, 0);
                }
                vm.cool(address(forwarder));
                vm.prank(relayer, relayer);
                IRelayForwarder.Result[] memory results =
                    forwarder.execute{gas: limit}(Requests.pack(requests));
                for (uint256 i; i < count; ++i) {
                    _assertStatus(results[i].status, IRelayForwarder.Status.Failed, "executed");
                }
                vm.revertToStateAndDelete(state);
            }
        }
    }

    /// @dev The two overheads, on their own: what follows is judged for less than is kept back for
    /// it, and what stands around a call takes less than is kept back for that, with no mark, one,
    /// and a full row.
    function test_GivenTheDearestOfEachKind() external {
        Vm.Wallet[3] memory signers = [alice, bob, carol];
        uint256[3] memory marks = [uint256(0), 1, 8];
        for (uint256 i; i < 3; ++i) {
            for (uint256 j; j < marks[i]; ++j) {
                _execute(_signed(signers[i], _calling(Probe.burn.selector)));
            }
            Request memory request = _request(signers[i].addr, _calling(Probe.give.selector));
            SignedRequest memory good = _sign(request, signers[i]);
            SignedRequest memory bad = _sign(request, signers[(i + 1) % 3]);
            (uint256 none, uint256 one) = (_gasOf(""), _gasOf(Requests.pack(bad)));
            assertLt(one - none, 35_000, "judging");
            bytes memory two = abi.encodePacked(Requests.pack(bad), Requests.pack(bad));
            assertLt(_gasOf(two) - one, 35_000, "judging a second one");
            request.data = abi.encodePacked(Probe.fail.selector, uint256(300), new bytes(988));
            good = _sign(request, signers[i]);
            assertLt(_gasOf(Requests.pack(good)) - none, 35_000 + 45_000 + 70_000, "judging and calling");
        }
    }

    /// @dev The dearest of everything: long data that succeed and long data that are refused last.
    function test_GivenTheLeastGasWithWhichABatchDoesNotRevert() external {
        SignedRequest[] memory requests = new SignedRequest[](6);
        bytes memory data = abi.encodePacked(Probe.fail.selector, uint256(300), new bytes(988));
        for (uint256 i; i < 6; ++i) {
            Request memory request = _request(alice.addr, data);
            requests[i] = _sign(request, i % 2 == 0 ? alice : bob);
        }

        bytes memory batch = Requests.pack(requests);
        bool hasReturned;
        uint256 executed;
        for (uint256 gas_ = 40_000; gas_ < 900_000; gas_ += 977) {
            uint256 state = vm.snapshotState();
            vm.prank(relayer, relayer);
            try forwarder.execute{gas: gas_}(batch) returns (IRelayForwarder.Result[] memory results) {
                hasReturned = true;
                uint256 failed;
                for (uint256 i; i < 6; ++i) {
                    if (results[i].status == IRelayForwarder.Status.Failed) ++failed;
                }
                assertGe(failed, executed, "more gas never executes less");
                executed = failed;
            } catch {
                assertFalse(hasReturned, "reverts although less gas sufficed");
            }
            vm.revertToStateAndDelete(state);
        }
        assertEq(executed, 3, "executed at the end");
    }

    /// @dev Alice has so many more live marks.
    function _spend(uint256 count) private {
        for (uint256 i; i < count; ++i) {
            _execute(_signed(alice, _calling(Probe.burn.selector)));
        }
    }

    /// @dev As long as data can be.
    function _calling(bytes4 selector) private pure returns (bytes memory) {
        return abi.encodePacked(selector, new bytes(1020));
    }

    /// @dev With no storage that was read before, as in a transaction of its own.
    function _gasOf(bytes memory batch) private returns (uint256 used) {
        uint256 state = vm.snapshotState();
        vm.cool(address(forwarder));
        vm.cool(address(probe));
        vm.prank(relayer, relayer);
        used = gasleft();
        forwarder.execute(batch);
        used -= gasleft();
        vm.revertToStateAndDelete(state);
    }

    function _statusWith(bytes memory batch, uint256 gas_) private returns (IRelayForwarder.Status status) {
        uint256 state = vm.snapshotState();
        vm.cool(address(forwarder));
        vm.prank(relayer, relayer);
        try forwarder.execute{gas: gas_}(batch) returns (IRelayForwarder.Result[] memory results) {
            status = results[0].status;
        } catch {
            status = IRelayForwarder.Status.Skipped;
        }
        vm.revertToStateAndDelete(state);
    }
}
