// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanApplyForLoanTest is Base {
    function test_RevertWhen_TheCallerIsDirect() external {
        vm.prank(alice.addr);
        vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
        loan.applyForLoan();
    }

    /// @dev The forwarder never calls without a signer's address; if it did, no account would be harmed.
    function test_WhenTheForwarderItselfIsADirectCaller() external {
        vm.prank(address(forwarder));
        loan.applyForLoan();
        assertEq(loan.loanOf(address(forwarder)), PRINCIPAL, "owed by the forwarder");
        assertEq(loan.totalOwed(), PRINCIPAL, "total owed");
    }

    function test_RevertGiven_APause() external {
        vm.prank(owner);
        loan.pause();
        _forwardFails(alice, _applyForLoan(), abi.encodeWithSelector(Pausable.EnforcedPause.selector));
    }

    function test_RevertGiven_TheCallerOwes() external {
        _borrow(alice);
        _forward(alice, _repayLoan(1));
        _forwardFails(
            alice,
            _applyForLoan(),
            abi.encodeWithSelector(IMicroLoan.LoanActive.selector, alice.addr, PRINCIPAL - 1)
        );
    }

    function test_RevertGiven_TheDailyCapIsUsedUp() external {
        _useUpCap();
        _forwardFails(
            alice, _applyForLoan(), abi.encodeWithSelector(IMicroLoan.DailyCapReached.selector, 0, PRINCIPAL)
        );
    }

    function test_RevertGiven_ThePrincipalIsOneWeiOverWhatTheCapLeaves() external {
        vm.prank(owner);
        loan.setDailyCap(PRINCIPAL - 1);
        _forwardFails(
            alice,
            _applyForLoan(),
            abi.encodeWithSelector(IMicroLoan.DailyCapReached.selector, PRINCIPAL - 1, PRINCIPAL)
        );
    }

    function test_GivenThePrincipalIsJustWhatTheCapLeaves() external {
        vm.prank(owner);
        loan.setDailyCap(PRINCIPAL);
        _borrow(alice);
        assertEq(loan.loanOf(alice.addr), PRINCIPAL, "owed");
        assertEq(loan.issuable(), 0, "issuable");
    }

    function test_RevertGiven_TheLiquidityIsOneWeiShort() external {
        vm.prank(owner);
        loan.defund(POOL - PRINCIPAL + 1);
        _forwardFails(
            alice,
            _applyForLoan(),
            abi.encodeWithSelector(IMicroLoan.InsufficientLiquidity.selector, PRINCIPAL - 1, PRINCIPAL)
        );
    }

    function test_GivenTheLiquidityIsJustEnough() external {
        vm.prank(owner);
        loan.defund(POOL - PRINCIPAL);
        _borrow(alice);
        assertEq(loan.liquidity(), 0, "liquidity");
    }

    function test_GivenAllStandsInTheWay() external {
        _borrow(alice);
        vm.startPrank(owner);
        loan.setDailyCap(0);
        loan.defund(loan.liquidity());
        loan.pause();
        vm.stopPrank();

        vm.prank(alice.addr);
        vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
        loan.applyForLoan();
        _forwardFails(alice, _applyForLoan(), abi.encodeWithSelector(Pausable.EnforcedPause.selector));
        vm.prank(owner);
        loan.unpause();
        _forwardFails(
            alice,
            _applyForLoan(),
            abi.encodeWithSelector(IMicroLoan.LoanActive.selector, alice.addr, PRINCIPAL)
        );
        _forwardFails(
            bob, _applyForLoan(), abi.encodeWithSelector(IMicroLoan.DailyCapReached.selector, 0, PRINCIPAL)
        );
        vm.prank(owner);
        loan.setDailyCap(1 ether);
        _forwardFails(
            bob,
            _applyForLoan(),
            abi.encodeWithSelector(IMicroLoan.InsufficientLiquidity.selector, 0, PRINCIPAL)
        );
    }

    function test_GivenTheLoanWasRepaid() external {
        _borrow(alice);
        _forward(alice, _repayLoan(PRINCIPAL));
        _borrow(alice);
        assertEq(loan.loanOf(alice.addr), PRINCIPAL, "owed");
        assertEq(loan.getBalance(alice.addr), PRINCIPAL, "balance");
        assertEq(loan.issuable(), CAP - 2 * PRINCIPAL, "repayment gives the cap nothing back");
    }

    function test_GivenTheCallerHasABalance() external {
        _depositFor(alice.addr, 3 ether);
        _borrow(alice);
        assertEq(loan.getBalance(alice.addr), 3 ether + PRINCIPAL, "balance");
        assertEq(loan.totalBalances(), 3 ether + PRINCIPAL, "total of balances");
    }

    function test_GivenNothingStandsInTheWay() external {
        uint256 held = address(loan).balance;
        vm.expectEmit();
        emit IMicroLoan.LoanIssued(alice.addr, PRINCIPAL);
        _borrow(alice);

        assertEq(loan.getBalance(alice.addr), PRINCIPAL, "balance");
        assertEq(loan.loanOf(alice.addr), PRINCIPAL, "owed");
        assertEq(loan.liquidity(), POOL - PRINCIPAL, "liquidity");
        assertEq(loan.totalBalances(), PRINCIPAL, "total of balances");
        assertEq(loan.totalOwed(), PRINCIPAL, "total owed");
        assertEq(loan.issuable(), CAP - PRINCIPAL, "issuable");
        assertEq(address(loan).balance, held, "currency held");
    }

    function _useUpCap() private {
        for (uint256 i; i < CAP / PRINCIPAL; ++i) {
            _borrow(vm.createWallet(string.concat("borrower ", vm.toString(i))));
        }
    }
}
