// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {Requests} from "../support/Requests.sol";

/// @notice Believes its forwarder, and lets callers batch calls to itself: CVE-2023-34459 of OpenZeppelin's
/// `Multicall` with `ERC2771Context`.
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
    function execute(IRelayForwarder.SignedRequest calldata signed) external returns (bool success) {
        bytes32 digest = Requests.digest(signed.request, address(this));
        (uint8 v, bytes32 r, bytes32 s) =
            (uint8(signed.signature[64]), bytes32(signed.signature[:32]), bytes32(signed.signature[32:64]));
        require(ecrecover(digest, v, r, s) == signed.request.from);
        (success,) = signed.request.to.call(abi.encodePacked(signed.request.data, signed.request.from));
    }
}

/// @notice A target whose function has the selector that stands first in an account's address. 2^32 tries find
/// a key for any selector; a test turns it around and takes the function from the address.
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
        NaiveMulticallLoan naive = new NaiveMulticallLoan(address(forwarder), alice.addr);
        vm.prank(owner);
        forwarder.setTarget(address(naive), true);
        bytes[] memory calls = new bytes[](1);
        calls[0] = abi.encodePacked(_transfer(bob.addr, 100 ether), alice.addr);
        IRelayForwarder.Request memory request =
            _request(bob.addr, abi.encodeCall(NaiveMulticallLoan.multicall, (calls)));
        request.to = address(naive);

        IRelayForwarder.Result memory result = _execute(_sign(request, bob));
        _assertStatus(result.status, IRelayForwarder.Status.Executed, "status");
        assertEq(naive.getBalance(bob.addr), 100 ether, "stolen");
    }

    /// @dev There is no function to wrap a call in. A victim's address after a call is followed by the
    /// signer's, and the last one counts.
    function test_AnAppendedVictimIsNotTheSender() external {
        _depositFor(alice.addr, 100 ether);
        bytes memory spoofed = abi.encodePacked(_transfer(bob.addr, 100 ether), alice.addr);
        IRelayForwarder.Result memory result = _execute(_signed(bob, spoofed));
        _assertStatus(result.status, IRelayForwarder.Status.Failed, "forwarded");
        vm.prank(bob.addr);
        (bool success,) = address(loan).call(spoofed);
        assertFalse(success, "direct");
        assertEq(loan.getBalance(alice.addr), 100 ether, "balance of the victim");
    }

    function test_TheForwarderIsNeverItsOwnTarget() external {
        vm.prank(owner);
        vm.expectRevert(abi.encodeWithSelector(IRelayForwarder.InvalidTarget.selector, address(forwarder)));
        forwarder.setTarget(address(forwarder), true);
        IRelayForwarder.Request memory request =
            _request(bob.addr, abi.encodeCall(IRelayForwarder.setRelayer, (bob.addr, true)));
        request.to = address(forwarder);
        IRelayForwarder.Result memory result = _execute(_sign(request, bob));
        _assertStatus(result.status, IRelayForwarder.Status.DisallowedTarget, "status");
    }

    function test_Naive_ShortDataTurnAnAddressIntoACall() external {
        NaiveShortForwarder naive = new NaiveShortForwarder();
        SelectorTarget target = new SelectorTarget(bytes4(bytes20(bob.addr)));
        IRelayForwarder.Request memory request = _request(bob.addr, "");
        request.to = address(target);
        naive.execute(Requests.sign(request, bob.privateKey, address(naive)));
        assertTrue(target.called(), "called without having been signed");
    }

    function test_ShortDataAreNoCall() external {
        SelectorTarget target = new SelectorTarget(bytes4(bytes20(bob.addr)));
        vm.prank(owner);
        forwarder.setTarget(address(target), true);
        for (uint256 length; length < 4; ++length) {
            IRelayForwarder.Request memory request = _request(bob.addr, new bytes(length));
            request.to = address(target);
            IRelayForwarder.Result memory result = _execute(_sign(request, bob));
            _assertStatus(result.status, IRelayForwarder.Status.OutOfBounds, "status");
        }
        assertFalse(target.called(), "called");
    }
}
