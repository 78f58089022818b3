// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {RollingDay} from "../../src/RollingDay.sol";
import {SpentMarks} from "../../src/SpentMarks.sol";
import {Books} from "../../proofs/Books.sol";
import {Day} from "../../proofs/Day.sol";
import {Marks} from "../../proofs/Marks.sol";
import {Row} from "../../proofs/Row.sol";
import {GasReserve} from "../../proofs/GasReserve.sol";
import {Base, InTokensOf18} from "../support/Base.sol";

/// @notice What `npx node scripts/contracts/prove.ts` proves of a model is worth as much as the
/// model is like the contract.
contract ModelsTest is Base {
    using RollingDay for RollingDay.Window;
    using SpentMarks for SpentMarks.Marks;

    RollingDay.Window internal window;
    GasReserve internal gasReserve = new GasReserve();
    Day internal day = new Day();
    Marks internal marks = new Marks();
    SpentMarks.Marks internal spent;
    Books internal books = new Books();

    function testFuzz_TheGasReserveIsTheContracts(uint256 requestGas, uint256 following) external view {
        requestGas = bound(requestGas, 0, 1_000_000);
        following = bound(following, 0, 10_000);
        assertEq(
            gasReserve.gasNeeded(requestGas, following),
            forwarder.gasNeeded(uint32(requestGas), uint32(following)),
            "gas needed"
        );
    }

    function testFuzz_AnHourStandsWhereTheModelSays(uint256 time, uint72 amount) external {
        time = bound(time, 1 days, 2 ** 40 - 1);
        vm.warp(time);
        window.add(time, amount);
        uint256 hour = time / 1 hours;
        uint256 word = window.words[day.wordOf(hour)];
        assertEq((word >> (72 * day.laneOf(hour))) & type(uint72).max, amount, "amount in its place");
        assertEq(word >> 216, hour / 3, "number of the word");
    }

    function testFuzz_AnAmountCountsAsLongAsTheModelSays(uint256 added, uint256 later) external {
        added = bound(added, 2 days, 2 ** 40 - 30 days);
        later = bound(later, 0, 30 hours);
        vm.warp(added);
        window.add(added, 1);
        vm.warp(added + later);
        assertEq(window.sum() == 1, day.counts(added, added + later), "counted");
    }

    function testFuzz_AMarkIsTheModels(bytes22 id, uint40 number, uint40 time, uint40 later) external {
        time = uint40(bound(time, 1, type(uint40).max - 30 days));
        vm.warp(time);
        vm.roll(number);
        uint256 place = spent.placeFor(id);
        SpentMarks.put(place, id);
        assertEq(
            uint256(vm.load(address(this), bytes32(place))), marks.mark(uint176(id), number, time), "mark"
        );
        later = uint40(bound(later, time, time + 14 days));
        vm.warp(later);
        assertEq(spent.placeFor(id) == 0, marks.isLive(time, later), "live");
    }

    /// @dev An id that stands for any, among 11 others of its signer.
    function testFuzz_TheRowIsTheLibrarys(uint256[40] memory seeds, uint256 pace) external {
        Row row = new Row();
        vm.warp(row.time());
        for (uint256 i; i < seeds.length; ++i) {
            uint256 duration = seeds[i] % (1 + pace % 2 days);
            row.pass(duration);
            skip(duration);
            _spendBeside(row, bytes22(uint176((seeds[i] >> 128) % 12)));
            (uint256 spentAt,) = spent.find(0);
            assertEq(row.find(), spentAt, "when it was spent");
            assertEq(row.isSpent(), spent.placeFor(0) == 0, "spent");
        }
    }

    function _spendBeside(Row row, bytes22 id) private {
        (bool isInRow, bool isFree, bool isFirst, uint256 filled, uint256 ours) = (false, false, false, 0, 0);
        for (; filled < 8 && spent.row[filled] != 0; ++filled) {
            uint256 mark = spent.row[filled];
            bool hasExpired = block.timestamp >= uint40(mark) + 7 days;
            if (mark >> 80 == uint176(id)) isInRow = true;
            if (mark >> 80 == 0) {
                ours = uint40(mark);
                isFirst = hasExpired && !isFree;
            } else if (hasExpired) {
                isFree = true;
            }
        }
        assertEq(row.filled(), filled, "words that are not empty");
        assertEq(row.inRow(), ours, "mark in the row");
        assertEq(row.own(), uint40(spent.own[0]), "mark in its own word");
        uint256 place = spent.placeFor(id);
        if (place == 0) return;
        if (id == 0) row.spend(isFree);
        else row.spendAnother(isInRow, isFree, isFirst);
        SpentMarks.put(place, id);
    }

    /// @dev Whatever the contract takes, the model takes too, and the sums of both stay the same.
    function testFuzz_TheBooksAreTheContracts(uint256[16] memory seeds) external {
        _setDailyCap(100 ether);
        books.fund(POOL);
        _compare();
        for (uint256 i; i < seeds.length; ++i) {
            _step(seeds[i]);
            _compare();
        }
    }

    function _step(uint256 seed) private {
        bool ours = seed % 2 == 0;
        bool toOurs = (seed >> 8) % 2 == 0;
        uint256 amount = 1 + (seed >> 16) % (2 * PRINCIPAL);
        Vm.Wallet memory signer = ours ? alice : bob;
        uint256 kind = (seed >> 4) % 7;
        if (kind == 0) {
            if (_succeeds(signer, _applyForLoan())) books.applyForLoan(ours, PRINCIPAL);
        } else if (kind == 1) {
            if (_succeeds(signer, _repayLoan(amount))) books.repayLoan(ours, amount);
        } else if (kind == 2) {
            address to = toOurs ? alice.addr : bob.addr;
            if (_succeeds(signer, _transfer(to, amount))) books.transfer(ours, toOurs, amount);
        } else if (kind == 3) {
            _depositFor(signer.addr, amount);
            books.deposit(ours, amount);
        } else if (kind == 4) {
            if (_succeeds(signer, _withdrawTo(stranger, amount))) books.withdraw(ours, amount);
        } else if (kind == 5) {
            _fund(amount);
            books.fund(amount);
        } else {
            vm.prank(owner);
            loan.defund(amount);
            books.defund(amount);
        }
    }

    function _succeeds(Vm.Wallet memory signer, bytes memory data) private returns (bool) {
        return _execute(_signed(signer, data)).status == IRelayForwarder.Status.Executed;
    }

    function _compare() private view {
        assertEq(books.held(), _held(address(loan)), "held");
        assertEq(books.totalBalances(), loan.totalBalances(), "total of balances");
        assertEq(books.totalOwed(), loan.totalOwed(), "total owed");
        assertEq(books.liquidity(), loan.liquidity(), "liquidity");
        assertEq(books.balance(), loan.getBalance(alice.addr), "balance");
        assertEq(books.owed(), loan.loanOf(alice.addr), "owed");
        assertEq(books.others(), loan.getBalance(bob.addr), "balance of the others");
        assertEq(books.othersOwed(), loan.loanOf(bob.addr), "owed by the others");
    }
}

/// @notice The books are the same over a token, in quanta.
contract ModelsInTokensTest is ModelsTest, InTokensOf18 {}
