// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";
import {Refusing} from "../../support/Receivers.sol";

contract MicroLoanWithdrawToTest is Base {
    address internal wallet = makeAddr("outside wallet");

    function setUp() public virtual override {
        super.setUp();
        _depositFor(alice.addr, 5 ether);
    }

    function test_RevertWhen_TheCallerIsDirect() external {
        vm.prank(alice.addr);
        vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
        loan.withdrawTo(payable(wallet), 1);
    }

    function test_RevertWhen_TheRecipientIsZero() external {
        _refuses(address(0));
    }

    function test_RevertWhen_TheRecipientIsTheContract() external {
        _refuses(address(loan));
    }

    function test_RevertWhen_TheRecipientIsTheForwarder() external {
        _refuses(address(forwarder));
    }

    function test_RevertWhen_TheAmountIsZero() external {
        _forwardFails(alice, _withdrawTo(wallet, 0), _error(IMicroLoan.ZeroAmount.selector));
    }

    function test_RevertWhen_TheAmountIsOneWeiOverTheBalance() external {
        _forwardFails(
            alice,
            _withdrawTo(wallet, 5 ether + 1),
            _error(IMicroLoan.InsufficientBalance.selector, alice.addr, 5 ether, 5 ether + 1)
        );
    }

    function test_RevertGiven_TheRecipientTakesNoCurrency() external {
        address refusing = address(new Refusing());
        _forwardFails(
            alice,
            _withdrawTo(refusing, 1 ether),
            _error(IMicroLoan.CurrencyRefused.selector, refusing, 1 ether)
        );
        assertEq(loan.getBalance(alice.addr), 5 ether, "balance");
        assertEq(loan.totalBalances(), 5 ether, "total of balances");
    }

    function test_RevertGiven_APause() external {
        vm.prank(owner);
        loan.pause();
        _forwardFails(alice, _withdrawTo(wallet, 5 ether), _error(Pausable.EnforcedPause.selector));
    }

    function test_RevertGiven_TheLimitLeavesOneWeiLess() external {
        vm.prank(owner);
        loan.setWithdrawalLimit(2 ether);
        _depositFor(bob.addr, 5 ether);
        _forward(bob, _withdrawTo(wallet, 1 ether));
        _forwardFails(
            alice,
            _withdrawTo(wallet, 1 ether + 1),
            _error(IMicroLoan.WithdrawalLimitReached.selector, 1 ether, 1 ether + 1)
        );
        _forward(alice, _withdrawTo(wallet, 1 ether));
        assertEq(loan.withdrawable(), 0, "left to forwarded withdrawals");
        assertEq(loan.transferable(), 2 ether, "left to direct transfers");
        vm.warp(block.timestamp + 25 hours);
        _forward(alice, _withdrawTo(wallet, 2 ether));
        assertEq(wallet.balance, 4 ether, "currency of the recipient");
    }

    function test_GivenTheCallerHasTheAmount() external {
        vm.expectEmit();
        emit IMicroLoan.Withdrawn(alice.addr, wallet, 2 ether);
        _forward(alice, _withdrawTo(wallet, 2 ether));

        assertEq(wallet.balance, 2 ether, "currency of the recipient");
        assertEq(loan.getBalance(alice.addr), 3 ether, "balance");
        assertEq(loan.totalBalances(), 3 ether, "total of balances");
        assertEq(loan.liquidity(), POOL, "liquidity");
        assertEq(address(loan).balance, POOL + 3 ether, "currency held");
    }

    function _refuses(address recipient) private {
        _forwardFails(
            alice, _withdrawTo(recipient, 1), _error(IMicroLoan.InvalidRecipient.selector, recipient)
        );
    }
}

/// @notice No check is spared to a phone that has all roles, and none is made for it alone.
contract MicroLoanWithdrawToWithAllRolesTest is MicroLoanWithdrawToTest {
    function setUp() public override {
        _giveAllRolesTo(alice.addr);
        super.setUp();
    }
}
