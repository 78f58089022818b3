// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {SignedRequest} from "../support/Requests.sol";

/// @notice The drill after the account secret was stolen: the thief has the key of every phone and
/// gas for all of them, and announces and transfers as fast as he can. He has no relayer's key.
contract StolenSecretTest is Base {
    uint256 internal constant PHONES = 12;
    uint256 internal constant LIMIT = 2 ether;
    address internal thief = makeAddr("thief");
    Vm.Wallet[] internal olds;
    Vm.Wallet[] internal news;

    function setUp() public override {
        super.setUp();
        vm.prank(owner);
        loan.setWithdrawalLimit(LIMIT);
        _setDailyCap(10 ether);
        for (uint256 i; i < PHONES; ++i) {
            olds.push(vm.createWallet(uint256(keccak256(abi.encode("old secret", i)))));
            news.push(vm.createWallet(uint256(keccak256(abi.encode("new secret", i)))));
            _depositFor(olds[i].addr, 1 ether);
            if (i % 3 == 0) _borrow(olds[i]);
        }
    }

    function test_Drill() external {
        uint256 owed = loan.totalOwed();
        uint256 held = loan.totalBalances();

        // The first day: before anybody notices, the thief takes what the limit lets him, from one
        // account after another, and announces everything.
        uint256 stolen;
        for (uint256 i; i < PHONES; ++i) {
            vm.startPrank(olds[i].addr);
            loan.announceWithdrawal(1 ether);
            try loan.transfer(thief, 1 ether) {
                stolen += 1 ether;
            } catch {}
            vm.stopPrank();
        }
        assertEq(stolen, LIMIT, "taken before the pause");

        // The guardian pauses; the thief gets nothing more, whatever he signs.
        vm.prank(guardian);
        loan.pause();
        for (uint256 i; i < PHONES; ++i) {
            vm.startPrank(olds[i].addr);
            (bool isTransferred,) = address(loan).call(_transfer(thief, 1));
            (bool isWithdrawn,) = address(loan).call(abi.encodeCall(IMicroLoan.withdraw, (1)));
            vm.stopPrank();
            assertFalse(isTransferred || isWithdrawn, "taken during the pause");
        }

        // The operator brings every account to the new secret, two requests for each in one batch.
        for (uint256 i; i < PHONES; ++i) {
            _pass(olds[i], news[i]);
        }

        // The notice ends, and there is nothing left but what was transferred on the first day.
        vm.warp(block.timestamp + 48 hours);
        for (uint256 i; i < PHONES; ++i) {
            vm.prank(olds[i].addr);
            vm.expectRevert(_error(IMicroLoan.InsufficientBalance.selector, olds[i].addr, 0, 1));
            loan.withdraw(1);
        }
        vm.prank(owner);
        loan.unpause();
        uint256 safe;
        for (uint256 i; i < PHONES; ++i) {
            safe += loan.getBalance(news[i].addr);
            assertEq(loan.loanOf(news[i].addr), i % 3 == 0 ? PRINCIPAL : 0, "debt");
        }
        assertEq(safe, held - LIMIT, "brought to safety");
        assertEq(loan.totalOwed(), owed, "owed to the pool");
    }

    /// @dev With a relayer's key too: everything moves at once, but within the contract, and leaves
    /// it as slowly.
    function test_WithARelayersKey() external {
        uint256 held = loan.totalBalances();
        for (uint256 i; i < PHONES; ++i) {
            _forward(olds[i], _transfer(thief, loan.getBalance(olds[i].addr)));
        }
        assertEq(loan.getBalance(thief), held, "moved at once");
        vm.startPrank(thief);
        loan.announceWithdrawal(held);
        vm.warp(block.timestamp + 48 hours - 1);
        (bool isEarly,) = address(loan).call(abi.encodeCall(IMicroLoan.withdraw, (1)));
        assertFalse(isEarly, "withdrawn before it is due");
        vm.warp(block.timestamp + 1);
        loan.withdraw(held);
        vm.stopPrank();
        assertEq(thief.balance, held, "withdrawn when it is due");
    }

    function _pass(Vm.Wallet memory from, Vm.Wallet memory to) private {
        SignedRequest[] memory requests = new SignedRequest[](2);
        requests[0] = _signed(to, abi.encodeCall(IMicroLoan.acceptAccount, (from.addr)));
        requests[1] = _signed(from, abi.encodeCall(IMicroLoan.passAccount, (to.addr)));
        IRelayForwarder.Result[] memory results = _execute(requests);
        _assertStatus(results[0].status, IRelayForwarder.Status.Executed, "acceptance");
        _assertStatus(results[1].status, IRelayForwarder.Status.Executed, "passing on");
    }
}
