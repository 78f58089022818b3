// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {DeployedForwarder, DeployedLoan, Deployments, Setups} from "../support/Deployments.sol";
import {Request, SignedRequest} from "../support/Requests.sol";

/// @notice Remembers signatures instead of intents, binds them to no chain and no contract, and
/// forgets them when the call fails.
contract NaiveReplayForwarder {
    mapping(bytes32 => bool) public spent;
    address internal _target;

    function look(address target) external {
        _target = target;
    }

    function digest(Request memory request) public pure returns (bytes32) {
        return keccak256(abi.encode(request));
    }

    function execute(SignedRequest calldata signed) external {
        bytes32 id = keccak256(signed.signature);
        require(!spent[id], "spent");
        (uint8 v, bytes32 r, bytes32 s) =
            (uint8(signed.signature[64]), bytes32(signed.signature[:32]), bytes32(signed.signature[32:64]));
        require(ecrecover(digest(signed.request), v, r, s) == signed.request.from, "signature");
        spent[id] = true;
        (bool success,) = _target.call(abi.encodePacked(signed.request.data, signed.request.from));
        require(success, "call");
    }
}

contract ReplayTest is Base {
    uint256 internal constant ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    uint256 internal constant HALF = type(uint256).max >> 1;

    NaiveReplayForwarder internal naive;
    DeployedLoan internal naiveLoan;

    function setUp() public override {
        super.setUp();
        _depositFor(alice.addr, 10 ether);
        naive = new NaiveReplayForwarder();
        naiveLoan = Deployments.loan(Setups.wide(address(naive), owner, PRINCIPAL, CAP));
        naive.look(address(naiveLoan));
        hoax(stranger, 10 ether);
        naiveLoan.depositFor{value: 10 ether}(alice.addr);
    }

    // Malleability

    function test_Naive_AMirroredSignaturePaysAgain() external {
        SignedRequest memory signed = _naivelySigned(_transfer(bob.addr, 1 ether));
        naive.execute(signed);
        signed.signature = _mirrored(signed.signature);
        naive.execute(signed);
        assertEq(naiveLoan.getBalance(bob.addr), 2 ether, "paid twice");
    }

    function test_AMirroredSignatureIsRefused() external {
        SignedRequest memory signed = _signed(alice, _transfer(bob.addr, 1 ether));
        bytes memory original = signed.signature;
        signed.signature = _mirrored(original);
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.BadSignature, "mirrored first");
        signed.signature = original;
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.Executed, "original");
        signed.signature = _mirrored(original);
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.AlreadySpent, "mirrored then");
        assertEq(loan.getBalance(bob.addr), 1 ether, "paid once");
    }

    // Chains and contracts

    function test_Naive_ASignatureIsGoodOnAnyChain() external {
        SignedRequest memory signed = _naivelySigned(_transfer(bob.addr, 1 ether));
        uint256 state = vm.snapshotState();
        naive.execute(signed);
        vm.revertToState(state);
        vm.chainId(30);
        naive.execute(signed);
        assertEq(naiveLoan.getBalance(bob.addr), 1 ether, "paid on the other chain too");
    }

    function testFuzz_ASignatureIsGoodOnOneChain(uint64 chainId) external {
        vm.assume(chainId != 31 && chainId != 0);
        SignedRequest memory signed = _signed(alice, _transfer(bob.addr, 1 ether));
        vm.chainId(chainId);
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.BadSignature, "other chain");
        assertEq(loan.getBalance(bob.addr), 0, "paid");
    }

    // Redeploy

    function test_Naive_ASignatureOutlivesARedeploy() external {
        SignedRequest memory signed = _naivelySigned(_transfer(bob.addr, 1 ether));
        naive.execute(signed);
        // A second forwarder before the same loan contract: what the first one remembers is gone.
        NaiveReplayForwarder second = new NaiveReplayForwarder();
        vm.etch(address(naive), address(second).code);
        vm.store(address(naive), keccak256(abi.encode(keccak256(signed.signature), uint256(0))), bytes32(0));
        naive.execute(signed);
        assertEq(naiveLoan.getBalance(bob.addr), 2 ether, "paid twice");
    }

    function test_ASignatureIsOfOneForwarder() external {
        SignedRequest memory signed = _signed(alice, _transfer(bob.addr, 1 ether));
        _execute(signed);
        DeployedForwarder first = forwarder;
        _target(address(loan));
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.BadSignature, "second forwarder");
        (forwarder,) = Deployments.pair(_setup(), relayer);
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.BadSignature, "second pair");
        assertEq(loan.getBalance(bob.addr), 1 ether, "paid once");
        assertEq(loan.trustedForwarder(), address(first), "the loan contract trusts its first for good");
    }

    /// @dev Code can't be replaced at an address (there is no selfdestruct in ours, and since
    /// Cancun none would do it). A chain that is started over can have the same code at the same
    /// address with nothing spent: then a signature's own deadline is what ends it.
    function test_ASignatureOutlivesNothingForMoreThan24Hours() external {
        SignedRequest memory signed = _signed(alice, _transfer(bob.addr, 1 ether));
        signed.request.deadline = uint40(block.timestamp + 24 hours);
        signed = _sign(signed.request, alice);
        uint256 state = vm.snapshotState();
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.Executed, "first chain");
        vm.revertToState(state);
        vm.warp(block.timestamp + 24 hours + 1);
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.Expired, "chain started over");
    }

    // Failure

    function test_Naive_AFailedRequestIsGoodLater() external {
        SignedRequest memory signed = _naivelySigned(_transfer(bob.addr, 20 ether));
        vm.expectRevert(bytes("call"));
        naive.execute(signed);
        hoax(stranger, 10 ether);
        naiveLoan.depositFor{value: 10 ether}(alice.addr);
        naive.execute(signed);
        assertEq(naiveLoan.getBalance(bob.addr), 20 ether, "paid after it had failed");
    }

    function test_AFailedRequestIsGoodForNothing() external {
        SignedRequest memory signed = _signed(alice, _transfer(bob.addr, 20 ether));
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.Failed, "first");
        _depositFor(alice.addr, 10 ether);
        _assertStatus(_execute(signed).status, IRelayForwarder.Status.AlreadySpent, "then");
        assertEq(loan.getBalance(bob.addr), 0, "paid");
    }

    function _naivelySigned(bytes memory data) private returns (SignedRequest memory) {
        Request memory request = _request(alice.addr, data);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(alice.privateKey, naive.digest(request));
        return SignedRequest(request, abi.encodePacked(r, s, v));
    }

    /// @dev The other signature that `ecrecover` takes for the same key and message. A high s has
    /// no bit left for the parity but for one in 2^128 of them, which `ECDSA` refuses.
    function _mirrored(bytes memory signature) private pure returns (bytes memory) {
        if (signature.length == 65) {
            (bytes32 r65, uint256 s65) = abi.decode(signature, (bytes32, uint256));
            return abi.encodePacked(r65, ORDER - s65, uint8(55 - uint8(signature[64])));
        }
        (bytes32 r, uint256 vs) = abi.decode(signature, (bytes32, uint256));
        return abi.encodePacked(r, (ORDER - (vs & HALF)) & HALF | (~vs & ~HALF));
    }
}
