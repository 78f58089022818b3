// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Store} from "./Store.sol";
import {DeployedLoan} from "../../support/Deployments.sol";
import {Held} from "../../support/Tokens.sol";

/// @notice Reads the books whenever it is paid. Its code stands at every address that a payment can
/// go to, so that a payment before its debit is seen from inside.
contract Reader {
    DeployedLoan internal immutable LOAN;
    Store internal immutable STORE;
    /// @dev Who calls: the pool, or the token that the pool is over.
    address internal immutable PAYER;

    constructor(DeployedLoan loan, Store store) {
        LOAN = loan;
        STORE = store;
        PAYER = loan.token() == address(0) ? address(loan) : loan.token();
    }

    /// @dev Not from elsewhere: tests give their accounts currency too.
    receive() external payable {
        if (msg.sender != PAYER) return;
        uint256 balances;
        for (uint256 i; i < STORE.ACCOUNTS(); ++i) {
            balances += LOAN.getBalance(STORE.account(i));
        }
        uint256 booked = LOAN.totalBalances() + LOAN.liquidity() + STORE.forced();
        bool isSolvent = Held.quanta(LOAN, address(LOAN)) == booked;
        STORE.recordPayment(isSolvent && balances == LOAN.totalBalances());
    }
}
