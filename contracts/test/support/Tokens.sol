// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../src/IMicroLoan.sol";

/// @notice What an account has of a pool's unit outside of the pool.
library Held {
    function quanta(IMicroLoan loan, address account) internal view returns (uint256) {
        address token = loan.token();
        return token == address(0) ? account.balance : TestToken(token).balanceOf(account) / loan.quantum();
    }
}

/// @notice An ERC-20 that does as it is told: honest by default, or one of the many that are not.
contract TestToken {
    enum Way {
        Honest,
        /// As USDT on Ethereum.
        ReturnsNothing,
        ReturnsFalse,
        /// Says that it has moved what it has not.
        MovesNothing,
        /// Its recipient gets a unit less.
        TakesAFee,
        /// Its sender has a unit less than was said.
        TakesAFeeFromTheSender,
        /// As many do that can be paused.
        Pauses,
        /// What was approved once is approved for good.
        KeepsAllowances
    }

    uint8 public immutable decimals;
    Way public way;
    mapping(address => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address => bool) public isBlocked;
    /// What is called in the middle of each move, and whether that succeeded.
    address public calledBack;
    bytes public callback;
    bool public succeeded;
    /// Calls whoever is paid, if that has code.
    bool public callsRecipients;

    error Paused();
    error Blocked(address account);
    error Missing(address account);

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    function mint(address account, uint256 value) external {
        balanceOf[account] += value;
    }

    function behave(Way way_) external {
        way = way_;
    }

    function setBlocked(address account, bool isBlocked_) external {
        isBlocked[account] = isBlocked_;
    }

    function callBack(address target, bytes calldata data) external {
        (calledBack, callback) = (target, data);
    }

    function callRecipients() external {
        callsRecipients = true;
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
        _answer();
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        if (allowance[from][msg.sender] < value) revert Missing(from);
        if (way != Way.KeepsAllowances) allowance[from][msg.sender] -= value;
        _move(from, to, value);
    }

    function _move(address from, address to, uint256 value) private {
        if (way == Way.Pauses) revert Paused();
        if (isBlocked[from]) revert Blocked(from);
        if (isBlocked[to]) revert Blocked(to);
        if (way != Way.ReturnsFalse && way != Way.MovesNothing) {
            uint256 taken = way == Way.TakesAFeeFromTheSender ? value + 1 : value;
            if (balanceOf[from] < taken) revert Missing(from);
            balanceOf[from] -= taken;
            balanceOf[to] += way == Way.TakesAFee ? value - 1 : value;
        }
        if (calledBack != address(0)) (succeeded,) = calledBack.call(callback);
        if (callsRecipients && to.code.length != 0) (succeeded,) = to.call("");
        _answer();
    }

    /// @dev One word or none: functions here say nothing of what they return.
    function _answer() private view {
        bool isTrue = way != Way.ReturnsFalse;
        uint256 length = way == Way.ReturnsNothing ? 0 : 32;
        assembly ("memory-safe") {
            mstore(0, isTrue)
            return(0, length)
        }
    }
}
