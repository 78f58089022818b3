// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What SpentMarks keeps of one id of a signer, which stands for any, while that id and
/// others are spent in any order. What the others' words hold is left open.
/// `contracts/test/proofs/Models.t.sol` keeps it equal to the library.
contract Row {
    uint256 public time = 7 days;
    /// When the id was spent last, and zero if it never was.
    uint256 public last;
    /// The time of its mark in the row, and of the one in its own word; zero where there is none.
    uint256 public inRow;
    uint256 public own;
    /// How many words of the row are not empty.
    uint256 public filled;

    function pass(uint256 duration) public {
        require(duration < 2 ** 40);
        time += duration;
    }

    function isSpent() public view returns (bool) {
        if (inRow != 0) return _isLive(inRow);
        return filled == 8 && _isLive(own);
    }

    /// @dev `isFree`: a word of the row holds a mark of another id that has expired.
    function spend(bool isFree) public {
        require(!isSpent() && (filled != 0 || !isFree));
        if (inRow != 0 || isFree) {
            inRow = time;
        } else if (filled < 8) {
            inRow = time;
            ++filled;
        } else {
            own = time;
        }
        last = time;
    }

    /// @dev `isInRow`: the other id stands in the row. `isFirst`: the first word that has expired
    /// is ours.
    function spendAnother(bool isInRow, bool isFree, bool isFirst) public {
        require(filled != 0 || (!isInRow && !isFree));
        if (isInRow) return;
        bool isOurs = inRow != 0 && !_isLive(inRow) && (isFirst || !isFree);
        if (isOurs) inRow = 0;
        else if (!isFree && filled < 8) ++filled;
    }

    /// @dev When the id was spent, and zero if it is not.
    function find() public view returns (uint256) {
        uint256 mark = inRow != 0 ? inRow : own;
        return _isLive(mark) ? mark : 0;
    }

    function anIdIsForgottenAfterSevenDaysAndNotBefore() public view {
        bool isRecent = last != 0 && time - last < 7 days;
        assert(isSpent() == isRecent);
        assert(find() == (isRecent ? last : 0));
    }

    function _isLive(uint256 mark) private view returns (bool) {
        return mark != 0 && time < mark + 7 days;
    }
}
