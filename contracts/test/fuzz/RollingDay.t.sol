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
        uint72 amount;
        uint16 late;
        uint8 kind;
    }

    RollingDay.Window internal window;
    uint256[] internal times;
    uint256[] internal amounts;

    /// @dev Most is added at its time, some late, as a loan that comes from another pool; some is
    /// taken back. Hours are as full as they can be while the sum fits, so that nothing spills over
    /// into a neighbour unseen.
    function testFuzz_SumIsThatOfTheCurrentHourAndThe24BeforeIt(uint32 start, Step[12] memory steps)
        external
    {
        vm.warp(uint256(start) + 4 days);
        for (uint256 i; i < steps.length; ++i) {
            Step memory step = steps[i];
            // Mostly within a day or two, at times far apart.
            vm.warp(block.timestamp + (step.delay % 8 == 0 ? step.delay : step.delay % 10 hours));
            _assertSum();
            if (step.kind % 4 == 0 && i != 0) {
                uint256 taken = (step.kind / 4) % times.length;
                window.remove(times[taken], amounts[taken]);
                amounts[taken] = 0;
            } else {
                times.push(block.timestamp - (step.kind % 4 == 1 ? 3 * uint256(step.late) : 0));
                amounts.push(step.amount % (RollingDay.MAX_SUM / 12));
                window.add(times[times.length - 1], amounts[times.length - 1]);
            }
            _assertSum();
        }
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
