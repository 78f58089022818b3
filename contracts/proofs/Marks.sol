// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The arithmetic of SpentMarks. `contracts/test/proofs/Models.t.sol` keeps `mark` and
/// `isLive` equal to what the library does.
contract Marks {
    uint256 internal constant TIME = 2 ** 40;
    uint256 internal constant ID = 2 ** 176;

    function mark(uint256 id, uint256 blockNumber, uint256 time) public pure returns (uint256) {
        return (id * TIME + blockNumber) * TIME + time;
    }

    function isLive(uint256 spentAt, uint256 time) public pure returns (bool) {
        return time < spentAt + 7 days;
    }

    /// @dev So no id is cut, none is taken for another, and no mark of a time is an empty word.
    function aMarkHoldsAllThatItIsMadeOf(uint256 id, uint256 blockNumber, uint256 time) public pure {
        require(id < ID && blockNumber < TIME && time > 0 && time < TIME);
        uint256 word = mark(id, blockNumber, time);
        assert(word != 0);
        assert(word / TIME / TIME == id);
        assert(word / TIME % TIME == blockNumber);
        assert(word % TIME == time);
    }

    /// @dev Whatever was signed for one execution has expired when its id is forgotten.
    function noSignatureOutlivesItsMark(uint256 deadline, uint256 spentAt, uint256 time) public pure {
        require(spentAt < TIME && time < TIME && deadline <= spentAt + 24 hours);
        require(time >= spentAt && !isLive(spentAt, time));
        assert(deadline < time);
    }
}
