// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRelayForwarder} from "../../../src/IRelayForwarder.sol";
import {Base} from "../../support/Base.sol";
import {Request, Requests, SignedRequest} from "../../support/Requests.sol";

contract RelayForwarderDomainTest is Base {
    function test_WhenTheDomainIsAskedFor() external view {
        (bytes1 fields, string memory name, string memory version, uint256 chainId, address verifying,,) =
            forwarder.eip712Domain();
        assertEq(fields, hex"0f", "fields");
        assertEq(name, "RelayForwarder", "name");
        assertEq(version, "1", "version");
        assertEq(chainId, 31, "chain id");
        assertEq(verifying, address(forwarder), "verifying contract");
    }

    /// @dev Foundry's own EIP-712 encoder has the last word on how a wallet would hash a request.
    function test_WhenARequestIsHashedByItsEIP712Type() external {
        Request memory request = _request(alice.addr, _applyForLoan());
        string memory types = string.concat(
            '{"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},',
            '{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}],',
            '"Request":[{"name":"from","type":"address"},{"name":"intentId","type":"bytes22"},',
            '{"name":"deadline","type":"uint40"},{"name":"gas","type":"uint32"},',
            '{"name":"data","type":"bytes"}]},"primaryType":"Request",'
        );
        string memory domain = string.concat(
            '"domain":{"name":"RelayForwarder","version":"1","chainId":31,"verifyingContract":"',
            vm.toString(address(forwarder)),
            '"},'
        );
        string memory message = string.concat(
            '"message":{"from":"',
            vm.toString(request.from),
            '","intentId":"',
            vm.toString(abi.encodePacked(request.intentId)),
            '","deadline":"',
            vm.toString(request.deadline),
            '","gas":"',
            vm.toString(request.gas),
            '","data":"',
            vm.toString(request.data),
            '"}}'
        );
        bytes32 digest = vm.eip712HashTypedData(string.concat(types, domain, message));
        assertEq(digest, Requests.digest(request, address(forwarder)), "digest");

        (bytes32 r, bytes32 vs) = vm.signCompact(alice.privateKey, digest);
        IRelayForwarder.Result memory result = _execute(SignedRequest(request, abi.encodePacked(r, vs)));
        _assertStatus(result.status, IRelayForwarder.Status.Executed, "status");
    }
}
