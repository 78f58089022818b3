// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20, SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// @notice Code of the addresses that a pool over a token takes deposits at ({IMicroLoan-inletOf}),
/// each a clone of this. It takes no currency, and gives what it holds to its pool's order alone.
contract Inlet {
    address private immutable POOL = msg.sender;

    /// @notice Sends all that it holds of `what`, the currency where that is zero, to `to`, but
    /// what is less than one `quantum`.
    function send(address what, address to, uint256 quantum) external returns (uint256 value) {
        require(msg.sender == POOL);
        value = what == address(0) ? address(this).balance : IERC20(what).balanceOf(address(this));
        value -= value % quantum;
        if (what == address(0)) Address.sendValue(payable(to), value);
        else SafeERC20.safeTransfer(IERC20(what), to, value);
    }
}
