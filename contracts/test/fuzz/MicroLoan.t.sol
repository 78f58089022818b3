// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {Base} from "../support/Base.sol";
import {Forcing} from "../support/Receivers.sol";

/// @notice One property a test, for any amounts and accounts. Phones act through a prank of the forwarder
/// here, which is what the forwarder's own tests show it to do.
contract MicroLoanFuzzTest is Base {
    function setUp() public override {
        super.setUp();
        vm.prank(owner);
        loan.setDailyCap(1_000 ether);
    }

    function testFuzz_DepositsAddUp(address account, uint96 first, uint96 second) external {
        account = _recipient(account);
        first = uint96(bound(first, 1, type(uint96).max));
        second = uint96(bound(second, 1, type(uint96).max));
        _depositFor(account, first);
        _depositFor(account, second);
        assertEq(loan.getBalance(account), uint256(first) + second, "balance");
        assertEq(loan.totalBalances(), uint256(first) + second, "total of balances");
        assertEq(address(loan).balance, POOL + first + second, "currency held");
    }

    function testFuzz_TransferMovesJustTheAmount(address to, uint96 balance, uint96 amount, bool direct)
        external
    {
        to = _recipient(to);
        vm.assume(to != alice.addr);
        balance = uint96(bound(balance, 1, type(uint96).max));
        amount = uint96(bound(amount, 1, balance));
        _depositFor(alice.addr, balance);

        _act(alice.addr, direct, _transfer(to, amount));
        assertEq(loan.getBalance(alice.addr), balance - amount, "sender's balance");
        assertEq(loan.getBalance(to), amount, "recipient's balance");
        assertEq(loan.totalBalances(), balance, "total of balances");
        assertEq(loan.liquidity(), POOL, "liquidity");
    }

    function testFuzz_TransferToOneselfChangesNothing(uint96 balance, uint96 amount) external {
        balance = uint96(bound(balance, 1, type(uint96).max));
        amount = uint96(bound(amount, 1, balance));
        _depositFor(alice.addr, balance);
        _act(alice.addr, false, _transfer(alice.addr, amount));
        assertEq(loan.getBalance(alice.addr), balance, "balance");
        assertEq(loan.totalBalances(), balance, "total of balances");
    }

    function testFuzz_NobodySpendsMoreThanTheBalance(uint96 balance, uint256 amount, bool direct) external {
        if (balance != 0) _depositFor(alice.addr, balance);
        amount = bound(amount, uint256(balance) + 1, type(uint256).max);
        bytes memory reason =
            abi.encodeWithSelector(IMicroLoan.InsufficientBalance.selector, alice.addr, balance, amount);
        _actFails(alice.addr, direct, _transfer(bob.addr, amount), reason);
        _actFails(alice.addr, true, abi.encodeCall(IMicroLoan.withdraw, (amount)), reason);
        _actFails(alice.addr, false, _withdrawTo(bob.addr, amount), reason);
    }

    function testFuzz_WithdrawalPaysJustTheAmount(uint96 balance, uint96 amount, bool direct) external {
        balance = uint96(bound(balance, 1, type(uint96).max));
        amount = uint96(bound(amount, 1, balance));
        _depositFor(alice.addr, balance);
        address recipient = direct ? alice.addr : makeAddr("outside wallet");
        bytes memory call_ =
            direct ? abi.encodeCall(IMicroLoan.withdraw, (amount)) : _withdrawTo(recipient, amount);
        _act(alice.addr, direct, call_);
        assertEq(recipient.balance, amount, "currency of the recipient");
        assertEq(loan.getBalance(alice.addr), balance - amount, "balance");
        assertEq(address(loan).balance, POOL + balance - amount, "currency held");
    }

    function testFuzz_LoanIsThePrincipalOfItsMoment(uint256 first, uint256 second) external {
        first = bound(first, loan.MIN_PRINCIPAL(), loan.MAX_PRINCIPAL());
        second = bound(second, loan.MIN_PRINCIPAL(), loan.MAX_PRINCIPAL());
        vm.prank(owner);
        loan.setPrincipal(first);
        _act(alice.addr, false, _applyForLoan());
        vm.prank(owner);
        loan.setPrincipal(second);
        _act(bob.addr, false, _applyForLoan());
        assertEq(loan.loanOf(alice.addr), first, "first loan");
        assertEq(loan.loanOf(bob.addr), second, "second loan");
        assertEq(loan.totalOwed(), first + second, "total owed");
        assertEq(loan.liquidity(), POOL - first - second, "liquidity");
    }

    function testFuzz_DirectCallersNeverBorrow(address caller) external {
        vm.assume(caller != address(forwarder));
        vm.prank(caller);
        vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
        loan.applyForLoan();
    }

    function testFuzz_PartsOfARepaymentAddUp(uint256 principal, uint256[8] memory parts) external {
        principal = bound(principal, loan.MIN_PRINCIPAL(), loan.MAX_PRINCIPAL());
        vm.prank(owner);
        loan.setPrincipal(principal);
        _act(alice.addr, false, _applyForLoan());
        uint256 owed = principal;
        for (uint256 i; i < parts.length && owed != 0; ++i) {
            uint256 part = bound(parts[i], 1, owed);
            _act(alice.addr, i % 2 == 0, _repayLoan(part));
            owed -= part;
            assertEq(loan.loanOf(alice.addr), owed, "owed");
            assertEq(loan.getBalance(alice.addr), owed, "balance");
            assertEq(loan.liquidity(), POOL - owed, "liquidity");
        }
        if (owed != 0) _act(alice.addr, false, _repayLoan(type(uint256).max));
        assertEq(loan.totalOwed(), 0, "total owed at the end");
        assertEq(loan.liquidity(), POOL, "liquidity at the end");
    }

    function testFuzz_NobodyRepaysMoreThanIsOwed(uint256 amount) external {
        _act(alice.addr, false, _applyForLoan());
        _depositFor(alice.addr, 10 ether);
        amount = bound(amount, PRINCIPAL + 1, type(uint256).max - 1);
        _actFails(
            alice.addr,
            false,
            _repayLoan(amount),
            abi.encodeWithSelector(IMicroLoan.RepaymentTooLarge.selector, PRINCIPAL, amount)
        );
    }

    function testFuzz_DefundLeavesBalancesCovered(uint96 balance, uint256 amount) external {
        balance = uint96(bound(balance, 1, type(uint96).max));
        _depositFor(alice.addr, balance);
        amount = bound(amount, 1, POOL);
        vm.prank(owner);
        loan.defund(amount);
        assertEq(owner.balance, amount, "currency of the owner");
        vm.prank(owner);
        vm.expectRevert(
            abi.encodeWithSelector(
                IMicroLoan.InsufficientLiquidity.selector, POOL - amount, POOL - amount + 1
            )
        );
        loan.defund(POOL - amount + 1);
        _act(alice.addr, true, abi.encodeCall(IMicroLoan.withdraw, (balance)));
        assertEq(address(loan).balance, POOL - amount, "currency held");
    }

    function testFuzz_ForcedCurrencyCountsNowhere(uint96 forced, uint96 balance) external {
        balance = uint96(bound(balance, 1, type(uint96).max));
        _depositFor(alice.addr, balance);
        vm.deal(address(this), forced);
        new Forcing{value: forced}(payable(address(loan)));
        assertEq(address(loan).balance, POOL + balance + forced, "currency held");
        assertEq(loan.liquidity(), POOL, "liquidity");
        assertEq(loan.totalBalances(), balance, "total of balances");
        _act(alice.addr, true, abi.encodeCall(IMicroLoan.withdraw, (balance)));
        vm.prank(owner);
        loan.defund(POOL);
        assertEq(address(loan).balance, forced, "currency left");
    }

    function testFuzz_PrincipalKeepsToItsRange(uint256 principal) external {
        vm.prank(owner);
        if (principal < 0.0001 ether || principal > 1 ether) {
            vm.expectRevert(
                abi.encodeWithSelector(
                    IMicroLoan.PrincipalOutOfRange.selector, principal, 0.0001 ether, 1 ether
                )
            );
            loan.setPrincipal(principal);
        } else {
            loan.setPrincipal(principal);
            assertEq(loan.principal(), principal, "principal");
        }
    }

    function testFuzz_DailyCapKeepsToItsRange(uint256 cap) external {
        vm.prank(owner);
        if (cap > type(uint72).max) {
            vm.expectRevert(
                abi.encodeWithSelector(IMicroLoan.DailyCapOutOfRange.selector, cap, type(uint72).max)
            );
            loan.setDailyCap(cap);
        } else {
            loan.setDailyCap(cap);
            assertEq(loan.issuable(), cap, "issuable");
        }
    }

    function testFuzz_NobodyButTheOwnerOwns(address caller, uint256 amount) external {
        vm.assume(caller != owner && caller != address(forwarder));
        bytes[6] memory calls = [
            abi.encodeCall(IMicroLoan.pause, ()),
            abi.encodeCall(IMicroLoan.unpause, ()),
            abi.encodeCall(IMicroLoan.setPrincipal, (amount)),
            abi.encodeCall(IMicroLoan.setDailyCap, (amount)),
            abi.encodeCall(IMicroLoan.defund, (amount)),
            abi.encodeCall(Ownable.transferOwnership, (caller))
        ];
        for (uint256 i; i < calls.length; ++i) {
            _actFails(
                caller,
                true,
                calls[i],
                abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, caller)
            );
            _actFails(caller, false, calls[i], abi.encodeWithSelector(IMicroLoan.DirectCallersOnly.selector));
        }
    }

    function testFuzz_PauseStopsLoansAndTransfersAlone(uint96 balance, uint96 amount) external {
        balance = uint96(bound(balance, 2, type(uint96).max));
        amount = uint96(bound(amount, 1, balance - 1));
        _act(alice.addr, false, _applyForLoan());
        vm.prank(owner);
        loan.pause();
        _depositFor(alice.addr, balance);
        bytes memory reason = abi.encodeWithSignature("EnforcedPause()");
        _actFails(alice.addr, false, _transfer(bob.addr, amount), reason);
        _actFails(bob.addr, false, _applyForLoan(), reason);
        _act(alice.addr, false, _repayLoan(type(uint256).max));
        _act(alice.addr, false, _withdrawTo(makeAddr("outside wallet"), amount));
        _act(alice.addr, true, abi.encodeCall(IMicroLoan.withdraw, (balance - amount)));
        assertEq(loan.totalBalances(), 0, "total of balances");
        assertEq(loan.liquidity(), POOL, "liquidity");
    }

    function _recipient(address account) private view returns (address) {
        vm.assume(account != address(0) && account != address(loan) && account != address(forwarder));
        return account;
    }

    function _act(address account, bool direct, bytes memory data) private {
        (bool success, bytes memory answer) = _call(account, direct, data);
        assertTrue(success, string.concat("call: ", vm.toString(answer)));
    }

    function _actFails(address account, bool direct, bytes memory data, bytes memory reason) private {
        (bool success, bytes memory answer) = _call(account, direct, data);
        assertFalse(success, "call");
        assertEq(answer, reason, "reason");
    }

    function _call(address account, bool direct, bytes memory data) private returns (bool, bytes memory) {
        vm.prank(direct ? account : address(forwarder));
        return address(loan).call(direct ? data : abi.encodePacked(data, account));
    }
}
