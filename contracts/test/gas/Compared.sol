// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC2771Forwarder} from "@openzeppelin/contracts/metatx/ERC2771Forwarder.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice OpenZeppelin's token, beside whose `transfer` ours is measured.
contract Token is ERC20("Token", "TOK") {
    constructor(address holder) {
        _mint(holder, 100 ether);
    }
}

/// @notice OpenZeppelin's forwarder, beside which ours is measured around the same call.
contract OtherForwarder is ERC2771Forwarder("OtherForwarder") {}
