// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

import {IMicroLoan} from "../../src/IMicroLoan.sol";

/// @notice OpenZeppelin's token, beside whose `transfer` ours is measured.
contract Token is ERC20("Token", "TOK") {
    constructor(address holder) {
        _mint(holder, 100 ether);
    }

    /// @notice As a wallet does that was told the caller's inlet.
    function sendToInlet(IMicroLoan pool, uint256 value) external {
        _transfer(msg.sender, pool.inletOf(msg.sender), value);
    }
}
