// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title SpentMarks
/// @notice Keeps which intent ids a signer has spent, each for 7 days, in words that are used
/// again.
/// @dev A mark is one word: 176 bits of the id (all of it), 40 of the block and 40 of the time
/// (Unix, in seconds) from the highest. Eight words stand in a row and fill from the first on. A
/// mark goes over that of the same id, or over the first one that has expired, or into the first
/// empty word; where all eight are live, into a word of the id's own. A word never becomes empty
/// again, so words of ids' own are looked at only where the row is full, and what an id has in the
/// row is never older than what it has there.
library SpentMarks {
    struct Marks {
        uint256[8] row;
        mapping(bytes22 intentId => uint256) own;
    }

    /// @notice How long an id that was spent stays spent, in seconds.
    uint256 internal constant LIFETIME = 7 days;

    uint256 private constant ROW = 8;
    uint256 private constant ID_SHIFT = 80;
    uint256 private constant BLOCK_SHIFT = 40;

    /// @notice The storage slot in which to mark the id as spent now; zero where it is spent.
    function placeFor(Marks storage self, bytes22 intentId) internal view returns (uint256 place) {
        uint256 slot;
        assembly ("memory-safe") {
            slot := self.slot
        }
        for (uint256 end = slot + ROW; slot != end; ++slot) {
            uint256 mark = _load(slot);
            if (mark == 0) return place == 0 ? slot : place;
            bool live = _isLive(mark);
            if (mark >> ID_SHIFT == uint176(intentId)) return live ? 0 : slot;
            if (!live && place == 0) place = slot;
        }
        mapping(bytes22 => uint256) storage own = self.own;
        if (_isLive(own[intentId])) return 0;
        if (place != 0) return place;
        assembly ("memory-safe") {
            mstore(0, intentId)
            mstore(0x20, own.slot)
            place := keccak256(0, 0x40)
        }
    }

    /// @notice Marks the id as spent now, in the place that {placeFor} gave.
    function put(uint256 place, bytes22 intentId) internal {
        uint256 mark = (uint256(uint176(intentId)) << ID_SHIFT)
            | (uint256(uint40(block.number)) << BLOCK_SHIFT) | uint40(block.timestamp);
        assembly ("memory-safe") {
            sstore(place, mark)
        }
    }

    /// @notice When and in which block the id was spent, or zeros if it is not spent.
    function find(Marks storage self, bytes22 intentId)
        internal
        view
        returns (uint256 timestamp, uint256 blockNumber)
    {
        uint256 mark = self.own[intentId];
        for (uint256 i; i < ROW; ++i) {
            uint256 other = self.row[i];
            if (other != 0 && other >> ID_SHIFT == uint176(intentId)) mark = other;
        }
        if (_isLive(mark)) return (uint40(mark), uint40(mark >> BLOCK_SHIFT));
    }

    function _isLive(uint256 mark) private view returns (bool) {
        return mark != 0 && block.timestamp < uint40(mark) + LIFETIME;
    }

    function _load(uint256 slot) private view returns (uint256 word) {
        assembly ("memory-safe") {
            word := sload(slot)
        }
    }
}
