// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanPassAccountTest is Base {
    function setUp() public virtual override {
        super.setUp();
        _depositFor(alice.addr, 3 ether);
        _borrow(alice);
    }

    function test_RevertWhen_TheCallerIsDirect() external {
        vm.startPrank(alice.addr);
        vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
        loan.acceptAccount(bob.addr);
        vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
        loan.passAccount(bob.addr);
    }

    function test_RevertWhen_TheCallerAcceptsItself() external {
        _forwardFails(bob, _accept(bob.addr), _error(IMicroLoan.InvalidRecipient.selector, bob.addr));
    }

    /// @dev Else a borrower could put its debt on anybody.
    function test_RevertGiven_TheHeirHasNotAgreed() external {
        bytes memory reason = _error(IMicroLoan.NotAccepted.selector, bob.addr, alice.addr);
        _forwardFails(alice, _pass(bob.addr), reason);
        _forward(bob, _accept(carol.addr));
        _forwardFails(alice, _pass(bob.addr), reason);
        _forward(bob, _accept(alice.addr));
        _forward(bob, _accept(address(0)));
        _forwardFails(alice, _pass(bob.addr), reason);
    }

    function test_RevertGiven_TheHeirHasBorrowed() external {
        _borrow(bob);
        _forward(bob, _repayLoan(PRINCIPAL));
        _forward(bob, _accept(alice.addr));
        _forwardFails(alice, _pass(bob.addr), _error(IMicroLoan.AccountInUse.selector, bob.addr));
    }

    function test_GivenTheHeirHasAgreed() external {
        _list(alice.addr);
        _depositFor(bob.addr, 1 ether);
        IMicroLoan.Loan memory before = loan.loanDetailsOf(alice.addr);
        vm.expectEmit();
        emit IMicroLoan.AccountAccepted(bob.addr, alice.addr);
        _forward(bob, _accept(alice.addr));
        assertEq(loan.acceptedBy(bob.addr), alice.addr, "accepted");
        vm.warp(block.timestamp + 1 hours);
        vm.expectEmit();
        emit IMicroLoan.AccountPassed(alice.addr, bob.addr, 3 ether + PRINCIPAL, PRINCIPAL);
        _forward(alice, _pass(bob.addr));

        assertEq(loan.getBalance(bob.addr), 4 ether + PRINCIPAL, "heir's balance");
        assertEq(abi.encode(loan.loanDetailsOf(bob.addr)), abi.encode(before), "heir's loan");
        assertTrue(loan.isListed(bob.addr), "heir's place in the list");
        assertEq(loan.getBalance(alice.addr), 0, "balance");
        assertEq(loan.loanOf(alice.addr), 0, "owed");
        assertFalse(loan.isListed(alice.addr), "place in the list");
        assertEq(loan.totalBalances(), 4 ether + PRINCIPAL, "total of balances");
        assertEq(loan.totalOwed(), PRINCIPAL, "total owed");
        assertEq(loan.acceptedBy(bob.addr), address(0), "accepted then");
        _forward(bob, _repayLoan(PRINCIPAL));
        assertEq(loan.issuable(), CAP, "issuable");
    }

    /// @dev The history stays with both: passing an account on is no way around the limits.
    function test_GivenLimitsForEachBorrower() external {
        IMicroLoan.Terms memory terms = loan.terms();
        (terms.loansPerDay, terms.pauseBetween) = (1, 10 minutes);
        _setTerms(terms);
        _forward(bob, _accept(alice.addr));
        _forward(alice, _pass(bob.addr));
        _forwardFails(
            alice,
            _applyForLoan(),
            _error(IMicroLoan.LoanTooSoon.selector, alice.addr, block.timestamp + 10 minutes)
        );
        vm.warp(block.timestamp + 10 minutes);
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.BorrowerLimitReached.selector, alice.addr, 1));
        _forward(bob, _repayLoan(type(uint256).max));
        _forwardFails(bob, _applyForLoan(), _error(IMicroLoan.BorrowerLimitReached.selector, bob.addr, 1));
    }

    function test_GivenAPauseAndALoanThatIsWrittenOff() external {
        vm.startPrank(owner);
        loan.writeOff(alice.addr);
        loan.pause();
        vm.stopPrank();
        _forward(bob, _accept(alice.addr));
        _forward(alice, _pass(bob.addr));
        assertTrue(loan.loanDetailsOf(bob.addr).isWrittenOff, "written off");
        assertEq(loan.totalOwed(), 0, "total owed");
        _forward(bob, _repayLoan(PRINCIPAL));
        assertEq(loan.liquidity(), POOL, "liquidity");
        _forward(carol, _accept(alice.addr));
        _forward(alice, _pass(carol.addr));
        assertEq(loan.getBalance(carol.addr), 0, "passed on twice");
    }

    function _list(address account) private {
        address[] memory accounts = new address[](1);
        accounts[0] = account;
        vm.prank(creditor);
        loan.setBorrowers(accounts, true);
    }

    function _accept(address from) private pure returns (bytes memory) {
        return abi.encodeCall(IMicroLoan.acceptAccount, (from));
    }

    function _pass(address to) private pure returns (bytes memory) {
        return abi.encodeCall(IMicroLoan.passAccount, (to));
    }
}

/// @notice No check is spared to a phone that has all roles, and none is made for it alone.
contract MicroLoanPassAccountWithAllRolesTest is MicroLoanPassAccountTest {
    function setUp() public virtual override {
        _giveAllRolesTo(alice.addr);
        super.setUp();
    }
}

/// @notice Nor where the heir has them.
contract MicroLoanPassAccountToAllRolesTest is MicroLoanPassAccountTest {
    function setUp() public override {
        _giveAllRolesTo(bob.addr);
        super.setUp();
    }
}
