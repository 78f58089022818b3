// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanRepayLoanTest is Base {
    function setUp() public virtual override {
        super.setUp();
        _borrow(alice);
    }

    function test_RevertGiven_TheCallerOwesNothing() external {
        _depositFor(bob.addr, 1 ether);
        bytes memory reason = _error(IMicroLoan.NoLoan.selector, bob.addr);
        _forwardFails(bob, _repayLoan(1), reason);
        _forwardFails(bob, _repayLoan(0), reason);
        _forwardFails(bob, _repayLoan(type(uint256).max), reason);
    }

    function test_RevertWhen_TheAmountIsZero() external {
        _forwardFails(alice, _repayLoan(0), _error(IMicroLoan.ZeroAmount.selector));
    }

    function test_RevertWhen_TheAmountIsOneWeiOverTheDebt() external {
        _depositFor(alice.addr, 1 ether);
        _forwardFails(
            alice,
            _repayLoan(PRINCIPAL + 1),
            _error(IMicroLoan.RepaymentTooLarge.selector, PRINCIPAL, PRINCIPAL + 1)
        );
    }

    function test_RevertGiven_TheBalanceIsOneWeiShort() external {
        _forward(alice, _transfer(bob.addr, 1));
        _forwardFails(
            alice,
            _repayLoan(PRINCIPAL),
            _error(IMicroLoan.InsufficientBalance.selector, alice.addr, PRINCIPAL - 1, PRINCIPAL)
        );
    }

    function test_GivenAPause() external {
        vm.prank(owner);
        loan.pause();
        _forward(alice, _repayLoan(PRINCIPAL));
        assertEq(loan.loanOf(alice.addr), 0, "owed");
    }

    function test_WhenTheAmountIsAPart() external {
        uint256 part = PRINCIPAL / 4;
        vm.expectEmit();
        emit IMicroLoan.LoanRepaid(alice.addr, alice.addr, part, PRINCIPAL - part);
        _forward(alice, _repayLoan(part));

        assertEq(loan.loanOf(alice.addr), PRINCIPAL - part, "owed");
        assertEq(loan.totalOwed(), PRINCIPAL - part, "total owed");
        assertEq(loan.getBalance(alice.addr), PRINCIPAL - part, "balance");
        assertEq(loan.totalBalances(), PRINCIPAL - part, "total of balances");
        assertEq(loan.liquidity(), POOL - PRINCIPAL + part, "liquidity");
    }

    function test_WhenTheAmountIsTheWhole() external {
        vm.expectEmit();
        emit IMicroLoan.LoanRepaid(alice.addr, alice.addr, PRINCIPAL, 0);
        _forward(alice, _repayLoan(PRINCIPAL));
        _assertRepaid();
    }

    function test_WhenTheAmountIsTheMaximum() external {
        _forward(alice, _repayLoan(PRINCIPAL / 4));
        vm.expectEmit();
        emit IMicroLoan.LoanRepaid(alice.addr, alice.addr, PRINCIPAL - PRINCIPAL / 4, 0);
        _forward(alice, _repayLoan(type(uint256).max));
        _assertRepaid();
    }

    function test_RevertWhen_TheAmountIsTheMaximumAndTheBalanceIsShort() external {
        _forward(alice, _transfer(bob.addr, 1));
        _forwardFails(
            alice,
            _repayLoan(type(uint256).max),
            _error(IMicroLoan.InsufficientBalance.selector, alice.addr, PRINCIPAL - 1, PRINCIPAL)
        );
    }

    function test_WhenTheCallerIsDirect() external {
        vm.prank(alice.addr);
        loan.repayLoan(PRINCIPAL);
        _assertRepaid();
    }

    function _assertRepaid() private {
        IMicroLoan.Loan memory none;
        vm.prank(alice.addr);
        assertEq(abi.encode(loan.loanDetailsOf(alice.addr)), abi.encode(none), "loan");
        assertEq(loan.loanOf(alice.addr), 0, "owed");
        assertEq(loan.totalOwed(), 0, "total owed");
        assertEq(loan.getBalance(alice.addr), 0, "balance");
        assertEq(loan.totalBalances(), 0, "total of balances");
        assertEq(loan.liquidity(), POOL, "liquidity");
    }
}

/// @notice No check is spared to a phone that has all roles, and none is made for it alone.
contract MicroLoanRepayLoanWithAllRolesTest is MicroLoanRepayLoanTest {
    function setUp() public override {
        _giveAllRolesTo(alice.addr);
        super.setUp();
    }
}
