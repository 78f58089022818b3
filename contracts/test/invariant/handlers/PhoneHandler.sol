// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Store} from "../stores/Store.sol";
import {Handler} from "./Handler.sol";
import {DeployedForwarder, DeployedLoan} from "../../support/Deployments.sol";

/// @notice Phones and outside wallets that do only what the interface allows, so that a revert is a
/// finding.
contract PhoneHandler is Handler {
    constructor(DeployedLoan loan, DeployedForwarder forwarder, Store store)
        Handler(loan, forwarder, store)
    {}

    /// @dev Not for the campaign, which leaves it out.
    function forward(uint256 signer, bytes memory data) external {
        _forward(signer, data);
    }

    /// @dev All that it may borrow, or less of it.
    function look(uint256 seed, uint256 amount) external step {
        uint256 phone = seed % STORE.PHONES();
        uint256 limit = STORE.limitOf(STORE.account(phone));
        uint256 least = LOAN.MIN_PRINCIPAL();
        if (amount % 2 == 0 || limit < least) amount = limit;
        else amount = least + _uniform(amount, limit - least);
        STORE.recordShown(phone, amount);
    }

    /// @dev The first phone from the seed on that owes nothing: the principal on whatever the terms
    /// are, or what it was shown, be it still the same or not.
    function borrow(uint256 seed, bool asShown) external step {
        if (STORE.paused()) return;
        for (uint256 i; i < STORE.PHONES(); ++i) {
            uint256 phone = (seed % STORE.PHONES() + i) % STORE.PHONES();
            if (STORE.owedOf(STORE.account(phone)) != 0) continue;
            if (asShown) _borrowAsShown(phone);
            else _borrow(phone, STORE.principal(), true, abi.encodeCall(IMicroLoan.applyForLoan, ()));
            return;
        }
    }

    function _borrowAsShown(uint256 phone) private {
        (uint256 amount, uint256 fee, uint256 term) = STORE.shownTo(phone);
        bytes memory data = abi.encodeCall(IMicroLoan.applyForLoanOf, (amount, fee, term));
        _borrow(phone, amount, fee == STORE.feeOf(amount) && term == STORE.term(), data);
    }

    /// @dev Gets it if and only if nothing stands in the way.
    function _borrow(uint256 phone, uint256 amount, bool isAsAgreed, bytes memory data) private {
        address borrower = STORE.account(phone);
        bool isInLimit = amount >= LOAN.MIN_PRINCIPAL() && amount <= STORE.limitOf(borrower);
        if (isAsAgreed && isInLimit && amount <= LOAN.liquidity() && amount <= LOAN.issuable()) {
            _forward(phone, data);
            STORE.recordIssue(borrower, amount);
        } else {
            _failsForwarded(phone, data);
        }
    }

    function repay(uint256 seed, uint256 amount, bool direct, bool all) external step {
        (uint256 index, address borrower) = _account(seed);
        uint256 owed = STORE.owedOf(borrower);
        uint256 balance = STORE.balanceOf(borrower);
        if (owed == 0 || balance == 0) return;
        all = all && balance >= owed;
        amount = all ? owed : bound(amount, 1, owed < balance ? owed : balance);
        bytes memory data = abi.encodeCall(IMicroLoan.repayLoan, (all ? type(uint256).max : amount));
        _act(index, direct, data);
        STORE.recordRepayment(borrower, amount, false);
    }

    function repayFor(uint256 seed, uint256 payerSeed, uint256 amount) external step {
        address borrower = STORE.account(seed % STORE.PHONES());
        (, address payer) = _account(payerSeed);
        if (STORE.owedOf(borrower) == 0) return;
        amount = bound(amount, 1, STORE.owedOf(borrower));
        bytes memory inCurrency = abi.encodeCall(IMicroLoan.repayLoanFor, (borrower));
        _bring(payer, amount, inCurrency, abi.encodeCall(IMicroLoan.repayInTokens, (borrower, amount)));
        STORE.recordRepayment(borrower, amount, true);
    }

    function transfer(uint256 seed, uint256 toSeed, uint256 amount, bool direct) external step {
        (uint256 index, address from) = _account(seed);
        (, address to) = _account(toSeed);
        direct = direct || index >= STORE.PHONES();
        uint256 most = STORE.balanceOf(from);
        if (direct && LOAN.transferable() < most) most = LOAN.transferable();
        if ((direct && STORE.paused()) || most == 0) return;
        amount = bound(amount, 1, most);
        _act(index, direct, abi.encodeCall(IMicroLoan.transfer, (to, amount)));
        STORE.recordTransfer(from, to, amount, direct);
        if (direct) STORE.recordOutflow(true, amount, LOAN.withdrawalLimit());
    }

    /// @dev To a phone that has never borrowed and agrees.
    function pass(uint256 seed, uint256 toSeed) external step {
        uint256 phone = seed % STORE.PHONES();
        uint256 heir = toSeed % STORE.PHONES();
        (address from, address to) = (STORE.account(phone), STORE.account(heir));
        if (phone == heir || STORE.lastOwedOf(to) != 0) return;
        bool isOverTokens = address(TOKEN) != address(0);
        if (isOverTokens && STORE.heirOf(to) != address(0)) return;
        _forward(heir, abi.encodeCall(IMicroLoan.acceptAccount, (from)));
        _forward(phone, abi.encodeCall(IMicroLoan.passAccount, (to)));
        STORE.recordPass(from, to);
        if (isOverTokens) STORE.recordHeir(from, to);
    }

    /// @dev From anybody's wallet, in any part of a quantum.
    function sendToInlet(uint256 seed, uint256 value) external step {
        if (address(TOKEN) == address(0)) return;
        (, address account) = _account(seed);
        value = bound(value, 1, ONE * LOAN.quantum());
        TOKEN.mint(LOAN.inletOf(account), value);
        STORE.recordSent(account, value);
    }

    function sweepInlet(uint256 seed) external step {
        (, address account) = _account(seed);
        if (address(TOKEN) == address(0) || STORE.sentTo(account) < LOAN.quantum()) return;
        LOAN.sweepInlet(account);
        address holder = STORE.recordSweep(account, LOAN.quantum());
        assertEq(LOAN.holderOf(account), holder, "holder");
        assertEq(TOKEN.balanceOf(LOAN.inletOf(account)), STORE.sentTo(account), "left in the inlet");
    }

    function deposit(uint256 seed, uint256 toSeed, uint256 amount) external step {
        (, address payer) = _account(seed);
        (, address account) = _account(toSeed);
        amount = bound(amount, 1, ONE);
        bytes memory inCurrency = payer == account
            ? abi.encodeCall(IMicroLoan.deposit, ())
            : abi.encodeCall(IMicroLoan.depositFor, (account));
        _bring(payer, amount, inCurrency, abi.encodeCall(IMicroLoan.depositTokensFor, (account, amount)));
        STORE.recordDeposit(account, amount);
    }

    function announce(uint256 seed, uint256 amount) external step {
        (, address account) = _account(seed);
        amount = _uniform(amount, 2 * ONE);
        vm.prank(account);
        LOAN.announceWithdrawal(amount);
        STORE.recordAnnouncement(account, amount);
    }

    function withdraw(uint256 seed, uint256 amount) external step {
        (, address account) = _account(seed);
        (uint256 most, uint256 dueAt) = STORE.announced(account);
        if (STORE.balanceOf(account) < most) most = STORE.balanceOf(account);
        if (most == 0 || STORE.timestamp() < dueAt) return;
        amount = bound(amount, 1, most);
        uint256 before = _held(account);
        vm.prank(account);
        LOAN.withdraw(amount);
        assertEq(_held(account), before + amount, "held by the account");
        STORE.recordWithdrawal(account, amount, true);
    }

    function withdrawTo(uint256 seed, uint256 toSeed, uint256 amount) external step {
        uint256 phone = seed % STORE.PHONES();
        address account = STORE.account(phone);
        (, address recipient) = _account(toSeed);
        uint256 most = STORE.balanceOf(account);
        if (LOAN.withdrawable() < most) most = LOAN.withdrawable();
        if (most == 0 || STORE.paused()) return;
        amount = bound(amount, 1, most);
        uint256 before = _held(recipient);
        _forward(phone, abi.encodeCall(IMicroLoan.withdrawTo, (payable(recipient), amount)));
        assertEq(_held(recipient), before + amount, "held by the recipient");
        STORE.recordWithdrawal(account, amount, false);
        STORE.recordOutflow(false, amount, LOAN.withdrawalLimit());
    }

    function fund(uint256 seed, uint256 amount) external step {
        (, address payer) = _account(seed);
        amount = bound(amount, 1, ONE);
        bytes memory inTokens = abi.encodeCall(IMicroLoan.fundTokens, (amount));
        _bring(payer, amount, abi.encodeCall(IMicroLoan.fund, ()), inTokens);
        STORE.recordFunding(amount);
    }

    function _account(uint256 seed) private view returns (uint256 index, address account) {
        index = seed % STORE.ACCOUNTS();
        account = STORE.account(index);
    }

    function _act(uint256 index, bool direct, bytes memory data) private {
        if (!direct && index < STORE.PHONES()) {
            _forward(index, data);
        } else {
            vm.prank(STORE.account(index));
            (bool success,) = address(LOAN).call(data);
            assertTrue(success, "honest direct call");
        }
    }
}
