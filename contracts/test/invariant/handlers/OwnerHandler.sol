// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Store} from "../stores/Store.sol";
import {Handler} from "./Handler.sol";
import {DeployedForwarder, DeployedLoan, Setups} from "../../support/Deployments.sol";

/// @notice The owner, within the bounds; the creditor; and time.
contract OwnerHandler is Handler {
    constructor(DeployedLoan loan, DeployedForwarder forwarder, Store store)
        Handler(loan, forwarder, store)
    {}

    /// @dev One pause in eight calls, so that runs are not spent in pauses.
    function pauseOrUnpause(uint256 seed) external step {
        bool wanted = seed % 8 == 0;
        if (wanted == STORE.paused()) return;
        vm.prank(OWNER);
        if (wanted) LOAN.pause();
        else LOAN.unpause();
        STORE.recordPause(wanted);
    }

    /// @dev Often with the principal that there is, so that a fee is what was shown wrong, or
    /// without a fee, so that the principal is.
    function setTerms(uint256 principal, uint256 cap, uint256 term, uint256 feeRate) external step {
        if (principal % 2 == 0) principal = STORE.principal();
        else principal = LOAN.MIN_PRINCIPAL() + _uniform(principal, 3 * ONE / 10);
        cap = _uniform(cap, 2 * ONE);
        IMicroLoan.Terms memory terms = Setups.termsOf(principal, cap < principal ? 0 : cap);
        terms.term = SafeCast.toUint32(term % 2 == 0 ? STORE.term() : 1 days + _uniform(term, 100 days));
        terms.feeRate = SafeCast.toUint16(feeRate % 3 == 0 ? 0 : _uniform(feeRate, 1_000));
        vm.prank(OWNER);
        LOAN.setTerms(terms);
        STORE.recordTerms(terms.principal, terms.dailyCap, terms.term, terms.feeRate);
    }

    function setCeiling(uint256 ceiling) external step {
        ceiling = _uniform(ceiling, ONE);
        vm.prank(OWNER);
        LOAN.setCeilingOfLimits(ceiling);
        STORE.recordCeiling(ceiling);
    }

    /// @dev As the creditor: mostly more than the principal, also more than the ceiling or nothing.
    function setLimit(uint256 seed, uint256 limit) external step {
        address borrower = STORE.account(seed % STORE.PHONES());
        IMicroLoan.BorrowerLimit[] memory limits = new IMicroLoan.BorrowerLimit[](1);
        limits[0] =
            IMicroLoan.BorrowerLimit(borrower, SafeCast.toUint64(limit % 4 == 0 ? 0 : _uniform(limit, ONE)));
        vm.prank(CREDITOR);
        LOAN.setBorrowerLimits(limits);
        STORE.recordLimit(borrower, limits[0].limit);
    }

    function setWithdrawalLimit(uint256 limit) external step {
        limit = _uniform(limit, 2 * ONE);
        vm.prank(OWNER);
        LOAN.setWithdrawalLimit(limit);
    }

    function writeOff(uint256 seed) external step {
        address borrower = STORE.account(seed % STORE.PHONES());
        if (STORE.owedOf(borrower) == 0 || STORE.isWrittenOff(borrower)) return;
        vm.prank(OWNER);
        LOAN.writeOff(borrower);
        STORE.recordWriteOff(borrower);
    }

    function defund(uint256 amount) external step {
        uint256 liquidity = LOAN.liquidity();
        if (liquidity == 0) return;
        // A part, so that there is something left to lend.
        amount = bound(amount, 1, liquidity / 4 + 1);
        uint256 before = _held(OWNER);
        vm.prank(OWNER);
        LOAN.defund(amount);
        assertEq(_held(OWNER), before + amount, "held by the owner");
        STORE.recordDefunding(amount);
    }

    function pass(uint256 seconds_) external step {
        STORE.pass(_uniform(seconds_, 30 hours));
    }
}
