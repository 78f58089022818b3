// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Base} from "../../support/Base.sol";

contract MicroLoanIssuableTest is Base {
    /// @dev The first second of an hour.
    uint256 internal constant HOUR = 497_222 * 1 hours;

    function setUp() public override {
        super.setUp();
        vm.warp(HOUR);
        _setDailyCap(1 ether);
    }

    function test_GivenNothingWasIssued() external view {
        assertEq(loan.issuable(), 1 ether, "issuable");
    }

    function test_GivenPrincipalWasIssuedInThisHour() external {
        _issue();
        _issue();
        assertEq(loan.issuable(), 1 ether - 2 * PRINCIPAL, "issuable");
    }

    function test_GivenPrincipalWasIssued24HoursAgoToTheSecond() external {
        vm.warp(HOUR + 1234);
        _issue();
        vm.warp(HOUR + 1234 + 24 hours);
        assertEq(loan.issuable(), 1 ether - PRINCIPAL, "issuable");
    }

    function test_GivenPrincipalWasIssuedInTheFirstSecondOfAnHour() external {
        _issue();
        vm.warp(HOUR + 25 hours - 1);
        assertEq(loan.issuable(), 1 ether - PRINCIPAL, "issuable a second before");
        vm.warp(HOUR + 25 hours);
        assertEq(loan.issuable(), 1 ether, "issuable then");
    }

    function test_GivenPrincipalWasIssuedInTheLastSecondOfAnHour() external {
        vm.warp(HOUR + 1 hours - 1);
        _issue();
        vm.warp(HOUR + 25 hours - 1);
        assertEq(loan.issuable(), 1 ether - PRINCIPAL, "issuable after 24 hours");
        vm.warp(HOUR + 25 hours);
        assertEq(loan.issuable(), 1 ether, "issuable a second later");
    }

    function test_GivenPrincipalWasIssuedInEachOf25Hours() external {
        for (uint256 i; i < 25; ++i) {
            vm.warp(HOUR + i * 1 hours);
            _issue();
        }
        assertEq(loan.issuable(), 1 ether - 25 * PRINCIPAL, "issuable in the 25th hour");
        for (uint256 i = 1; i <= 25; ++i) {
            vm.warp(HOUR + (24 + i) * 1 hours);
            assertEq(loan.issuable(), 1 ether - (25 - i) * PRINCIPAL, "issuable as hours fall out");
        }
    }

    function test_GivenADayWithoutLoans() external {
        _issue();
        vm.warp(HOUR + 10 days);
        assertEq(loan.issuable(), 1 ether, "issuable");
        _issue();
        assertEq(loan.issuable(), 1 ether - PRINCIPAL, "issuable after another");
    }

    function test_GivenTheRingHasTurnedManyTimes() external {
        for (uint256 i; i < 60; ++i) {
            vm.warp(HOUR + i * 1 hours);
            _issue();
        }
        assertEq(loan.issuable(), 1 ether - 25 * PRINCIPAL, "issuable");
    }

    uint256 private _borrowers;

    function _issue() private {
        _borrow(vm.createWallet(++_borrowers));
    }
}
