// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {Base} from "../support/Base.sol";
import {Setups} from "../support/Setups.sol";
import {DeployedLoan, Deployments} from "../support/Deployments.sol";

/// @notice Checks, pays, and only then writes down what it paid. A guard against reentrance does not help
/// those who only read.
contract NaiveVault {
    mapping(address => uint256) public getBalance;
    uint256 public totalBalances;
    uint256 public constant liquidity = 0;

    function deposit() external payable {
        getBalance[msg.sender] += msg.value;
        totalBalances += msg.value;
    }

    function withdraw(uint256 amount) external {
        (bool success,) = msg.sender.call{value: amount}("");
        require(success);
        getBalance[msg.sender] -= amount;
        totalBalances -= amount;
    }
}

/// @notice Reads the books of a loan contract while that is paying it, and keeps what it saw.
contract Reading {
    IMicroLoan internal _loan;
    uint256 public payments;
    /// Currency held less what all balances and the pool come to.
    int256 public surplus;
    uint256 public totalBalances;
    uint256 public ownBalance;

    constructor(IMicroLoan loan) {
        _loan = loan;
    }

    function look(IMicroLoan loan) external {
        _loan = loan;
    }

    function depositAndWithdraw(uint256 amount) external {
        _loan.deposit{value: amount}();
        _loan.withdraw(amount);
    }

    receive() external payable {
        ++payments;
        totalBalances = _loan.totalBalances();
        ownBalance = _loan.getBalance(address(this));
        surplus = int256(address(_loan).balance) - int256(totalBalances) - int256(_loan.liquidity());
    }
}

/// @notice Others read the books while a payment goes out (a lender's own accounts, a price).
contract ReadOnlyReentranceTest is Base {
    function test_Naive_TheBooksAreWrongWhileItPays() external {
        NaiveVault naive = new NaiveVault();
        Reading reading = new Reading(IMicroLoan(address(naive)));
        vm.deal(address(reading), 1 ether);
        reading.depositAndWithdraw(1 ether);
        assertEq(reading.payments(), 1, "payments");
        assertEq(reading.surplus(), -1 ether, "currency over the books");
    }

    function test_TheBooksAreRightInsideAWithdrawal() external {
        Reading reading = new Reading(loan);
        _depositFor(address(reading), 1 ether);
        _withdraw(address(reading), 1 ether);
        _assertBalanced(reading);
        assertEq(reading.ownBalance(), 0, "balance of the recipient, from inside");
    }

    function test_TheBooksAreRightInsideAForwardedWithdrawal() external {
        Reading reading = new Reading(loan);
        _depositFor(alice.addr, 1 ether);
        _forward(alice, _withdrawTo(address(reading), 0.4 ether));
        _assertBalanced(reading);
        assertEq(reading.totalBalances(), 0.6 ether, "total of balances, from inside");
    }

    function test_TheBooksAreRightInsideADefunding() external {
        Reading reading = new Reading(loan);
        DeployedLoan owned =
            Deployments.loan(Setups.wide(address(forwarder), address(reading), PRINCIPAL, CAP));
        hoax(stranger, POOL);
        owned.fund{value: POOL}();
        reading.look(owned);
        vm.prank(address(reading));
        owned.defund(1 ether);
        _assertBalanced(reading);
    }

    function _assertBalanced(Reading reading) private view {
        assertEq(reading.payments(), 1, "payments");
        assertEq(reading.surplus(), 0, "currency over the books, from inside");
    }
}
