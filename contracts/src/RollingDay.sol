// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title RollingDay
/// @notice Sums what was added within the last 24 hours, at a bounded price and never too low.
/// @dev Amounts are kept by the hour. The sum at a time in hour `h` is that of the hours `h - 24`
/// to `h`, 25 in all. They contain the 24 hours before that time wherever in `h` it lies, so an
/// amount counts for at least 24 hours and for less than 25.
///
/// Three hours share a word: 72 bits each, and above them 40 bits for the number of the three (hour
/// / 3), which tells a current word from one of an earlier turn of the ring. 25 hours touch 9
/// words.
library RollingDay {
    using SafeCast for uint256;

    struct Window {
        uint256[9] words;
    }

    /// @notice The largest sum that always fits; the caller keeps to it.
    uint256 internal constant MAX_SUM = type(uint72).max;

    uint256 private constant WORDS = 9;
    uint256 private constant HOURS_PER_WORD = 3;
    uint256 private constant BITS = 72;
    uint256 private constant TAG_SHIFT = HOURS_PER_WORD * BITS;

    /// @notice What was added from the start of the hour 24 hours ago until now.
    function sum(Window storage self) internal view returns (uint256 total) {
        uint256 oldestHour = block.timestamp / 1 hours - 24;
        uint256 oldestTag = oldestHour / HOURS_PER_WORD;
        uint256 newestTag = block.timestamp / (HOURS_PER_WORD * 1 hours);
        for (uint256 tag = oldestTag; tag <= newestTag; ++tag) {
            uint256 word = self.words[tag % WORDS];
            if (word >> TAG_SHIFT != tag) continue;
            // Of the oldest three hours, those before the oldest count no more.
            uint256 first = tag == oldestTag ? oldestHour % HOURS_PER_WORD : 0;
            for (uint256 i = first; i < HOURS_PER_WORD; ++i) {
                total += (word >> (i * BITS)) & MAX_SUM;
            }
        }
    }

    /// @notice Adds `amount` to the hour of `time`, unless that counts no more; the sum with it
    /// must be at most `MAX_SUM`.
    function add(Window storage self, uint256 time, uint256 amount) internal {
        if (!counts(time)) return;
        (uint256 tag, uint256 shift) = _place(time);
        uint256 word = self.words[tag % WORDS];
        if (word >> TAG_SHIFT != tag) word = tag << TAG_SHIFT;
        // The cast refuses what would run into the next hour.
        (((word >> shift) & MAX_SUM) + amount).toUint72();
        self.words[tag % WORDS] = word + (amount << shift);
    }

    /// @notice Takes back `amount` that was added to the hour of `time`, unless that counts no
    /// more.
    function remove(Window storage self, uint256 time, uint256 amount) internal {
        if (!counts(time)) return;
        (uint256 tag, uint256 shift) = _place(time);
        self.words[tag % WORDS] -= amount << shift;
    }

    /// @notice Whether the hour of `time`, which is not in the future, is one of those that are
    /// summed.
    function counts(uint256 time) internal view returns (bool) {
        return time / 1 hours + 24 >= block.timestamp / 1 hours;
    }

    function _place(uint256 time) private pure returns (uint256 tag, uint256 shift) {
        uint256 hour = time / 1 hours;
        return (hour / HOURS_PER_WORD, (hour % HOURS_PER_WORD) * BITS);
    }
}
