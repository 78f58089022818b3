// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {AliceHasAllRoles, Base, BobHasAllRoles, InTokensOf6} from "../../support/Base.sol";

contract MicroLoanPassAccountTest is Base {
    function setUp() public override {
        super.setUp();
        _depositFor(alice.addr, 3 ether);
        _borrow(alice);
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
        _borrowAndRepay(bob);
        _forward(bob, _accept(alice.addr));
        _forwardFails(alice, _pass(bob.addr), _error(IMicroLoan.AccountInUse.selector, bob.addr));
    }

    function test_GivenTheHeirHasAgreed() external {
        _list(alice.addr, true);
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

        _assertAccount(bob.addr, 4 ether + PRINCIPAL, PRINCIPAL);
        assertEq(abi.encode(loan.loanDetailsOf(bob.addr)), abi.encode(before), "heir's loan");
        assertTrue(loan.isListed(bob.addr), "heir's place in the list");
        _assertAccount(alice.addr, 0, 0);
        assertFalse(loan.isListed(alice.addr), "place in the list");
        _assertSums(POOL - PRINCIPAL, 4 ether + PRINCIPAL, PRINCIPAL);
        assertEq(loan.acceptedBy(bob.addr), address(0), "accepted then");
        _forward(bob, _repayLoan(PRINCIPAL));
        assertEq(loan.issuable(), CAP, "issuable");
    }

    /// @dev The history stays with both: passing an account on is no way around the limits.
    function test_GivenLimitsForEachBorrower() external {
        _setLimits(10 minutes, 1, false);
        _forward(bob, _accept(alice.addr));
        _forward(alice, _pass(bob.addr));
        uint256 nextAt = block.timestamp + 10 minutes;
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.LoanTooSoon.selector, alice.addr, nextAt));
        vm.warp(nextAt);
        _forwardFails(alice, _applyForLoan(), _error(IMicroLoan.BorrowerLimitReached.selector, alice.addr, 1));
        _forward(bob, _repayLoan(type(uint256).max));
        _forwardFails(bob, _applyForLoan(), _error(IMicroLoan.BorrowerLimitReached.selector, bob.addr, 1));
    }

    function test_GivenALoanThatIsWrittenOff() external {
        vm.prank(owner);
        loan.writeOff(alice.addr);
        _forward(bob, _accept(alice.addr));
        _forward(alice, _pass(bob.addr));
        assertTrue(loan.loanDetailsOf(bob.addr).isWrittenOff, "written off");
        _forward(bob, _repayLoan(PRINCIPAL));
        _assertSums(POOL, 3 ether, 0);
        _forward(carol, _accept(alice.addr));
        _forward(alice, _pass(carol.addr));
        _assertAccount(carol.addr, 0, 0);
    }
}

contract MicroLoanPassAccountWithAllRolesTest is MicroLoanPassAccountTest, AliceHasAllRoles {}

contract MicroLoanPassAccountToAllRolesTest is MicroLoanPassAccountTest, BobHasAllRoles {}

contract MicroLoanPassAccountInTokensTest is MicroLoanPassAccountTest, InTokensOf6 {}
