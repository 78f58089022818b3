// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MicroLoan} from "../../src/MicroLoan.sol";

/// @notice Tells what the contract takes for its caller and for the call. In a file of its own,
/// which the optimizer compiles with the contract, and not the test that deploys it.
contract SeeingMicroLoan is MicroLoan {
    constructor(Setup memory setup) MicroLoan(setup) {}

    fallback(bytes calldata) external returns (bytes memory) {
        return abi.encode(_msgSender(), _msgData());
    }
}
