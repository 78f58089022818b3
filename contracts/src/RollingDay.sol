// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title RollingDay
/// @notice Sums what was added within the last 24 hours, at a bounded price and never too low.
/// @dev Amounts are kept by the hour. The sum at a time in hour `h` is that of the hours `h - 24` to
/// `h`, 25 in all. They contain the 24 hours before that time wherever in `h` it lies, so an amount
/// counts for at least 24 hours and for less than 25.
///
/// Three hours share a word: 72 bits each, and above them 40 bits for the number of the three (hour /
/// 3), which tells a current word from one of an earlier turn of the ring. 25 hours touch 9 words.
library RollingDay {
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
        uint256 currentHour = block.timestamp / 1 hours;
        uint256 oldestHour = currentHour - 24;
        uint256 newestTag = currentHour / HOURS_PER_WORD;
        for (uint256 tag = oldestHour / HOURS_PER_WORD; tag <= newestTag; ++tag) {
            uint256 word = self.words[tag % WORDS];
            if (word >> TAG_SHIFT != tag) continue;
            for (uint256 i; i < HOURS_PER_WORD; ++i) {
                if (tag * HOURS_PER_WORD + i >= oldestHour) total += (word >> (i * BITS)) & MAX_SUM;
            }
        }
    }

    /// @notice Adds `amount` to the current hour; the sum with it must be at most `MAX_SUM`.
    function add(Window storage self, uint256 amount) internal {
        uint256 currentHour = block.timestamp / 1 hours;
        uint256 tag = currentHour / HOURS_PER_WORD;
        uint256 word = self.words[tag % WORDS];
        if (word >> TAG_SHIFT != tag) word = tag << TAG_SHIFT;
        self.words[tag % WORDS] = word + (amount << ((currentHour % HOURS_PER_WORD) * BITS));
    }
}
