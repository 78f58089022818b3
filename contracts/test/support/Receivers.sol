// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../src/IMicroLoan.sol";

/// @notice Takes no currency.
contract Refusing {}

/// @notice Refuses currency with a megabyte of revert data.
contract Bombing {
    receive() external payable {
        assembly {
            revert(0, 1000000)
        }
    }
}

/// @notice Withdraws again while it is being paid.
contract Reentrant {
    IMicroLoan internal immutable LOAN;
    uint256 public attempts;
    uint256 public successes;

    constructor(IMicroLoan loan) {
        LOAN = loan;
    }

    function depositAndWithdraw() external payable {
        LOAN.deposit{value: msg.value}();
        LOAN.withdraw(msg.value);
    }

    receive() external payable {
        ++attempts;
        try LOAN.withdraw(msg.value) {
            ++successes;
        } catch {}
    }
}

/// @notice Pays in again, while it is being paid, what it is paid.
contract Returning {
    receive() external payable {
        IMicroLoan(msg.sender).deposit{value: msg.value}();
    }
}

/// @notice Sends currency to a contract that does not want it.
contract Forcing {
    constructor(address payable target) payable {
        selfdestruct(target);
    }
}
