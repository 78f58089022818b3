// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {Request, Requests} from "../support/Requests.sol";

/// @notice A forwarder that looks at the transaction's own account, and not at its code.
contract NaiveForwarder {
    address private immutable _target;
    bool public isSpent;
    bool public isExecuted;

    constructor(address target) {
        _target = target;
    }

    function execute(bytes calldata call) external {
        require(msg.sender == tx.origin, "not a plain account");
        isSpent = true;
        (isExecuted,) = _target.call{gas: 100_000}(call);
    }
}

/// @notice What the relayer's account delegates to: calls itself, and at the depth wanted another.
contract Descent {
    function descend(uint256 calls, address to, bytes calldata data) external returns (bytes memory) {
        if (calls > 0) return this.descend(calls - 1, to, data);
        (bool success, bytes memory returned) = to.call(data);
        require(success, string(returned));
        return returned;
    }
}

/// @notice Counts its calls.
contract Counter {
    uint256 public calls;

    function count() external {
        ++calls;
    }
}

/// @dev The account's code is put there, as a delegation does: the EVM of these tests knows no
/// transaction of type 4. It ends at 1,024 calls where RSKj ends at 400.
contract DelegatedRelayerTest is Base {
    /// @dev The deepest at which the forwarder itself can still be called.
    uint256 private constant DEEPEST = 1_022;

    Counter private _counter;

    function setUp() public virtual override {
        super.setUp();
        _counter = new Counter();
        _target(address(_counter));
    }

    function test_Naive_ADelegatedRelayerSpendsAnIntentOnNothing() external {
        NaiveForwarder naive = new NaiveForwarder(address(_counter));
        _delegate();
        _descend(DEEPEST, address(naive), abi.encodeCall(naive.execute, (abi.encodeCall(Counter.count, ()))));
        assertTrue(naive.isSpent(), "spent");
        assertFalse(naive.isExecuted(), "executed");
    }

    function testFuzz_ADelegatedRelayerExecutesNothingAtAnyDepth(uint256 calls) external {
        Request memory request = _request(alice.addr, abi.encodeCall(Counter.count, ()));
        bytes memory batch = Requests.pack(_sign(request, alice));
        bytes memory execution = abi.encodeCall(IRelayForwarder.execute, (batch));
        _delegate();
        vm.expectRevert();
        _descend(bound(calls, 0, DEEPEST), address(forwarder), execution);
        vm.prank(relayer, relayer);
        vm.expectRevert(_error(IRelayForwarder.NotPlainAccount.selector, relayer));
        forwarder.execute(batch);
        (uint256 timestamp,) = forwarder.spentAt(alice.addr, request.intentId);
        assertEq(timestamp, 0, "spent");

        vm.etch(relayer, "");
        _assertStatus(_execute(_sign(request, alice)).status, IRelayForwarder.Status.Executed, "plain again");
        assertEq(_counter.calls(), 1, "calls");
    }

    function _delegate() private {
        vm.etch(relayer, address(new Descent()).code);
    }

    function _descend(uint256 calls, address to, bytes memory data) private {
        vm.prank(relayer, relayer);
        Descent(relayer).descend(calls, to, data);
    }
}
