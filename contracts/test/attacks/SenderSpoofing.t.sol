// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {Deployments} from "../support/Deployments.sol";
import {Request, Requests, SignedRequest} from "../support/Requests.sol";

/// @notice Believes its forwarder, and lets callers batch calls to itself: CVE-2023-34459 of
/// OpenZeppelin's `Multicall` with `ERC2771Context`.
contract NaiveMulticallLoan {
    address internal immutable FORWARDER;
    mapping(address => uint256) public getBalance;

    constructor(address forwarder, address rich) {
        FORWARDER = forwarder;
        getBalance[rich] = 100 ether;
    }

    function multicall(bytes[] calldata calls) external {
        for (uint256 i; i < calls.length; ++i) {
            (bool success,) = address(this).delegatecall(calls[i]);
            require(success);
        }
    }

    function transfer(address to, uint256 amount) external {
        address from =
            msg.sender == FORWARDER ? address(bytes20(msg.data[msg.data.length - 20:])) : msg.sender;
        getBalance[from] -= amount;
        getBalance[to] += amount;
    }
}

/// @notice Forwards whatever was signed, be it a call or not.
contract NaiveShortForwarder {
    function execute(address target, SignedRequest calldata signed) external returns (bool success) {
        bytes32 digest = Requests.digest(signed.request, address(this));
        (bytes32 r, uint256 vs) = abi.decode(signed.signature, (bytes32, uint256));
        bytes32 s = bytes32(vs & (type(uint256).max >> 1));
        require(ecrecover(digest, uint8(vs >> 255) + 27, r, s) == signed.request.from);
        (success,) = target.call(abi.encodePacked(signed.request.data, signed.request.from));
    }
}

/// @notice A target whose function has the selector that stands first in an account's address. 2^32
/// tries find a key for any selector; a test turns it around and takes the function from the
/// address.
contract SelectorTarget {
    bytes4 internal immutable SELECTOR;
    bool public called;

    constructor(bytes4 selector) {
        SELECTOR = selector;
    }

    fallback() external {
        if (msg.sig == SELECTOR) called = true;
    }
}

contract SenderSpoofingTest is Base {
    function test_Naive_ASelfCallSpeaksForAnybody() external {
        address next = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        NaiveMulticallLoan naive = new NaiveMulticallLoan(next, alice.addr);
        _target(address(naive));
        bytes[] memory calls = new bytes[](1);
        calls[0] = abi.encodePacked(_transfer(bob.addr, 100 ether), alice.addr);
        Request memory request = _request(bob.addr, abi.encodeCall(NaiveMulticallLoan.multicall, (calls)));

        _assertStatus(_execute(_sign(request, bob)).status, IRelayForwarder.Status.Executed, "status");
        assertEq(naive.getBalance(bob.addr), 100 ether, "stolen");
    }

    /// @dev There is no function to wrap a call in. A victim's address after a call is followed by
    /// the signer's, and the last one counts.
    function test_AnAppendedVictimIsNotTheSender() external {
        _depositFor(alice.addr, 100 ether);
        bytes memory spoofed = abi.encodePacked(_transfer(bob.addr, 100 ether), alice.addr);
        _assertStatus(_execute(_signed(bob, spoofed)).status, IRelayForwarder.Status.Failed, "forwarded");
        vm.prank(bob.addr);
        (bool success,) = address(loan).call(spoofed);
        assertFalse(success, "direct");
        assertEq(loan.getBalance(alice.addr), 100 ether, "balance of the victim");
    }

    function test_TheForwarderIsNeverItsOwnTarget() external {
        address itself = vm.computeCreateAddress(address(this), vm.getNonce(address(this)));
        vm.expectRevert(_error(IRelayForwarder.InvalidTarget.selector, itself));
        Deployments.forwarder(owner, guardian, relayer, itself);
    }

    function test_Naive_ShortDataTurnAnAddressIntoACall() external {
        NaiveShortForwarder naive = new NaiveShortForwarder();
        SelectorTarget target = new SelectorTarget(bytes4(bytes20(bob.addr)));
        Request memory request = _request(bob.addr, "");
        naive.execute(address(target), Requests.sign(request, bob.privateKey, address(naive)));
        assertTrue(target.called(), "called without having been signed");
    }

    function test_ShortDataAreNoCall() external {
        SelectorTarget target = new SelectorTarget(bytes4(bytes20(bob.addr)));
        _target(address(target));
        for (uint256 length; length < 4; ++length) {
            Request memory request = _request(bob.addr, new bytes(length));
            _assertStatus(_execute(_sign(request, bob)).status, IRelayForwarder.Status.OutOfBounds, "status");
        }
        assertFalse(target.called(), "called");
    }
}
