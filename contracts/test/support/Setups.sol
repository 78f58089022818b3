// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import {IMicroLoan} from "../../src/IMicroLoan.sol";

/// @notice What a loan contract is constructed with, as wide as it goes where a test does not ask for less.
library Setups {
    function wide(address forwarder, address owner, uint256 principal, uint256 dailyCap)
        internal
        pure
        returns (IMicroLoan.Setup memory setup)
    {
        setup.forwarder = forwarder;
        setup.owner = owner;
        setup.withdrawalLimit = type(uint72).max;
        setup.terms = termsOf(principal, dailyCap);
    }

    function termsOf(uint256 principal, uint256 dailyCap) internal pure returns (IMicroLoan.Terms memory) {
        return IMicroLoan.Terms({
            principal: SafeCast.toUint64(principal),
            dailyCap: SafeCast.toUint72(dailyCap),
            term: 30 days,
            pauseBetween: 0,
            loansPerDay: 0,
            listOnly: false,
            feeRate: 0
        });
    }
}
