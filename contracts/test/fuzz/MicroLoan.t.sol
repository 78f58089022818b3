// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {Base} from "../support/Base.sol";
import {Setups} from "../support/Setups.sol";

/// @notice One property a test, for any amounts and accounts. Phones act through a prank of the forwarder
/// here, which is what the forwarder's own tests show it to do.
contract MicroLoanFuzzTest is Base {
    function setUp() public override {
        super.setUp();
        _setDailyCap(1_000 ether);
    }

    function testFuzz_NobodySpendsMoreThanTheBalance(uint96 balance, uint256 amount, bool direct) external {
        balance = uint96(bound(balance, 0, type(uint72).max));
        if (balance != 0) _depositFor(alice.addr, balance);
        amount = bound(amount, uint256(balance) + 1, type(uint256).max);
        bytes memory reason = _error(IMicroLoan.InsufficientBalance.selector, alice.addr, balance, amount);
        _actFails(alice.addr, direct, _transfer(bob.addr, amount), reason);
        if (amount <= type(uint128).max) {
            _announce(alice.addr, amount);
            _actFails(alice.addr, true, abi.encodeCall(IMicroLoan.withdraw, (amount)), reason);
        }
        _actFails(alice.addr, false, _withdrawTo(bob.addr, amount), reason);
    }

    function testFuzz_DirectCallersNeverBorrow(address caller) external {
        vm.assume(caller != address(forwarder));
        vm.prank(caller);
        vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
        loan.applyForLoan();
    }

    function testFuzz_PrincipalAndCapKeepToTheirRange(uint64 principal, uint72 cap) external {
        IMicroLoan.Terms memory terms = Setups.termsOf(principal, cap);
        bytes memory reason;
        if (principal < 0.0001 ether || principal > 1 ether) {
            reason = _error(IMicroLoan.PrincipalOutOfRange.selector, principal, 0.0001 ether, 1 ether);
        } else if (cap != 0 && cap < principal) {
            reason = _error(IMicroLoan.DailyCapBelowPrincipal.selector, cap, principal);
        }
        if (reason.length != 0) vm.expectRevert(reason);
        vm.prank(owner);
        loan.setTerms(terms);
        if (reason.length == 0) assertEq(abi.encode(loan.terms()), abi.encode(terms), "terms");
    }

    /// @dev Whatever is repaid in which parts, by whom: what counts against the cap is the part of the principal in
    /// what is owed, never less, and less than a wei more; at the end nothing.
    function testFuzz_PartsOfARepaymentGiveTheCapItsPrincipal(
        uint256 principal,
        uint16 rate,
        uint256[6] memory parts
    ) external {
        principal = bound(principal, loan.MIN_PRINCIPAL(), loan.MAX_PRINCIPAL());
        rate = uint16(bound(rate, 0, 1_000));
        _setPrincipal(principal);
        IMicroLoan.Terms memory terms = loan.terms();
        terms.feeRate = rate;
        _setTerms(terms);
        _borrow(alice);
        _depositFor(alice.addr, 1 ether);
        uint256 owed = loan.loanOf(alice.addr);
        assertEq(owed, principal + principal * rate / 10_000, "owed");
        assertEq(loan.issuable(), 1_000 ether - principal, "issuable");
        for (uint256 i; i < 6 && owed != 0; ++i) {
            uint256 part = i == 5 ? owed : bound(parts[i], 1, owed);
            if (i % 2 == 0) _forward(alice, _repayLoan(part));
            else _repayFor(part);
            owed -= part;
            uint256 counted = 1_000 ether - loan.issuable();
            assertGe(counted * (10_000 + rate), owed * 10_000, "counted too low");
            assertLt(counted * (10_000 + rate), owed * 10_000 + 10_000 + rate, "counted too high");
        }
        assertEq(loan.issuable(), 1_000 ether, "issuable at the end");
        assertEq(loan.liquidity(), POOL + principal * rate / 10_000, "liquidity at the end");
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

    function _repayFor(uint256 amount) private {
        hoax(stranger, amount);
        loan.repayLoanFor{value: amount}(alice.addr);
    }
}
