// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {StdAssertions} from "forge-std/StdAssertions.sol";
import {StdCheats} from "forge-std/StdCheats.sol";
import {StdUtils} from "forge-std/StdUtils.sol";
import {Vm} from "forge-std/Vm.sol";

import {IRelayForwarder} from "../../../src/IRelayForwarder.sol";
import {Store} from "../stores/Store.sol";
import {DeployedForwarder, DeployedLoan} from "../../support/Deployments.sol";
import {Request, Requests, SignedRequest} from "../../support/Requests.sol";
import {Held, TestToken} from "../../support/Tokens.sol";

/// @notice What all handlers need: the contracts, the store, and a watch over all debts at each
/// step.
abstract contract Handler is StdAssertions, StdCheats, StdUtils {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    DeployedLoan internal immutable LOAN;
    DeployedForwarder internal immutable FORWARDER;
    Store internal immutable STORE;
    /// @dev None where the pool is over the currency.
    TestToken internal immutable TOKEN;
    /// @dev As much of the unit as the amounts here are told by.
    uint256 internal immutable ONE;
    address internal immutable OWNER;
    address internal immutable RELAYER;
    address internal immutable CREDITOR;
    uint256 private _intents;

    constructor(DeployedLoan loan, DeployedForwarder forwarder, Store store) {
        LOAN = loan;
        FORWARDER = forwarder;
        STORE = store;
        TOKEN = TestToken(loan.token());
        ONE = store.one();
        OWNER = makeAddr("owner");
        RELAYER = makeAddr("relayer");
        CREDITOR = makeAddr("creditor");
    }

    /// @dev Time stands in the store, since a warp ends with the call that made it.
    modifier step() {
        vm.warp(STORE.timestamp());
        uint256 count = STORE.ACCOUNTS();
        uint256[] memory before = new uint256[](count);
        for (uint256 i; i < count; ++i) {
            before[i] = LOAN.loanOf(STORE.account(i));
        }
        uint256 reasonsBefore = STORE.issues() + STORE.passes();
        _;
        uint256 grown;
        for (uint256 i; i < count; ++i) {
            if (LOAN.loanOf(STORE.account(i)) > before[i]) ++grown;
        }
        if (grown > STORE.issues() + STORE.passes() - reasonsBefore) STORE.recordGrownDebt();
    }

    /// @dev Has the payer bring money, by the way of the pool's unit.
    function _bring(address payer, uint256 amount, bytes memory inCurrency, bytes memory inTokens) internal {
        if (address(TOKEN) == address(0)) {
            vm.deal(payer, amount);
        } else {
            uint256 value = amount * LOAN.quantum();
            TOKEN.mint(payer, value);
            vm.prank(payer);
            TOKEN.approve(address(LOAN), value);
            (amount, inCurrency) = (0, inTokens);
        }
        vm.prank(payer);
        (bool success,) = address(LOAN).call{value: amount}(inCurrency);
        assertTrue(success, "honest payment");
    }

    function _held(address account) internal view returns (uint256) {
        return Held.quanta(LOAN, account);
    }

    /// @dev The fuzzer likes small numbers and edges; these are to be anywhere up to the maximum.
    function _uniform(uint256 seed, uint256 maximum) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed))) % (maximum + 1);
    }

    function _sign(uint256 signer, bytes memory data) internal returns (SignedRequest memory) {
        Request memory request = Request({
            from: STORE.account(signer),
            intentId: bytes22(keccak256(abi.encode(address(this), ++_intents))),
            // Readers take much of it, and a token that calls them the rest of what others need.
            gas: 400_000,
            deadline: uint40(block.timestamp + 2 hours),
            data: data
        });
        return Requests.sign(request, STORE.key(signer), address(FORWARDER));
    }

    function _execute(SignedRequest memory signed) internal returns (IRelayForwarder.Result memory) {
        vm.prank(RELAYER, RELAYER);
        return FORWARDER.execute(Requests.pack(signed))[0];
    }

    /// @dev What an honest phone asks for has to succeed.
    function _forward(uint256 signer, bytes memory data) internal {
        IRelayForwarder.Result memory result = _execute(_sign(signer, data));
        assertEq(uint256(result.status), uint256(IRelayForwarder.Status.Executed), "honest request");
    }

    function _failsForwarded(uint256 phone, bytes memory data) internal {
        IRelayForwarder.Result memory result = _execute(_sign(phone, data));
        assertEq(uint256(result.status), uint256(IRelayForwarder.Status.Failed), "forbidden request");
    }
}
