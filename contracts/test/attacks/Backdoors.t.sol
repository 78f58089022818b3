// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {Request, Requests, SignedRequest} from "../support/Requests.sol";

/// @notice A signature check with a second way in, as one slips in with an emergency feature.
contract NaiveJudge {
    address public immutable OWNER;

    constructor(address owner) {
        OWNER = owner;
    }

    function isSigned(address from, bytes32 digest, uint8 v, bytes32 r, bytes32 s)
        external
        view
        returns (bool)
    {
        address signer = ecrecover(digest, v, r, s);
        return signer == from || signer == OWNER;
    }
}

/// @notice Each power is good for what it is meant for alone. That who holds one borrows, pays and
/// is judged like everybody is what the suites of `../unit` say that run again `…WithAllRolesTest`.
contract BackdoorsTest is Base {
    function test_Naive_TheOwnerSignsForOthers() external {
        NaiveJudge naive = new NaiveJudge(owner);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(_powers()[0].privateKey, "digest");
        assertTrue(naive.isSigned(alice.addr, "digest", v, r, s), "signed by the owner");
    }

    function test_NoPowerSignsForAnother() external {
        Vm.Wallet[3] memory powers = _powers();
        for (uint256 i; i < powers.length; ++i) {
            Request memory request = _request(alice.addr, _applyForLoan());
            _assertJudged(_sign(request, powers[i]), IRelayForwarder.Status.BadSignature);
        }
    }

    function test_NobodySignsForAPower() external {
        address[4] memory powers = [owner, guardian, relayer, address(loan)];
        for (uint256 i; i < powers.length; ++i) {
            Request memory request = _request(powers[i], _applyForLoan());
            _assertJudged(_sign(request, alice), IRelayForwarder.Status.BadSignature);
        }
    }

    /// @dev No contract has a key; an account whose code delegates (EIP-7702) has one.
    function test_ATargetSignsForItselfAlone() external {
        vm.etch(carol.addr, hex"00");
        _target(carol.addr);
        Request memory request = _request(alice.addr, _applyForLoan());
        _assertJudged(_sign(request, carol), IRelayForwarder.Status.BadSignature);
        request = _request(carol.addr, _applyForLoan());
        _assertJudged(_sign(request, carol), IRelayForwarder.Status.Executed);
    }

    function test_NoOtherPowerExecutes() external {
        bytes memory batch = Requests.pack(_signed(alice, _applyForLoan()));
        address[3] memory others = [owner, guardian, address(loan)];
        for (uint256 i; i < others.length; ++i) {
            vm.prank(others[i], others[i]);
            vm.expectRevert(_error(IRelayForwarder.NotRelayer.selector, others[i]));
            forwarder.execute(batch);
        }
    }

    /// @dev Their addresses are made of these names.
    function _powers() private returns (Vm.Wallet[3] memory powers) {
        powers = [vm.createWallet("owner"), vm.createWallet("guardian"), vm.createWallet("relayer")];
        assertEq(powers[0].addr, owner, "owner");
        assertEq(powers[1].addr, guardian, "guardian");
        assertEq(powers[2].addr, relayer, "relayer");
    }

    function _assertJudged(SignedRequest memory signed, IRelayForwarder.Status expected) private {
        _assertStatus(_execute(signed).status, expected, "a power's request");
    }
}
