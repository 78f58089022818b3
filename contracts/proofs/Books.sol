// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The sums of MicroLoan, and one account of it that stands for any: everything that moves
/// money, with arbitrary amounts, in any order. `contracts/test/proofs/Books.t.sol` keeps it equal
/// to the contract.
contract Books {
    uint256 public held;
    uint256 public totalBalances;
    uint256 public totalOwed;
    uint256 public liquidity;
    /// The account's, and what all others have and owe together.
    uint256 public balance;
    uint256 public owed;
    uint256 public others;
    uint256 public othersOwed;

    function applyForLoan(bool isOurs, uint256 amount) public {
        require(amount > 0 && amount <= liquidity);
        if (isOurs) {
            require(owed == 0);
            owed = amount;
            balance += amount;
        } else {
            othersOwed += amount;
            others += amount;
        }
        totalOwed += amount;
        totalBalances += amount;
        liquidity -= amount;
    }

    function repayLoan(bool isOurs, uint256 amount) public {
        require(amount > 0);
        if (isOurs) {
            require(amount <= owed && amount <= balance);
            owed -= amount;
            balance -= amount;
        } else {
            require(amount <= othersOwed && amount <= others);
            othersOwed -= amount;
            others -= amount;
        }
        totalOwed -= amount;
        totalBalances -= amount;
        liquidity += amount;
    }

    function transfer(bool fromOurs, bool toOurs, uint256 amount) public {
        require(amount > 0);
        if (fromOurs) {
            require(amount <= balance);
            balance -= amount;
        } else {
            require(amount <= others);
            others -= amount;
        }
        if (toOurs) balance += amount;
        else others += amount;
    }

    function deposit(bool isOurs, uint256 amount) public {
        require(amount > 0);
        if (isOurs) balance += amount;
        else others += amount;
        totalBalances += amount;
        held += amount;
    }

    function withdraw(bool isOurs, uint256 amount) public {
        require(amount > 0);
        if (isOurs) {
            require(amount <= balance);
            balance -= amount;
        } else {
            require(amount <= others);
            others -= amount;
        }
        totalBalances -= amount;
        held -= amount;
    }

    function fund(uint256 amount) public {
        require(amount > 0);
        liquidity += amount;
        held += amount;
    }

    function defund(uint256 amount) public {
        require(amount > 0 && amount <= liquidity);
        liquidity -= amount;
        held -= amount;
    }

    /// @dev The currency held covers all balances and the pool, to the wei.
    function isSolvent() public view {
        assert(held == totalBalances + liquidity);
    }

    /// @dev So every account can be paid in full.
    function everyAccountIsCovered() public view {
        assert(totalBalances == balance + others);
        assert(balance <= held);
    }

    function debtsAddUp() public view {
        assert(totalOwed == owed + othersOwed);
    }
}
