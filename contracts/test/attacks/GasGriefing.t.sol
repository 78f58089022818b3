// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {Deployments} from "../support/Deployments.sol";
import {Bombing} from "../support/Receivers.sol";
import {Probe} from "../support/Targets.sol";
import {Request, Requests, SignedRequest} from "../support/Requests.sol";

/// @notice Spends the intent and calls with whatever gas is left (SWC-126), copying all that comes
/// back.
contract NaiveGasForwarder {
    mapping(bytes32 => bool) public spent;
    address internal immutable TARGET;

    constructor(address target) {
        TARGET = target;
    }

    function execute(Request[] calldata requests) external returns (bool[] memory successes) {
        successes = new bool[](requests.length);
        for (uint256 i; i < requests.length; ++i) {
            Request calldata request = requests[i];
            require(!spent[request.intentId]);
            spent[request.intentId] = true;
            bytes memory returned;
            (successes[i], returned) =
                TARGET.call{gas: request.gas}(abi.encodePacked(request.data, request.from));
            emit Returned(returned);
        }
    }

    event Returned(bytes data);
}

contract GasGriefingTest is Base {
    Probe internal probe;
    NaiveGasForwarder internal naive;

    function setUp() public override {
        super.setUp();
        probe = new Probe();
        naive = new NaiveGasForwarder(address(probe));
        _target(address(probe));
    }

    function test_Naive_LittleGasSpendsAnIntentOnNothing() external {
        Request[] memory requests = new Request[](1);
        requests[0] = _request(alice.addr, abi.encodeCall(Probe.eat, (700_000)));
        requests[0].gas = 1_000_000;
        uint256 state = vm.snapshotState();
        assertTrue(naive.execute{gas: 1_200_000}(requests)[0], "call with all of its gas");
        vm.revertToState(state);
        assertFalse(naive.execute{gas: 650_000}(requests)[0], "call with less");
        assertTrue(naive.spent(requests[0].intentId), "spent on nothing");
    }

    /// @dev Whatever a relayer sends along, from nothing to plenty.
    function test_LittleGasSpendsNothing() external {
        Request memory request = _request(alice.addr, abi.encodeCall(Probe.remember, ()));
        bytes memory batch = Requests.pack(_sign(request, alice));
        for (uint256 gas_ = 5_000; probe.calls() == 0; gas_ += 1_000) {
            vm.prank(relayer, relayer);
            try forwarder.execute{gas: gas_}(batch) {} catch {}
            assertEq(_spentAt(request) != 0, probe.calls() == 1, "spent if and only if called");
        }
        assertEq(_spentAt(request), block.timestamp, "spent in the end");
    }

    /// @dev What is kept back for the results of those that follow is not for the first to use up.
    function test_AGreedyCallLeavesTheGasForWhatFollows() external {
        SignedRequest[] memory requests = new SignedRequest[](20);
        for (uint256 i; i < 20; ++i) {
            Request memory request = _request(alice.addr, abi.encodeCall(Probe.burn, ()));
            request.gas = 500_000;
            requests[i] = _sign(request, alice);
        }
        uint256 gas_ = forwarder.gasNeeded(500_000, 19) - 50_000;
        vm.prank(relayer, relayer);
        IRelayForwarder.Result[] memory results = forwarder.execute{gas: gas_}(Requests.pack(requests));
        for (uint256 i; i < 20; ++i) {
            _assertStatus(results[i].status, IRelayForwarder.Status.Skipped, "with less than all may need");
        }
    }

    function test_Naive_AReturnDataBombKillsTheBatch() external {
        Request[] memory requests = new Request[](2);
        requests[0] = _bombing();
        requests[1] = _request(alice.addr, abi.encodeCall(Probe.remember, ()));
        vm.expectRevert();
        naive.execute{gas: 1_600_000}(requests);
    }

    function test_AReturnDataBombHarmsNobody() external {
        SignedRequest[] memory requests = new SignedRequest[](2);
        requests[0] = _sign(_bombing(), alice);
        requests[1] = _sign(_request(alice.addr, abi.encodeCall(Probe.remember, ())), alice);
        vm.prank(relayer, relayer);
        IRelayForwarder.Result[] memory results = forwarder.execute{gas: 1_600_000}(Requests.pack(requests));
        _assertStatus(results[0].status, IRelayForwarder.Status.Failed, "bomb");
        assertEq(results[0].returnData.length, 256, "length of what was kept");
        _assertStatus(results[1].status, IRelayForwarder.Status.Executed, "neighbour");
    }

    /// @dev The recipient of a payment is chosen by the caller: it may burn that caller's gas, no
    /// more.
    function test_ABombingRecipientHarmsNobody() external {
        Bombing bombing = new Bombing();
        (forwarder, loan) = Deployments.pair(_setup(), relayer);
        _depositFor(alice.addr, 1 ether);
        _depositFor(bob.addr, 1 ether);
        SignedRequest[] memory requests = new SignedRequest[](2);
        requests[0] = _signed(alice, _withdrawTo(address(bombing), 1 ether));
        requests[1] = _signed(bob, _transfer(carol.addr, 1 ether));
        IRelayForwarder.Result[] memory results = _execute(requests);
        _assertStatus(results[0].status, IRelayForwarder.Status.Failed, "bomb");
        _assertStatus(results[1].status, IRelayForwarder.Status.Executed, "neighbour");
        assertEq(loan.getBalance(alice.addr), 1 ether, "balance of the caller");
    }

    /// @dev With gas to spare the payment's failure says so, in few bytes, whatever the recipient
    /// returned.
    function test_ABombingRecipientIsNamed() external {
        Bombing bombing = new Bombing();
        (forwarder, loan) = Deployments.pair(_setup(), relayer);
        _depositFor(alice.addr, 1 ether);
        vm.prank(address(forwarder));
        (bool success, bytes memory reason) = address(loan).call{gas: 5_000_000}(
            abi.encodePacked(_withdrawTo(address(bombing), 1 ether), alice.addr)
        );
        assertFalse(success, "payment");
        assertEq(reason, _error(IMicroLoan.CurrencyRefused.selector, address(bombing), 1 ether), "reason");
    }

    /// @dev As much as a million gas can return, which is far more than is cheap to copy.
    function _bombing() private returns (Request memory request) {
        request = _request(alice.addr, "");
        request.data = abi.encodeCall(Probe.explode, ());
        request.gas = 1_000_000;
    }
}
