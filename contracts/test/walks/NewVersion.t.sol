// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MicroLoan} from "../../src/MicroLoan.sol";
import {RelayForwarder} from "../../src/RelayForwarder.sol";
import {Base} from "../support/Base.sol";

/// @notice The way to a new version, as contracts/README.md describes it, with everybody on it: a phone with a
/// balance, a phone that owes and has spent the loan, and an outside wallet.
contract NewVersionTest is Base {
    address internal custody = makeAddr("the operator's paying-out wallet");
    address internal wallet = makeAddr("outside wallet");
    MicroLoan internal old;
    RelayForwarder internal oldForwarder;

    function setUp() public override {
        super.setUp();
        _depositFor(alice.addr, 3 ether);
        _borrow(bob);
        _forward(bob, _transfer(wallet, PRINCIPAL));
        (old, oldForwarder) = (loan, forwarder);
    }

    function test_Walk() external {
        // Pause: no new loans, no transfers. The free pool goes back to the owner.
        vm.startPrank(owner);
        old.pause();
        old.defund(old.liquidity());
        vm.stopPrank();

        // The new pair.
        RelayForwarder newForwarder = new RelayForwarder(owner, guardian);
        MicroLoan fresh = new MicroLoan(address(newForwarder), owner, PRINCIPAL, CAP);
        vm.startPrank(owner);
        newForwarder.setRelayer(relayer, true);
        newForwarder.setTarget(address(fresh), true);
        vm.stopPrank();
        vm.deal(owner, POOL);
        vm.prank(owner);
        fresh.fund{value: POOL}();

        // Pay out: each phone's balance leaves the old contract by its own signed request and is credited to
        // the same account in the new one.
        _forward(alice, _withdrawTo(custody, 3 ether));
        vm.prank(custody);
        fresh.depositFor{value: 3 ether}(alice.addr);

        // The Worker now points to the new pair.
        (loan, forwarder) = (fresh, newForwarder);
        _forward(alice, _transfer(carol.addr, 1 ether));
        _borrow(carol);
        assertEq(fresh.getBalance(alice.addr), 2 ether, "balance of the phone");
        assertEq(fresh.getBalance(carol.addr), 1 ether + PRINCIPAL, "balance of another");

        // Who was not moved is where they were: the wallet withdraws, the borrower repays.
        vm.prank(wallet);
        old.withdraw(PRINCIPAL);
        assertEq(wallet.balance, PRINCIPAL, "currency of the wallet");
        (loan, forwarder) = (old, oldForwarder);
        _depositFor(bob.addr, PRINCIPAL);
        _forward(bob, _repayLoan(type(uint256).max));
        assertEq(old.totalOwed(), 0, "owed");

        // And the owner closes the books.
        vm.prank(owner);
        old.defund(PRINCIPAL);
        assertEq(address(old).balance, 0, "currency held");
        assertEq(old.totalBalances(), 0, "total of balances");
    }

    /// @dev Without the relay, or against the will of the forwarder's owner: a key is enough.
    function test_AKeyAloneIsEnoughToLeave() external {
        vm.startPrank(owner);
        old.pause();
        oldForwarder.setRelayer(relayer, false);
        oldForwarder.setTarget(address(old), false);
        vm.stopPrank();
        vm.prank(alice.addr);
        old.withdraw(3 ether);
        assertEq(alice.addr.balance, 3 ether, "currency of the account");
        hoax(bob.addr, PRINCIPAL);
        old.deposit{value: PRINCIPAL}();
        vm.prank(bob.addr);
        old.repayLoan(type(uint256).max);
        assertEq(old.loanOf(bob.addr), 0, "owed");
    }
}
