// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SpentMarks} from "../../src/SpentMarks.sol";
import {MarksBase} from "../support/Marks.sol";

contract SpentMarksTest is MarksBase {
    using SpentMarks for SpentMarks.Marks;

    function test_GivenNoMarkOneAndAFullRow() external {
        for (uint256 count; count <= 8; ++count) {
            assertEq(_reads(0, _id(13)), count < 8 ? count + 1 : 9, "words read");
            if (count < 8) _spend(0, _id(count));
        }
        _spend(0, _id(8));
        _spend(0, _id(9));
        for (uint256 i; i < 10; ++i) {
            assertEq(_marks[0].placeFor(_id(i)), 0, "spent");
            assertLe(_reads(0, _id(i)), 9, "words read of what is spent");
        }
        assertGt(_marks[0].placeFor(_id(10)), 0, "unspent");
        assertEq(_reads(1, _id(0)), 1, "words read of another signer");
    }

    /// @dev The row of 8 is a day older than what stands in an id's own word.
    function test_GivenOneIdIsStaleInTheRowAndOneIsLiveInItsOwnWord() external {
        uint256 start = block.timestamp;
        for (uint256 i; i < 8; ++i) {
            _spend(0, _id(i));
        }
        vm.warp(start + 1 days);
        _spend(0, _id(8));
        vm.warp(start + 7 days - 1);
        for (uint256 i; i < 9; ++i) {
            assertEq(_marks[0].placeFor(_id(i)), 0, "spent until the last second");
        }
        vm.warp(start + 7 days);
        assertEq(_marks[0].placeFor(_id(8)), 0, "live in its own word");
        assertEq(_reads(0, _id(8)), 9, "words read of it");
        // Over its own stale mark, be there an older one before it: an id never stands twice in the
        // row.
        _spend(0, _id(5));
        _spend(0, _id(9));
        _spend(0, _id(5));
        for (uint256 i; i < IDS; ++i) {
            _compare(0, _id(i));
        }
        // Then the id moves from its own word into the row, and what is left there is in nobody's
        // way.
        vm.warp(start + 8 days);
        _spend(0, _id(8));
        for (uint256 i; i < 7; ++i) {
            vm.warp(block.timestamp + 1 hours);
            _spend(0, _id(i));
            _compare(0, _id(8));
        }
        vm.warp(start + 15 days);
        _compare(0, _id(8));
    }

    /// @dev A row is used again before a word of an id's own is, and from the first of its words
    /// that has expired.
    function test_WhenAMarkIsWrittenOver() external {
        uint256 start = block.timestamp;
        for (uint256 i; i < 9; ++i) {
            vm.warp(start + (i == 0 ? 1 days : 0));
            _spend(0, _id(i));
        }
        uint256 row = _slotOfRow(0);
        uint256 own = _marks[0].placeFor(_id(9));
        assertTrue(own < row || own > row + 7, "no word of the row while all are live");
        vm.warp(start + 7 days);
        assertEq(_marks[0].placeFor(_id(9)), row + 1, "the first that has expired");
        assertEq(_marks[0].placeFor(_id(5)), row + 5, "its own that has expired");
        vm.warp(start + 8 days);
        assertEq(_marks[0].placeFor(_id(9)), row, "the first of all");
    }

    function test_TheHighestTimeAndBlockStand() external {
        vm.warp(type(uint40).max - 7 days);
        vm.roll(type(uint40).max);
        bytes22 highest = bytes22(type(uint176).max);
        _spend(0, highest);
        _spend(0, highest << 1);
        _compare(0, highest);
        _compare(0, highest << 1);
        _compare(0, bytes22(0));
        vm.warp(type(uint40).max);
        assertGt(_marks[0].placeFor(highest), 0, "7 days later");
    }

    function _slotOfRow(uint256 signer) private view returns (uint256 slot) {
        SpentMarks.Marks storage marks = _marks[signer];
        assembly ("memory-safe") {
            slot := marks.slot
        }
    }
}
