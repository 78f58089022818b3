// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Store} from "./Store.sol";
import {DeployedLoan} from "../../support/Deployments.sol";

/// @notice Reads the books whenever it is paid. Its code stands at every address that a payment can
/// go to, so that a payment before its debit is seen from inside.
contract Reader {
    DeployedLoan internal immutable LOAN;
    Store internal immutable STORE;

    constructor(DeployedLoan loan, Store store) {
        LOAN = loan;
        STORE = store;
    }

    /// @dev Not from elsewhere: tests give their accounts currency too.
    receive() external payable {
        if (msg.sender != address(LOAN)) return;
        uint256 balances;
        for (uint256 i; i < STORE.ACCOUNTS(); ++i) {
            balances += LOAN.getBalance(STORE.account(i));
        }
        bool isSolvent = address(LOAN).balance == LOAN.totalBalances() + LOAN.liquidity() + STORE.forced();
        STORE.recordPayment(isSolvent && balances == LOAN.totalBalances());
    }
}
