// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {Reentrant} from "../support/Receivers.sol";
import {Request, Requests, SignedRequest} from "../support/Requests.sol";

/// @notice Pays before it debits.
contract NaiveBank {
    mapping(address => uint256) public getBalance;

    function deposit() external payable {
        getBalance[msg.sender] += msg.value;
    }

    function withdraw(uint256 amount) external {
        require(getBalance[msg.sender] >= amount);
        (bool success,) = msg.sender.call{value: amount}("");
        require(success);
        unchecked {
            getBalance[msg.sender] -= amount;
        }
    }
}

/// @notice An allowed relayer that is also a target, and executes the same request again from
/// within.
contract ReentrantRelayer {
    IRelayForwarder internal _forwarder;
    bytes internal _batch;
    uint256 public calls;

    function look(IRelayForwarder forwarder) external {
        _forwarder = forwarder;
    }

    function keep(SignedRequest memory request) external {
        _batch = Requests.pack(request);
    }

    function again() external {
        ++calls;
        _forwarder.execute(_batch);
    }
}

contract ReentranceTest is Base {
    function test_Naive_AReentrantWithdrawalPaysTwice() external {
        NaiveBank naive = new NaiveBank();
        hoax(stranger, 10 ether);
        naive.deposit{value: 10 ether}();
        Reentrant reentrant = new Reentrant(IMicroLoan(address(naive)));
        vm.deal(address(this), 1 ether);
        reentrant.depositAndWithdraw{value: 1 ether}();
        assertGt(address(reentrant).balance, 1 ether, "currency of the attacker");
    }

    function test_AReentrantWithdrawalPaysOnce() external {
        _depositFor(alice.addr, 10 ether);
        Reentrant reentrant = new Reentrant(loan);
        // Announces more than it will have, so that the notice is not what stands against it.
        _announce(address(reentrant), 100 ether);
        vm.deal(address(this), 1 ether);
        reentrant.depositAndWithdraw{value: 1 ether}();
        assertEq(reentrant.attempts(), 1, "attempts");
        assertEq(reentrant.successes(), 0, "successes");
        assertEq(address(reentrant).balance, 1 ether, "currency of the attacker");
        assertEq(address(loan).balance, POOL + 10 ether, "currency held");
        assertEq(loan.totalBalances(), 10 ether, "total of balances");
    }

    function test_ARequestIsNotExecutedFromWithin() external {
        ReentrantRelayer reentrant = new ReentrantRelayer();
        _target(address(reentrant));
        reentrant.look(forwarder);
        vm.prank(owner);
        forwarder.setRelayer(address(reentrant), true);
        Request memory request = _request(alice.addr, abi.encodeCall(ReentrantRelayer.again, ()));
        request.gas = 500_000;
        reentrant.keep(_sign(request, alice));

        IRelayForwarder.Result memory result = _execute(_sign(request, alice));
        _assertStatus(result.status, IRelayForwarder.Status.Failed, "outer");
        assertEq(
            result.returnData, _error(IRelayForwarder.NotPlainAccount.selector, address(reentrant)), "reason"
        );
        assertEq(reentrant.calls(), 0, "calls");
    }
}
