// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Test} from "forge-std/Test.sol";

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {AdversaryHandler} from "./handlers/AdversaryHandler.sol";
import {OwnerHandler} from "./handlers/OwnerHandler.sol";
import {PhoneHandler} from "./handlers/PhoneHandler.sol";
import {Reader} from "./stores/Reader.sol";
import {Store} from "./stores/Store.sol";
import {DeployedForwarder, DeployedLoan, Deployments, Setups} from "../support/Deployments.sol";
import {Held, TestToken} from "../support/Tokens.sol";

/// @notice See README.md in this folder for each in prose.
contract MicroLoanInvariantTest is Test {
    /// @dev None for the currency.
    TestToken internal token;
    uint256 internal one = 1 ether;
    address internal owner = makeAddr("owner");
    DeployedForwarder internal forwarder;
    DeployedLoan internal loan;
    Store internal store;
    PhoneHandler internal phones;

    function setUp() external {
        store = new Store(one);
        vm.warp(store.timestamp());
        vm.chainId(31);
        IMicroLoan.Setup memory setup = Setups.wide(address(0), owner, one / 10, one);
        (setup.token, setup.creditor) = (address(token), makeAddr("creditor"));
        (forwarder, loan) = Deployments.pair(setup, makeAddr("relayer"));
        _fund(address(this), 5 * one);
        store.recordFunding(5 * one);
        store.recordTerms(one / 10, one, 30 days, 0);

        _readFromInside();

        phones = new PhoneHandler(loan, forwarder, store);
        bytes4[] memory excluded = new bytes4[](1);
        excluded[0] = phones.forward.selector;
        excludeSelector(FuzzSelector(address(phones), excluded));
        targetContract(address(phones));
        targetContract(address(new OwnerHandler(loan, forwarder, store)));
        targetContract(address(new AdversaryHandler(loan, forwarder, store)));
    }

    /// @dev One campaign asks for all of them after each call. Foundry would run one for each
    /// external function, and with a fixed seed that is the same campaign again and again.
    function invariant_AllHold() external {
        invariant_Solvency();
        invariant_BalancesAddUp();
        invariant_ConservationOfBalances();
        invariant_ConservationOfLiquidity();
        invariant_ConservationOfDebt();
        invariant_EachAccountIsAsItsHistorySays();
        invariant_OneLoanAnAccount();
        invariant_DebtGrowsByIssueAlone();
        invariant_LoansThroughTheForwarderAlone();
        invariant_PrincipalIssuedInAnyDayStaysUnderTheCap();
        invariant_TheCapCountsThePrincipalAlone();
        invariant_NoLoanIsOverItsBorrowersLimit();
        invariant_NoLoanNoDirectTransferAndNoForwardedWithdrawalInAPause();
        invariant_WhatLeavesAtOnceStaysUnderTheLimitOfADay();
        invariant_TheBooksAreRightInsideEveryPayment();
    }

    function invariant_Solvency() internal view {
        assertEq(_held(address(loan)), loan.totalBalances() + loan.liquidity() + store.forced(), "held");
    }

    function invariant_BalancesAddUp() internal view {
        uint256 balances;
        uint256 owed;
        for (uint256 i; i < store.ACCOUNTS(); ++i) {
            balances += loan.getBalance(store.account(i));
            if (!store.isWrittenOff(store.account(i))) owed += loan.loanOf(store.account(i));
        }
        assertEq(loan.totalBalances(), balances, "total of balances");
        assertEq(loan.totalOwed(), owed, "total owed");
    }

    function invariant_ConservationOfBalances() internal view {
        assertEq(
            loan.totalBalances() + store.repaid() - store.repaidByOthers() + store.withdrawn(),
            store.deposited() + store.issued(),
            "total of balances"
        );
    }

    function invariant_ConservationOfLiquidity() internal view {
        assertEq(
            loan.liquidity() + store.issued() + store.defunded(), store.funded() + store.repaid(), "liquidity"
        );
    }

    function invariant_ConservationOfDebt() internal view {
        uint256 lent = store.issued() + store.charged();
        assertEq(loan.totalOwed() + store.writtenOff() + store.repaid(), lent, "total owed");
    }

    function invariant_EachAccountIsAsItsHistorySays() internal view {
        for (uint256 i; i < store.ACCOUNTS(); ++i) {
            address account = store.account(i);
            assertEq(loan.getBalance(account), store.balanceOf(account), "balance");
            assertEq(loan.loanOf(account), store.owedOf(account), "owed");
            uint256 feeRate = store.owedOf(account) == 0 ? 0 : store.feeRateOf(account);
            assertEq(loan.loanDetailsOf(account).feeRate, feeRate, "fee in basis points");
            assertEq(loan.loanDetailsOf(account).isWrittenOff, store.isWrittenOff(account), "written off");
        }
    }

    function invariant_OneLoanAnAccount() internal view {
        for (uint256 i; i < store.ACCOUNTS(); ++i) {
            address account = store.account(i);
            assertLe(loan.loanOf(account), store.lastOwedOf(account), "owed against the last loan");
        }
        assertEq(store.issuedWhileOwing(), 0, "loans to who owes");
    }

    function invariant_DebtGrowsByIssueAlone() internal view {
        assertEq(store.debtGrewWithoutIssue(), 0, "debts that grew otherwise");
    }

    function invariant_LoansThroughTheForwarderAlone() internal view {
        // Outside wallets act directly alone, and the adversary tried for everybody.
        for (uint256 i = store.PHONES(); i < store.ACCOUNTS(); ++i) {
            assertEq(loan.loanOf(store.account(i)), 0, "owed by a direct caller");
        }
    }

    function invariant_PrincipalIssuedInAnyDayStaysUnderTheCap() internal view {
        assertEq(store.issuedOverTheCap(), 0, "loans over the cap");
    }

    function invariant_TheCapCountsThePrincipalAlone() internal {
        vm.warp(store.timestamp());
        uint256 counted = store.issuedInTheCapsDay();
        assertEq(loan.issuable(), store.cap() > counted ? store.cap() - counted : 0, "left of the cap");
    }

    function invariant_NoLoanIsOverItsBorrowersLimit() internal view {
        assertEq(store.issuedOverALimit(), 0, "loans over a limit");
        for (uint256 i; i < store.PHONES(); ++i) {
            assertEq(loan.limitOf(store.account(i)), store.limitOf(store.account(i)), "limit");
        }
    }

    function invariant_NoLoanNoDirectTransferAndNoForwardedWithdrawalInAPause() internal view {
        assertEq(loan.paused(), store.paused(), "paused");
        assertEq(store.movedInPause(), 0, "loans, direct transfers and forwarded withdrawals in a pause");
    }

    function invariant_WhatLeavesAtOnceStaysUnderTheLimitOfADay() internal view {
        assertEq(store.movedOverTheLimit(), 0, "payments over the limit");
    }

    function invariant_TheBooksAreRightInsideEveryPayment() internal view {
        assertEq(store.unbalanced(), 0, "payments with wrong books inside");
    }

    /// @dev A pause traps nobody, and a run on the contract leaves nobody unpaid.
    function afterInvariant() external {
        vm.warp(store.timestamp());
        if (!loan.paused()) {
            vm.prank(owner);
            loan.pause();
        }
        for (uint256 i; i < store.ACCOUNTS(); ++i) {
            address account = store.account(i);
            uint256 owed = loan.loanOf(account);
            uint256 balance = loan.getBalance(account);
            if (owed > balance) {
                _depositFor(account, owed - balance);
            }
            if (owed != 0) phones.forward(i, abi.encodeCall(IMicroLoan.repayLoan, (type(uint256).max)));
            assertEq(loan.loanOf(account), 0, "owed at the end");
            vm.prank(account);
            loan.announceWithdrawal(type(uint128).max);
        }
        vm.warp(block.timestamp + 48 hours);
        for (uint256 i; i < store.ACCOUNTS(); ++i) {
            address account = store.account(i);
            (uint256 balance, uint256 before) = (loan.getBalance(account), _held(account));
            if (balance == 0) continue;
            vm.prank(account);
            loan.withdraw(balance);
            assertEq(_held(account), before + balance, "paid");
            assertEq(loan.getBalance(account), 0, "balance at the end");
        }
        if (loan.liquidity() != 0) {
            uint256 liquidity = loan.liquidity();
            vm.prank(owner);
            loan.defund(liquidity);
        }
        assertEq(loan.totalBalances(), 0, "total of balances at the end");
        assertEq(loan.totalOwed(), 0, "total owed at the end");
        assertEq(_held(address(loan)), store.forced(), "held at the end");
    }

    /// @dev A signature needs no account without code, so that phones keep theirs.
    function _readFromInside() private {
        bytes memory code = address(new Reader(loan, store)).code;
        vm.etch(owner, code);
        for (uint256 i; i < store.ACCOUNTS(); ++i) {
            vm.etch(store.account(i), code);
        }
        _fund(owner, one);
        vm.prank(owner);
        loan.defund(one);
        assertEq(store.payments(), 1, "payments that a reader saw");
    }

    function _held(address account) private view returns (uint256) {
        return Held.quanta(loan, account);
    }

    function _fund(address payer, uint256 amount) private {
        _prepare(payer, amount);
        if (address(token) == address(0)) loan.fund{value: amount}();
        else loan.fundTokens(amount);
    }

    function _depositFor(address account, uint256 amount) private {
        _prepare(account, amount);
        if (address(token) == address(0)) loan.deposit{value: amount}();
        else loan.depositTokensFor(account, amount);
    }

    /// @dev The payer has the amount, and acts next.
    function _prepare(address payer, uint256 amount) private {
        if (address(token) == address(0)) {
            hoax(payer, amount);
        } else {
            uint256 value = amount * loan.quantum();
            token.mint(payer, value);
            vm.prank(payer);
            token.approve(address(loan), value);
            vm.prank(payer);
        }
    }
}

/// @notice The same actors over a token that calls whoever it pays.
contract MicroLoanOverTokensInvariantTest is MicroLoanInvariantTest {
    constructor() {
        token = new TestToken(18);
        token.callRecipients();
        one = 10_000e6;
    }
}
