// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {Base} from "../support/Base.sol";
import {DeployedForwarder, DeployedLoan} from "../support/Deployments.sol";

/// @notice The way to a new version, as contracts/README.md describes it, with everybody on it: a
/// phone with a balance, a phone that owes and has spent the loan, and an outside wallet.
contract NewVersionTest is Base {
    address internal wallet = makeAddr("outside wallet");
    DeployedLoan internal old;
    DeployedForwarder internal oldForwarder;

    function setUp() public override {
        super.setUp();
        _depositFor(alice.addr, 3 ether);
        _borrow(bob);
        _forward(bob, _transfer(wallet, PRINCIPAL));
        (old, oldForwarder) = (loan, forwarder);
    }

    function test_Walk() external {
        // The new pair, which takes accounts from the old pool alone.
        (DeployedForwarder newForwarder, DeployedLoan fresh) = _deploySuccessor();
        vm.startPrank(owner);

        // Named 48 hours ahead. Then lending stops, and everybody moves by a request of their own.
        old.announceSuccessor(address(fresh));
        vm.stopPrank();
        vm.warp(block.timestamp + 48 hours);
        vm.prank(guardian);
        old.pause();
        _forward(alice, abi.encodeCall(IMicroLoan.moveAccount, ()));
        _forward(bob, abi.encodeCall(IMicroLoan.moveAccount, ()));
        assertEq(fresh.getBalance(alice.addr), 3 ether, "balance of the phone");
        assertEq(fresh.loanOf(bob.addr), PRINCIPAL, "debt of the borrower");
        assertEq(old.totalOwed(), 0, "owed to the old pool");

        // A run that was stopped is repeated: who has moved has nothing left to move.
        _forwardFails(
            alice,
            abi.encodeCall(IMicroLoan.moveAccount, ()),
            _error(IMicroLoan.NothingToMove.selector, alice.addr)
        );

        // The free pool moves with its owner, and the Worker points to the new pair.
        vm.startPrank(owner);
        uint256 pool = old.liquidity();
        old.defund(pool);
        fresh.fund{value: pool}();
        vm.stopPrank();
        (loan, forwarder) = (fresh, newForwarder);
        _forward(alice, _transfer(carol.addr, 1 ether));
        _borrow(carol);
        _depositFor(bob.addr, PRINCIPAL);
        _forward(bob, _repayLoan(type(uint256).max));
        assertEq(fresh.getBalance(carol.addr), 1 ether + PRINCIPAL, "balance of another");

        // The wallet, whose key is nobody else's, leaves or moves by itself.
        (loan, forwarder) = (old, oldForwarder);
        _withdraw(wallet, PRINCIPAL);
        assertEq(wallet.balance, PRINCIPAL, "currency of the wallet");
        assertEq(address(old).balance, 0, "currency held");
        assertEq(old.totalBalances(), 0, "total of balances");
    }

    /// @dev Without the relay, or against the will of the forwarder's owner: a key is enough.
    function test_AKeyAloneIsEnoughToLeave() external {
        vm.startPrank(owner);
        old.pause();
        oldForwarder.setRelayer(relayer, false);
        vm.stopPrank();
        _withdraw(alice.addr, 3 ether);
        assertEq(alice.addr.balance, 3 ether, "currency of the account");
        hoax(bob.addr, PRINCIPAL);
        old.deposit{value: PRINCIPAL}();
        vm.prank(bob.addr);
        old.repayLoan(type(uint256).max);
        assertEq(old.loanOf(bob.addr), 0, "owed");
    }
}
