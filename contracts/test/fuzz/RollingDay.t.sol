// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {Test} from "forge-std/Test.sol";

import {RollingDay} from "../../src/RollingDay.sol";

/// @notice The ring against a plain list of what was added when.
contract RollingDayFuzzTest is Test {
    using RollingDay for RollingDay.Window;

    struct Step {
        uint32 delay;
        uint64 amount;
    }

    RollingDay.Window internal window;
    uint256[] internal times;
    uint256[] internal amounts;

    function testFuzz_SumIsThatOfTheCurrentHourAndThe24BeforeIt(uint32 start, Step[12] memory steps)
        external
    {
        vm.warp(uint256(start) + 2 days);
        for (uint256 i; i < steps.length; ++i) {
            // Mostly within a day or two, at times far apart.
            uint256 delay = steps[i].delay % 8 == 0 ? steps[i].delay : steps[i].delay % 10 hours;
            vm.warp(block.timestamp + delay);
            _assertSum();
            window.add(block.timestamp, steps[i].amount);
            times.push(block.timestamp);
            amounts.push(steps[i].amount);
            _assertSum();
        }
    }

    /// @dev Each hour and each word is full at once, so nothing spills over into its neighbour.
    function testFuzz_FullHoursStayApart(uint32 start, uint8 hours_) external {
        vm.warp(uint256(start) + 2 days);
        uint256 each = RollingDay.MAX_SUM / 25;
        uint256 count = bound(hours_, 1, 100);
        for (uint256 i; i < count; ++i) {
            vm.warp(block.timestamp + 1 hours);
            window.add(block.timestamp, each);
        }
        assertEq(window.sum(), each * (count < 25 ? count : 25), "sum");
        vm.warp(block.timestamp + 25 hours);
        assertEq(window.sum(), 0, "sum of later");
    }

    function testFuzz_OneHourHoldsTheMaximum(uint32 start) external {
        vm.warp(uint256(start) + 2 days);
        window.add(block.timestamp, RollingDay.MAX_SUM);
        assertEq(window.sum(), type(uint72).max, "sum");
        vm.warp(block.timestamp + 24 hours);
        assertEq(window.sum(), type(uint72).max, "sum after 24 hours");
    }

    /// @dev What is taken back is taken from its own hour, as long as that counts.
    function testFuzz_WhatIsTakenBackCountsNoMore(uint32 start, uint64 first, uint64 second, uint32 delay)
        external
    {
        vm.warp(uint256(start) + 2 days);
        uint256 time = block.timestamp;
        window.add(time, first);
        window.add(time, second);
        vm.warp(time + delay % 50 hours);
        bool counts = time / 1 hours + 24 >= block.timestamp / 1 hours;
        window.remove(time, first);
        assertEq(window.sum(), counts ? second : 0, "sum");
        window.remove(time, second);
        assertEq(window.sum(), 0, "sum of nothing");
    }

    /// @dev As a loan that comes from another pool.
    function testFuzz_WhatIsAddedLateCountsAtItsTime(uint32 start, uint64 amount, uint32 delay) external {
        vm.warp(uint256(start) + 2 days);
        uint256 time = block.timestamp;
        vm.warp(time + delay % 50 hours);
        window.add(block.timestamp, 7);
        window.add(time, amount);
        bool counts = time / 1 hours + 24 >= block.timestamp / 1 hours;
        assertEq(window.sum(), uint256(counts ? amount : 0) + 7, "sum");
    }

    /// @dev The word of that hour is the newest one's by now.
    function test_WhatIsAnHourTooLateChangesNothing() external {
        vm.warp(27_000 hours);
        window.add(block.timestamp, 7);
        window.add(block.timestamp - 25 hours, 1);
        assertEq(window.sum(), 7, "sum");
        window.remove(block.timestamp - 25 hours, 1);
        assertEq(window.sum(), 7, "sum then");
    }

    function test_RevertWhen_AnHourGetsMoreThanTheMaximum() external {
        for (uint256 i; i < 3; ++i) {
            vm.warp((27_000 + i) * 1 hours);
            this.add(RollingDay.MAX_SUM);
            vm.expectRevert(
                abi.encodeWithSelector(
                    SafeCast.SafeCastOverflowedUintDowncast.selector, 72, RollingDay.MAX_SUM + 1
                )
            );
            this.add(1);
            assertEq(window.sum(), (i + 1) * RollingDay.MAX_SUM, "sum");
        }
    }

    function add(uint256 amount) external {
        window.add(block.timestamp, amount);
    }

    function _assertSum() private view {
        uint256 currentHour = block.timestamp / 1 hours;
        uint256 byHours;
        uint256 of24Hours;
        uint256 of25Hours;
        for (uint256 i; i < times.length; ++i) {
            if (times[i] / 1 hours + 24 >= currentHour) byHours += amounts[i];
            if (times[i] + 24 hours >= block.timestamp) of24Hours += amounts[i];
            if (times[i] + 25 hours > block.timestamp) of25Hours += amounts[i];
        }
        uint256 sum = window.sum();
        assertEq(sum, byHours, "sum");
        assertGe(sum, of24Hours, "sum of 24 hours");
        assertLe(sum, of25Hours, "sum of 25 hours");
    }
}
