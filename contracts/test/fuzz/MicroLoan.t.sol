// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {Base} from "../support/Base.sol";
import {Forcing} from "../support/Receivers.sol";
import {Setups} from "../support/Setups.sol";
import {IGuarded} from "../../src/IGuarded.sol";

/// @notice One property a test, for any amounts and accounts. Phones act through a prank of the forwarder
/// here, which is what the forwarder's own tests show it to do.
contract MicroLoanFuzzTest is Base {
    function setUp() public override {
        super.setUp();
        _setDailyCap(1_000 ether);
    }

    function testFuzz_DepositsAddUp(address account, uint96 first, uint96 second) external {
        account = _recipient(account);
        first = uint96(bound(first, 1, type(uint72).max));
        second = uint96(bound(second, 1, type(uint72).max));
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
        balance = uint96(bound(balance, 1, type(uint72).max));
        amount = uint96(bound(amount, 1, balance));
        _depositFor(alice.addr, balance);

        _act(alice.addr, direct, _transfer(to, amount));
        assertEq(loan.getBalance(alice.addr), balance - amount, "sender's balance");
        assertEq(loan.getBalance(to), amount, "recipient's balance");
        assertEq(loan.totalBalances(), balance, "total of balances");
        assertEq(loan.liquidity(), POOL, "liquidity");
    }

    function testFuzz_TransferToOneselfChangesNothing(uint96 balance, uint96 amount) external {
        balance = uint96(bound(balance, 1, type(uint72).max));
        amount = uint96(bound(amount, 1, balance));
        _depositFor(alice.addr, balance);
        _act(alice.addr, false, _transfer(alice.addr, amount));
        assertEq(loan.getBalance(alice.addr), balance, "balance");
        assertEq(loan.totalBalances(), balance, "total of balances");
    }

    function testFuzz_NobodySpendsMoreThanTheBalance(uint96 balance, uint256 amount, bool direct) external {
        balance = uint96(bound(balance, 0, type(uint72).max));
        if (balance != 0) _depositFor(alice.addr, balance);
        amount = bound(amount, uint256(balance) + 1, type(uint256).max);
        bytes memory reason =
            abi.encodeWithSelector(IMicroLoan.InsufficientBalance.selector, alice.addr, balance, amount);
        _actFails(alice.addr, direct, _transfer(bob.addr, amount), reason);
        if (amount <= type(uint128).max) {
            _announce(alice.addr, amount);
            _actFails(alice.addr, true, abi.encodeCall(IMicroLoan.withdraw, (amount)), reason);
        }
        _actFails(alice.addr, false, _withdrawTo(bob.addr, amount), reason);
    }

    function testFuzz_WithdrawalPaysJustTheAmount(uint96 balance, uint96 amount, bool direct) external {
        balance = uint96(bound(balance, 1, type(uint72).max));
        amount = uint96(bound(amount, 1, balance));
        _depositFor(alice.addr, balance);
        _announce(alice.addr, amount);
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
        _setPrincipal(first);
        _act(alice.addr, false, _applyForLoan());
        _setPrincipal(second);
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
        _setPrincipal(principal);
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
        balance = uint96(bound(balance, 1, type(uint72).max));
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
        _withdraw(alice.addr, balance);
        assertEq(address(loan).balance, POOL - amount, "currency held");
    }

    function testFuzz_ForcedCurrencyCountsNowhere(uint96 forced, uint96 balance) external {
        balance = uint96(bound(balance, 1, type(uint72).max));
        _depositFor(alice.addr, balance);
        vm.deal(address(this), forced);
        new Forcing{value: forced}(payable(address(loan)));
        assertEq(address(loan).balance, POOL + balance + forced, "currency held");
        assertEq(loan.liquidity(), POOL, "liquidity");
        assertEq(loan.totalBalances(), balance, "total of balances");
        _withdraw(alice.addr, balance);
        vm.prank(owner);
        loan.defund(POOL);
        assertEq(address(loan).balance, forced, "currency left");
    }

    function testFuzz_PrincipalAndCapKeepToTheirRange(uint64 principal, uint72 cap) external {
        IMicroLoan.Terms memory terms = Setups.termsOf(principal, cap);
        bytes memory reason;
        if (principal < 0.0001 ether || principal > 1 ether) {
            reason = abi.encodeWithSelector(
                IMicroLoan.PrincipalOutOfRange.selector, principal, 0.0001 ether, 1 ether
            );
        } else if (cap != 0 && cap < principal) {
            reason = abi.encodeWithSelector(IMicroLoan.DailyCapBelowPrincipal.selector, cap, principal);
        }
        if (reason.length != 0) vm.expectRevert(reason);
        vm.prank(owner);
        loan.setTerms(terms);
        if (reason.length == 0) assertEq(abi.encode(loan.terms()), abi.encode(terms), "terms");
    }

    function testFuzz_NobodyButTheOwnerOwns(address caller, uint256 amount) external {
        vm.assume(caller != owner && caller != address(forwarder));
        vm.assume(caller != guardian);
        bytes[9] memory calls = [
            abi.encodeCall(IGuarded.pause, ()),
            abi.encodeCall(IGuarded.unpause, ()),
            abi.encodeCall(IMicroLoan.setTerms, (Setups.termsOf(PRINCIPAL, CAP))),
            abi.encodeCall(IMicroLoan.setWithdrawalLimit, (amount)),
            abi.encodeCall(IMicroLoan.defund, (amount)),
            abi.encodeCall(IMicroLoan.writeOff, (caller)),
            abi.encodeCall(IMicroLoan.setCreditor, (caller)),
            abi.encodeCall(IMicroLoan.announceSuccessor, (caller)),
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

    function testFuzz_PauseStopsLoansDirectTransfersAndForwardedWithdrawalsAlone(
        uint96 balance,
        uint96 amount
    ) external {
        balance = uint96(bound(balance, 2, type(uint72).max));
        amount = uint96(bound(amount, 1, balance - 1));
        _act(alice.addr, false, _applyForLoan());
        vm.prank(guardian);
        loan.pause();
        _depositFor(alice.addr, balance);
        bytes memory reason = abi.encodeWithSignature("EnforcedPause()");
        _actFails(alice.addr, true, _transfer(bob.addr, amount), reason);
        _actFails(alice.addr, false, _withdrawTo(bob.addr, amount), reason);
        _actFails(bob.addr, false, _applyForLoan(), reason);
        _act(alice.addr, false, _repayLoan(type(uint256).max));
        _act(alice.addr, false, _transfer(bob.addr, amount));
        _withdraw(alice.addr, balance - amount);
        _withdraw(bob.addr, amount);
        assertEq(loan.totalBalances(), 0, "total of balances");
        assertEq(loan.liquidity(), POOL, "liquidity");
    }

    /// @dev Whatever is withdrawn and transferred when, no 24 hours see more than the limit.
    function testFuzz_TheLimitOfADayHolds(uint72 limit, uint64[8] memory amounts, uint32[8] memory delays)
        external
    {
        limit = uint72(bound(limit, 0, 100 ether));
        vm.prank(owner);
        loan.setWithdrawalLimit(limit);
        _depositFor(alice.addr, 1_000 ether);
        uint256[8] memory paidAt;
        uint256[8] memory paid;
        for (uint256 i; i < 8; ++i) {
            vm.warp(block.timestamp + delays[i] % 20 hours);
            (bool isPaid,) = _call(alice.addr, false, _withdrawTo(bob.addr, amounts[i]));
            if (isPaid) (paidAt[i], paid[i]) = (block.timestamp, amounts[i]);
            uint256 ofTheDay;
            for (uint256 j; j <= i; ++j) {
                if (paidAt[j] + 24 hours >= block.timestamp) ofTheDay += paid[j];
            }
            assertLe(ofTheDay, limit, "withdrawn within 24 hours");
        }
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
