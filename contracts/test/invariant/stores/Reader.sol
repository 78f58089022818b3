// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Store} from "./Store.sol";
import {DeployedLoan} from "../../support/Deployments.sol";

/// @notice Reads the books whenever it is paid. Its code stands at every address that a payment can go to, so
/// that a payment before its debit is seen from inside.
contract Reader {
    DeployedLoan internal immutable LOAN;
    Store internal immutable STORE;
    PaymentLog internal immutable LOG;

    constructor(DeployedLoan loan, Store store, PaymentLog log) {
        LOAN = loan;
        STORE = store;
        LOG = log;
    }

    /// @dev Not from elsewhere: tests give their accounts currency too.
    receive() external payable {
        if (msg.sender != address(LOAN)) return;
        uint256 balances;
        for (uint256 i; i < STORE.ACCOUNTS(); ++i) {
            balances += LOAN.getBalance(STORE.account(i));
        }
        bool isSolvent = address(LOAN).balance == LOAN.totalBalances() + LOAN.liquidity() + STORE.forced();
        LOG.record(isSolvent && balances == LOAN.totalBalances());
    }
}

/// @notice What readers saw.
contract PaymentLog {
    uint256 public payments;
    uint256 public unbalanced;

    function record(bool isBalanced) external {
        ++payments;
        if (!isBalanced) ++unbalanced;
    }
}
