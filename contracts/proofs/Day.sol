// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The arithmetic of RollingDay. `contracts/test/proofs/Models.t.sol` keeps `wordOf`,
/// `laneOf` and `counts` equal to what the library does.
contract Day {
    uint256 internal constant LANE = 2 ** 72;

    /// @dev In which of the 9 words an hour's amount stands, and where in it.
    function wordOf(uint256 hour) public pure returns (uint256) {
        return (hour / 3) % 9;
    }

    function laneOf(uint256 hour) public pure returns (uint256) {
        return hour % 3;
    }

    /// @dev Whether what was added at a time is in the sum of a later one.
    function counts(uint256 added, uint256 time) public pure returns (bool) {
        return added / 1 hours + 24 >= time / 1 hours;
    }

    function anAmountCountsFor24Hours(uint256 added, uint256 time) public pure {
        require(added >= 1 days && added <= time && time <= added + 24 hours && time < 2 ** 40);
        assert(counts(added, time));
    }

    function anAmountCountsForLessThan25Hours(uint256 added, uint256 time) public pure {
        require(added >= 1 days && time >= added + 25 hours && time < 2 ** 40);
        assert(!counts(added, time));
    }

    /// @dev Of the 25 hours that a sum looks at, no two share a place.
    function eachHourHasItsPlace(uint256 newest, uint256 first, uint256 second) public pure {
        require(newest >= 24 && newest < 2 ** 40 && first < second);
        require(first >= newest - 24 && second <= newest);
        assert(wordOf(first) != wordOf(second) || laneOf(first) != laneOf(second));
    }

    /// @dev What an earlier turn of the ring left in the place of an hour is of a word with another
    /// number (hour / 3), so that it is not counted.
    function anEarlierTurnIsTold(uint256 newest, uint256 earlier, uint256 hour) public pure {
        require(newest >= 24 && newest < 2 ** 40 && hour >= newest - 24 && hour <= newest);
        require(earlier < newest - 24 && wordOf(earlier) == wordOf(hour) && laneOf(earlier) == laneOf(hour));
        assert(earlier / 3 != hour / 3);
    }

    /// @dev Within the bound of a sum, adding to one hour touches neither its neighbours nor the
    /// word's number.
    function addingTouchesOneHour(uint256 tag, uint256 high, uint256 middle, uint256 low, uint256 amount)
        public
        pure
    {
        require(tag < 2 ** 40 && high < LANE && low < LANE && middle + amount < LANE && amount < LANE);
        uint256 word = ((tag * LANE + high) * LANE + middle) * LANE + low;
        uint256 sum = word + amount * LANE;
        assert(sum % LANE == low);
        assert(sum / LANE % LANE == middle + amount);
        assert(sum / LANE / LANE % LANE == high);
        assert(sum / LANE / LANE / LANE == tag);
    }
}
