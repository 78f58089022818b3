// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title Accounts
/// @notice All that is kept of an account in one word, so that whatever happens to it is one write:
/// Rootstock charges every write of a word again.
///
/// From the lowest bit: 80 of balance, 64 of what is owed, 32 each of when the last loan was issued
/// and when it is due, 36 of recent loans, 10 of the loan's fee, and 2 of flags. The recent loans
/// are counted by spans of three hours, four bits each (15 stands for more, too), the span of the
/// last issue lowest, nine spans in all. The fee is in basis points of the principal, and part of
/// what is owed.
library Accounts {
    using SafeCast for uint256;

    uint256 internal constant LISTED = 1 << 254;
    uint256 internal constant WRITTEN_OFF = 1 << 255;
    uint256 internal constant MAX_LOANS_COUNTED = 15;
    /// @notice The highest fee, in basis points.
    uint256 internal constant MAX_FEE = 1_000;

    uint256 private constant BALANCE = type(uint80).max;
    uint256 private constant OWED_SHIFT = 80;
    uint256 private constant ISSUED_SHIFT = 144;
    uint256 private constant DUE_SHIFT = 176;
    uint256 private constant RECENT_SHIFT = 208;
    uint256 private constant RECENT = 0xfffffffff;
    uint256 private constant FEE_SHIFT = 244;
    uint256 private constant FEE = 0x3ff;
    uint256 private constant WHOLE = 10_000;
    uint256 private constant HISTORY = (RECENT << RECENT_SHIFT) | (uint256(type(uint32).max) << ISSUED_SHIFT);
    uint256 private constant SPAN = 3 hours;
    uint256 private constant SPANS = 9;

    function balance(uint256 account) internal pure returns (uint256) {
        return account & BALANCE;
    }

    function owed(uint256 account) internal pure returns (uint256) {
        return (account >> OWED_SHIFT) & type(uint64).max;
    }

    /// @notice What is owed of the principal: its part in all that is owed, rounded up.
    function principalOwed(uint256 account) internal pure returns (uint256) {
        uint256 divisor = WHOLE + feeRate(account);
        return (owed(account) * WHOLE + divisor - 1) / divisor;
    }

    /// @notice The fee of the loan, in basis points of its principal.
    function feeRate(uint256 account) internal pure returns (uint256) {
        return (account >> FEE_SHIFT) & FEE;
    }

    /// @notice The fee of a loan of `amount` at so many basis points, rounded down.
    function feeOf(uint256 amount, uint256 rate) internal pure returns (uint256) {
        return amount * rate / WHOLE;
    }

    /// @notice When the last loan was issued, repaid or not; zero if none ever was.
    function issuedAt(uint256 account) internal pure returns (uint256) {
        return (account >> ISSUED_SHIFT) & type(uint32).max;
    }

    function dueAt(uint256 account) internal pure returns (uint256) {
        return (account >> DUE_SHIFT) & type(uint32).max;
    }

    function has(uint256 account, uint256 flag) internal pure returns (bool) {
        return account & flag != 0;
    }

    /// @notice The account with `amount` more; the balance must stay below 2^80.
    function credited(uint256 account, uint256 amount) internal pure returns (uint256) {
        // The cast refuses what would run into what is owed.
        return (account & ~BALANCE) | (balance(account) + amount).toUint80();
    }

    /// @notice The account with `amount` less, which its balance must cover.
    function debited(uint256 account, uint256 amount) internal pure returns (uint256) {
        return account - amount;
    }

    /// @notice The account, which owes nothing, with a loan of which `amount` is owed, a fee of
    /// `rate` in it.
    function lent(uint256 account, uint256 amount, uint256 rate, uint256 issuedAt_, uint256 dueAt_)
        internal
        pure
        returns (uint256)
    {
        uint256 recent = recentAt(account, issuedAt_);
        if (recent & 15 != MAX_LOANS_COUNTED) ++recent;
        uint256 kept = account & (BALANCE | LISTED);
        return kept | (uint256(amount.toUint64()) << OWED_SHIFT)
            | (uint256(issuedAt_.toUint32()) << ISSUED_SHIFT) | (uint256(dueAt_.toUint32()) << DUE_SHIFT)
            | (recent << RECENT_SHIFT) | (rate << FEE_SHIFT);
    }

    /// @notice The account with `amount` less to repay, which must be owed; a loan that is repaid
    /// leaves its date of issue and its count.
    function repaid(uint256 account, uint256 amount) internal pure returns (uint256) {
        account -= amount << OWED_SHIFT;
        return owed(account) == 0 ? account & (HISTORY | BALANCE | LISTED) : account;
    }

    /// @notice What is left of an account that gave away all it has: its history.
    function left(uint256 account) internal pure returns (uint256) {
        return account & HISTORY;
    }

    /// @notice The recent loans as spans before that of `time`, which no loan is later than.
    function recentAt(uint256 account, uint256 time) internal pure returns (uint256) {
        uint256 last = issuedAt(account) / SPAN;
        uint256 spans = time / SPAN < last ? 0 : time / SPAN - last;
        return spans < SPANS ? (((account >> RECENT_SHIFT) & RECENT) << (4 * spans)) & RECENT : 0;
    }

    /// @notice How many loans were issued in the nine spans that end with that of `time`: in 24
    /// hours at least, and less than 27.
    function loansAt(uint256 account, uint256 time) internal pure returns (uint256 count) {
        for (uint256 recent = recentAt(account, time); recent != 0; recent >>= 4) {
            count += recent & 15;
        }
    }
}
