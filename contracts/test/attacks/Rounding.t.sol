// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Base} from "../support/Base.sol";

/// @notice Owes shares of a pool that are rounded down when they are repaid: dust by dust, debts
/// vanish.
contract NaiveShares {
    uint256 public pool = 3;
    uint256 public shares = 2;
    uint256 public owedShares = 2;

    function repay(uint256 amount) external {
        uint256 part = (amount * shares + pool - 1) / pool;
        owedShares -= part;
    }
}

contract RoundingTest is Base {
    function test_Naive_RoundedRepaymentsForgiveADebt() external {
        NaiveShares naive = new NaiveShares();
        naive.repay(1);
        naive.repay(1);
        assertEq(naive.owedShares(), 0, "owed after 2 of 3 were repaid");
    }

    /// @dev There is nothing to round: a debt is in wei and changes by wei.
    /// `invariant_TheCapCountsThePrincipalAlone` says it for any parts.
    function test_RepaymentsWeiByWeiAddUp() external {
        _borrow(alice);
        for (uint256 i = 1; i <= 50; ++i) {
            _forward(alice, _repayLoan(1));
            assertEq(loan.loanOf(alice.addr), PRINCIPAL - i, "owed");
            assertEq(loan.getBalance(alice.addr), PRINCIPAL - i, "balance");
        }
        _forward(alice, _repayLoan(type(uint256).max));
        assertEq(loan.liquidity(), POOL, "liquidity");
    }

    /// @dev The one division is of time, and it rounds against the borrower: an hour counts until
    /// its last second is 24 hours old.
    function test_HoursOfTheCapAreRoundedUp() external {
        vm.warp(497_222 * 1 hours + 59 minutes + 59);
        _borrow(alice);
        vm.warp(block.timestamp + 24 hours);
        assertEq(loan.issuable(), CAP - PRINCIPAL, "issuable after 24 hours to the second");
    }
}
