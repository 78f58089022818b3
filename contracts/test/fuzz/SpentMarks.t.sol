// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MarksBase} from "../support/Marks.sol";

contract SpentMarksFuzzTest is MarksBase {
    /// @dev Over months: never forgotten within 7 days, never refused though unspent, no id in the
    /// way of another signer's or of one that differs in a byte, and never more than 9 words read.
    function testFuzz_TheMarksAreThoseOfAPlainModel(uint256[40] memory seeds, uint256 pace) external {
        for (uint256 i; i < seeds.length; ++i) {
            uint256 seed = uint256(keccak256(abi.encode(seeds[i])));
            vm.warp(block.timestamp + seed % (1 + pace % 3 days));
            vm.roll(block.number + 1);
            _spend((seed >> 64) % 8 == 0 ? 1 : 0, _id((seed >> 128) % IDS));
            _compare(0, _id((seed >> 192) % IDS));
            _compare(1, _id((seed >> 192) % IDS));
        }
        for (uint256 j; j < IDS; ++j) {
            _compare(0, _id(j));
            _compare(1, _id(j));
        }
    }
}
