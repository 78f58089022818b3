// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
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

    function testFuzz_AnySignatureOfSomebodyElseIsRefused(uint256 key) external {
        Vm.Wallet memory other = vm.createWallet(boundPrivateKey(key));
        vm.assume(other.addr != alice.addr);
        SignedRequest memory signed = _sign(_probing(abi.encodeCall(Probe.remember, ())), other);
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.BadSignature, "status");
        assertEq(_spentAt(signed.request), 0, "when it was spent");
        assertEq(probe.calls(), 0, "calls");
    }

    /// @dev Whatever gas a relayer sends along: all of the signed gas, or nothing happened.
    function testFuzz_CallGetsAllOfItsGasOrNothingHappens(uint32 signedGas, uint256 sentGas, uint8 length)
        external
    {
        bytes memory data = abi.encodePacked(Probe.weigh.selector, new bytes(length));
        Request memory request = _probing(data);
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

    function _probing(bytes memory data) private returns (Request memory request) {
        request = _request(alice.addr, data);
    }
}
