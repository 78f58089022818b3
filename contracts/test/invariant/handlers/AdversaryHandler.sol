// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Forcing} from "../../support/Receivers.sol";
import {Store} from "../stores/Store.sol";
import {Handler} from "./Handler.sol";
import {DeployedForwarder, DeployedLoan} from "../../support/Deployments.sol";

/// @notice Tries what is forbidden, with a relayer's key and the keys of some phones. Each attempt
/// must fail.
contract AdversaryHandler is Handler {
    constructor(DeployedLoan loan, DeployedForwarder forwarder, Store store)
        Handler(loan, forwarder, store)
    {}

    /// @dev Tokens are simply sent; of currency a pool over tokens counts nothing in any case.
    function force(uint256 amount) external step {
        amount = bound(amount, 1, ONE);
        if (address(TOKEN) == address(0)) {
            vm.deal(address(this), amount);
            new Forcing{value: amount}(payable(address(LOAN)));
        } else {
            TOKEN.mint(address(LOAN), amount * LOAN.quantum());
        }
        STORE.recordForced(amount);
    }

    function bringTheOtherUnit(uint256 seed) external step {
        address payer = STORE.account(seed % STORE.ACCOUNTS());
        vm.deal(payer, 1);
        vm.startPrank(payer);
        if (address(TOKEN) == address(0)) {
            _failsDirectly(abi.encodeCall(IMicroLoan.depositTokensFor, (payer, 1)));
            _failsDirectly(abi.encodeCall(IMicroLoan.fundTokens, (1)));
        } else {
            (bool success,) = address(LOAN).call{value: 1}(abi.encodeCall(IMicroLoan.deposit, ()));
            assertFalse(success, "currency in a pool over tokens");
            (success,) = address(LOAN).call{value: 1}(abi.encodeCall(IMicroLoan.fund, ()));
            assertFalse(success, "currency in a pool over tokens");
        }
        vm.stopPrank();
    }

    function borrowDirectly(uint256 seed) external step {
        vm.prank(STORE.account(seed % STORE.ACCOUNTS()));
        _failsDirectly(abi.encodeCall(IMicroLoan.applyForLoan, ()));
    }

    /// @dev Whatever stands in the way at the moment: a debt, a pause, the cap, the liquidity.
    function borrowAgainstARule(uint256 seed) external step {
        uint256 phone = seed % STORE.PHONES();
        bool isAllowed = !STORE.paused() && STORE.owedOf(STORE.account(phone)) == 0
            && LOAN.liquidity() >= STORE.principal()
            && STORE.issuedWithin24Hours() + STORE.principal() <= STORE.cap();
        if (isAllowed) return;
        _failsForwarded(phone, abi.encodeCall(IMicroLoan.applyForLoan, ()));
    }

    function borrowOverTheLimit(uint256 seed, uint256 excess) external step {
        uint256 phone = seed % STORE.PHONES();
        uint256 amount = STORE.limitOf(STORE.account(phone)) + bound(excess, 1, type(uint64).max);
        (uint256 fee, uint256 term) = (STORE.feeOf(amount), STORE.term());
        _failsForwarded(phone, abi.encodeCall(IMicroLoan.applyForLoanOf, (amount, fee, term)));
    }

    function takeMoreThanTheBalance(uint256 seed, uint256 excess, uint256 way) external step {
        uint256 phone = seed % STORE.PHONES();
        uint256 amount = STORE.balanceOf(STORE.account(phone)) + bound(excess, 1, type(uint128).max);
        address accomplice = STORE.account(STORE.PHONES());
        if (way % 3 == 0) {
            _failsForwarded(phone, abi.encodeCall(IMicroLoan.transfer, (accomplice, amount)));
        } else if (way % 3 == 1) {
            _failsForwarded(phone, abi.encodeCall(IMicroLoan.withdrawTo, (payable(accomplice), amount)));
        } else {
            vm.prank(STORE.account(phone));
            _failsDirectly(abi.encodeCall(IMicroLoan.withdraw, (amount)));
        }
    }

    function repayMoreThanIsOwed(uint256 seed, uint256 excess) external step {
        uint256 phone = seed % STORE.PHONES();
        uint256 owed = STORE.owedOf(STORE.account(phone));
        uint256 amount = bound(excess, owed + 1, type(uint256).max - 1);
        _failsForwarded(phone, abi.encodeCall(IMicroLoan.repayLoan, (amount)));
    }

    function moveInAPause(uint256 seed) external step {
        if (!STORE.paused()) return;
        uint256 phone = seed % STORE.PHONES();
        if (STORE.balanceOf(STORE.account(phone)) == 0) return;
        address accomplice = STORE.account(7);
        vm.prank(STORE.account(phone));
        _failsDirectly(abi.encodeCall(IMicroLoan.transfer, (accomplice, 1)));
        _failsForwarded(phone, abi.encodeCall(IMicroLoan.withdrawTo, (payable(accomplice), 1)));
    }

    function payNobody(uint256 seed, uint32 number) external step {
        uint256 phone = seed % STORE.PHONES();
        address nobody = address(uint160(number));
        _failsForwarded(phone, abi.encodeCall(IMicroLoan.transfer, (nobody, 1)));
        _failsForwarded(phone, abi.encodeCall(IMicroLoan.withdrawTo, (payable(nobody), 1)));
    }

    /// @dev With every phone's key: at once, and without the notice.
    function moveOverTheLimit(uint256 seed, uint256 excess) external step {
        uint256 phone = seed % STORE.PHONES();
        excess = bound(excess, 1, type(uint128).max);
        address accomplice = STORE.account(7);
        vm.startPrank(STORE.account(phone));
        _failsDirectly(abi.encodeCall(IMicroLoan.transfer, (accomplice, LOAN.transferable() + excess)));
        (uint256 announced, uint256 dueAt) = STORE.announced(STORE.account(phone));
        uint256 due = STORE.timestamp() < dueAt ? 0 : announced;
        _failsDirectly(abi.encodeCall(IMicroLoan.withdraw, (due + excess)));
        vm.stopPrank();
        bytes memory data =
            abi.encodeCall(IMicroLoan.withdrawTo, (payable(accomplice), LOAN.withdrawable() + excess));
        _failsForwarded(phone, data);
    }

    /// @dev On an account that has not agreed.
    function putADebtOnAnother(uint256 seed) external step {
        uint256 phone = seed % STORE.PHONES();
        _failsForwarded(phone, abi.encodeCall(IMicroLoan.passAccount, (STORE.account(7))));
    }

    function defundDepositors(uint256 excess) external step {
        uint256 amount = LOAN.liquidity() + bound(excess, 1, type(uint128).max);
        vm.prank(OWNER);
        _failsDirectly(abi.encodeCall(IMicroLoan.defund, (amount)));
    }

    function _failsDirectly(bytes memory data) private {
        (bool success,) = address(LOAN).call(data);
        assertFalse(success, "forbidden direct call");
    }
}
