// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRelayForwarder} from "../../../src/IRelayForwarder.sol";
import {Base} from "../../support/Base.sol";
import {Probe} from "../../support/Targets.sol";

contract RelayForwarderGasNeededTest is Base {
    Probe internal probe;

    function setUp() public override {
        super.setUp();
        probe = new Probe();
        vm.prank(owner);
        forwarder.setTarget(address(probe), true);
    }

    function test_WhenARequestAsksForGas() external view {
        assertEq(forwarder.gasNeeded(0, 0), 45_000, "none");
        assertEq(forwarder.gasNeeded(1, 0), 45_002, "one, rounded up");
        assertEq(forwarder.gasNeeded(63, 0), 45_064, "no rounding");
        assertEq(forwarder.gasNeeded(64, 0), 45_066, "rounded up");
        assertEq(forwarder.gasNeeded(1_000_000, 0), 45_000 + 1_015_874, "the maximum");
    }

    function test_WhenRequestsFollow() external view {
        assertEq(forwarder.gasNeeded(63, 1), 65_064, "one");
        assertEq(forwarder.gasNeeded(63, 19), 425_064, "nineteen");
    }

    /// @dev A call that uses up what it gets, with the longest data, so that nothing is left to spare.
    function test_GivenTheLeastGasWithWhichACallIsMade() external {
        bytes memory data = new bytes(1024);
        bytes4 selector = Probe.weigh.selector;
        assembly {
            mstore(add(data, 0x20), selector)
        }
        IRelayForwarder.Request memory request = _request(alice.addr, data);
        request.to = address(probe);
        request.gas = 500_000;
        IRelayForwarder.SignedRequest[] memory requests = _batch(_sign(request, alice));

        uint256 low = 100_000;
        uint256 high = 1_000_000;
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            if (_statusWith(requests, middle) == IRelayForwarder.Status.Executed) high = middle;
            else low = middle;
        }
        _assertStatus(_statusWith(requests, low), IRelayForwarder.Status.Skipped, "one less");
        assertLt(high, forwarder.gasNeeded(request.gas, 0) + 18_000, "least gas");
        vm.prank(relayer, relayer);
        forwarder.execute{gas: high}(requests);
        assertGt(probe.weight(), request.gas - 500, "gas at the start of the call");
    }

    /// @dev The sum of contracts/README.md, but for the transaction's own cost, where every call takes all it gets.
    function test_GivenTheGasLimitThatIsSummedUp() external {
        for (uint256 count = 1; count <= 10; count += 3) {
            IRelayForwarder.SignedRequest[] memory requests = new IRelayForwarder.SignedRequest[](count);
            uint256 limit;
            for (uint256 i; i < count; ++i) {
                IRelayForwarder.Request memory request =
                    _request(alice.addr, abi.encodePacked(Probe.burn.selector, new bytes(1020)));
                request.to = address(probe);
                requests[i] = _sign(request, alice);
                limit += 20_000 + forwarder.gasNeeded(request.gas, 0);
            }
            vm.prank(relayer, relayer);
            IRelayForwarder.Result[] memory results = forwarder.execute{gas: limit}(requests);
            for (uint256 i; i < count; ++i) {
                _assertStatus(results[i].status, IRelayForwarder.Status.Failed, "executed");
            }
        }
    }

    /// @dev The dearest of everything: long data that succeed and long data that are refused last.
    function test_GivenTheLeastGasWithWhichABatchDoesNotRevert() external {
        IRelayForwarder.SignedRequest[] memory requests = new IRelayForwarder.SignedRequest[](6);
        bytes memory data = new bytes(1024);
        bytes4 selector = Probe.fail.selector;
        assembly {
            mstore(add(data, 0x20), selector)
            mstore(add(data, 0x24), 300)
        }
        for (uint256 i; i < 6; ++i) {
            IRelayForwarder.Request memory request = _request(alice.addr, data);
            request.to = address(probe);
            requests[i] = _sign(request, i % 2 == 0 ? alice : bob);
        }

        bool hasReturned;
        uint256 executed;
        for (uint256 gas_ = 40_000; gas_ < 900_000; gas_ += 977) {
            uint256 state = vm.snapshotState();
            vm.prank(relayer, relayer);
            try forwarder.execute{gas: gas_}(requests) returns (IRelayForwarder.Result[] memory results) {
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

    function _statusWith(IRelayForwarder.SignedRequest[] memory requests, uint256 gas_)
        private
        returns (IRelayForwarder.Status status)
    {
        uint256 state = vm.snapshotState();
        vm.prank(relayer, relayer);
        try forwarder.execute{gas: gas_}(requests) returns (IRelayForwarder.Result[] memory results) {
            status = results[0].status;
        } catch {
            status = IRelayForwarder.Status.Skipped;
        }
        vm.revertToStateAndDelete(state);
    }
}
