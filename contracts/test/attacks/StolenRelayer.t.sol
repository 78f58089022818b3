// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {Vm} from "forge-std/Vm.sol";

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {Request, SignedRequest} from "../support/Requests.sol";

/// @notice The demonstration's contract with a pool: one loan an address, and addresses are free.
contract NaiveLoan {
    mapping(address => uint256) public loanOf;
    mapping(address => uint256) public getBalance;
    uint256 public liquidity;

    constructor() payable {
        liquidity = msg.value;
    }

    function applyForLoan() external {
        require(loanOf[msg.sender] == 0, "Existing loan active");
        loanOf[msg.sender] = 0.01 ether;
        getBalance[msg.sender] += 0.01 ether;
        liquidity -= 0.01 ether;
    }
}

contract StolenRelayerTest is Base {
    uint256 private _made;

    function test_Naive_MadeUpAddressesDrainThePool() external {
        vm.deal(address(this), 1 ether);
        NaiveLoan naive = new NaiveLoan{value: 1 ether}();
        for (uint256 i; i < 100; ++i) {
            vm.prank(_madeUp().addr);
            naive.applyForLoan();
        }
        assertEq(naive.liquidity(), 0, "liquidity");
    }

    function test_MadeUpAddressesBorrowNothing() external {
        for (uint256 i; i < 100; ++i) {
            _fails(_madeUp().addr, _applyForLoan(), _error(IMicroLoan.ForwardedCallersOnly.selector));
        }
        assertEq(loan.liquidity(), POOL, "liquidity");
    }

    /// @dev The thief has a relayer's key, makes up as many signers as he likes, and comes every
    /// hour of ten days. Each day costs the pool the cap at most.
    function test_AStolenRelayerKeyGetsTheCapAtMost() external {
        uint256 start = block.timestamp;
        for (uint256 hour_; hour_ < 240; ++hour_) {
            vm.warp(start + hour_ * 1 hours);
            for (uint256 i; i < CAP / PRINCIPAL + 1; ++i) {
                _execute(_signed(_madeUp(), _applyForLoan()));
            }
            assertLe(loan.totalOwed(), (hour_ / 24 + 1) * CAP, "issued until now");
        }
        assertGt(loan.totalOwed(), 9 * CAP, "the thief tried");
        assertEq(loan.liquidity(), POOL - loan.totalOwed(), "liquidity");
    }

    /// @dev Without the caller's signature a relayer can do nothing in the caller's name.
    function test_AStolenRelayerKeyTouchesNoAccount() external {
        _depositFor(alice.addr, 5 ether);
        Request memory request = _request(alice.addr, _transfer(relayer, 5 ether));
        _assertStatus(_execute(_sign(request, bob)).status, IRelayForwarder.Status.BadSignature, "by another");
        vm.prank(relayer, relayer);
        vm.expectRevert(_error(IMicroLoan.InsufficientBalance.selector, relayer, 0, 5 ether));
        loan.transfer(relayer, 5 ether);
        assertEq(loan.getBalance(alice.addr), 5 ether, "balance");
    }

    /// @dev Whatever the thief signs with an id that he saw, it is another intent than the
    /// caller's.
    function test_AStolenRelayerKeySpendsNoIntentOfACaller() external {
        Request memory wanted = _request(alice.addr, _applyForLoan());
        Request memory forged = _request(bob.addr, _applyForLoan());
        forged.intentId = wanted.intentId;
        _assertStatus(_execute(_sign(forged, bob)).status, IRelayForwarder.Status.Executed, "forged");
        assertEq(_spentAt(wanted), 0, "when the caller's was spent");
        _assertStatus(_execute(_sign(wanted, alice)).status, IRelayForwarder.Status.Executed, "wanted");
        assertEq(loan.getBalance(alice.addr), PRINCIPAL, "balance");
    }

    function test_AStolenRelayerKeyIsStoppedByTheGuardianAndByTheOwner() external {
        SignedRequest memory signed = _signed(alice, _applyForLoan());
        vm.prank(guardian);
        forwarder.pause();
        _executeFails(signed, _error(Pausable.EnforcedPause.selector));
        vm.startPrank(owner);
        forwarder.unpause();
        forwarder.setRelayer(relayer, false);
        vm.stopPrank();
        _executeFails(signed, _error(IRelayForwarder.NotRelayer.selector, relayer));
    }

    function _madeUp() private returns (Vm.Wallet memory) {
        return vm.createWallet(uint256(keccak256(abi.encode("made up", ++_made))));
    }
}
