// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Test} from "forge-std/Test.sol";

import {SpentMarks} from "../../src/SpentMarks.sol";

/// @notice The marks beside a plain model of them: for each signer and id when it was spent last.
abstract contract MarksBase is Test {
    using SpentMarks for SpentMarks.Marks;

    uint256 internal constant IDS = 14;
    mapping(uint256 signer => SpentMarks.Marks) internal _marks;
    mapping(uint256 signer => mapping(bytes22 => uint256)) internal _spentAt;
    mapping(uint256 signer => mapping(bytes22 => uint256)) internal _spentIn;

    function setUp() external {
        vm.warp(1_790_000_000);
        vm.roll(1);
    }

    function _spend(uint256 signer, bytes22 id) internal {
        uint256 last = _spentAt[signer][id];
        uint256 place = _marks[signer].placeFor(id);
        assertEq(place == 0, last != 0 && block.timestamp < last + 7 days, "refused");
        assertLe(_reads(signer, id), 9, "words read");
        if (place == 0) return;
        SpentMarks.put(place, id);
        (_spentAt[signer][id], _spentIn[signer][id]) = (block.timestamp, block.number);
    }

    function _compare(uint256 signer, bytes22 id) internal view {
        (uint256 timestamp, uint256 blockNumber) = _marks[signer].find(id);
        uint256 last = _spentAt[signer][id];
        bool isLive = last != 0 && block.timestamp < last + 7 days;
        assertEq(timestamp, isLive ? last : 0, "when it was spent");
        assertEq(blockNumber, isLive ? _spentIn[signer][id] : 0, "in which block");
        assertEq(_marks[signer].placeFor(id) == 0, isLive, "spent");
    }

    function _reads(uint256 signer, bytes22 id) internal returns (uint256) {
        vm.record();
        _marks[signer].placeFor(id);
        (bytes32[] memory reads,) = vm.accesses(address(this));
        return reads.length;
    }

    /// @dev Nothing, and others that differ from one another in the first byte or in the last one
    /// alone.
    function _id(uint256 index) internal pure returns (bytes22) {
        return index % 2 == 0 ? bytes22(uint176(index)) : bytes22(uint176(index) << 168);
    }
}
