// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MicroLoan} from "../../src/MicroLoan.sol";

/// @notice Shows who it takes its caller for.
contract SeeingMicroLoan is MicroLoan {
    constructor(Setup memory setup) MicroLoan(setup) {}

    function see() external view returns (address, bytes memory) {
        return (_msgSender(), _msgData());
    }

    fallback(bytes calldata) external returns (bytes memory) {
        return abi.encode(_msgSender(), _msgData());
    }
}
