// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {Request} from "../support/Requests.sol";

/// @notice Checks, pays, and only then writes down what it paid. A guard against reentrance does
/// not help those who only read.
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
    IMicroLoan internal immutable LOAN;
    uint256 public payments;
    /// Currency held less what all balances and the pool come to.
    int256 public surplus;
    uint256 public totalBalances;
    uint256 public ownBalance;
    /// What may still be withdrawn: of what it announced itself, and of the limit that all share.
    uint256 public announced;
    uint256 public withdrawable;

    constructor(IMicroLoan loan) {
        LOAN = loan;
    }

    function depositAndWithdraw(uint256 amount) external {
        LOAN.deposit{value: amount}();
        LOAN.withdraw(amount);
    }

    receive() external payable {
        ++payments;
        totalBalances = LOAN.totalBalances();
        ownBalance = LOAN.getBalance(address(this));
        surplus = int256(address(LOAN).balance) - int256(totalBalances) - int256(LOAN.liquidity());
        if (address(LOAN).code.length < 5_000) return;
        (announced,) = LOAN.announcedBy(address(this));
        withdrawable = LOAN.withdrawable();
    }
}

/// @notice Reads the books of the contract that hands an account over.
contract ReadingSuccessor {
    IMicroLoan public immutable predecessor;
    uint256 public balanceLeft;
    uint256 public totalBalances;
    uint256 public totalOwed;

    constructor(IMicroLoan predecessor_) {
        predecessor = predecessor_;
    }

    function takeOver(address account, IMicroLoan.Loan calldata) external payable {
        balanceLeft = predecessor.getBalance(account);
        (totalBalances, totalOwed) = (predecessor.totalBalances(), predecessor.totalOwed());
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
        _announce(address(reading), 3 ether);
        vm.prank(address(reading));
        loan.withdraw(1 ether);
        _assertBalanced(reading);
        assertEq(reading.ownBalance(), 0, "balance of the recipient, from inside");
        assertEq(reading.announced(), 2 ether, "announced and not withdrawn, from inside");
    }

    function test_TheBooksAreRightInsideAForwardedWithdrawal() external {
        Reading reading = new Reading(loan);
        _depositFor(alice.addr, 1 ether);
        Request memory request = _request(alice.addr, _withdrawTo(address(reading), 0.4 ether));
        // All that is kept of what it reads takes more than a usual request has.
        request.gas = 300_000;
        _assertStatus(_execute(_sign(request, alice)).status, IRelayForwarder.Status.Executed, "withdrawal");
        _assertBalanced(reading);
        assertEq(reading.totalBalances(), 0.6 ether, "total of balances, from inside");
        assertEq(reading.withdrawable(), loan.withdrawable(), "left of the limit, from inside");
    }

    function test_TheBooksAreRightInsideAMove() external {
        ReadingSuccessor successor = new ReadingSuccessor(loan);
        _depositFor(alice.addr, 3 ether);
        _borrow(alice);
        _borrow(bob);
        vm.prank(owner);
        loan.announceSuccessor(address(successor));
        vm.warp(block.timestamp + 48 hours);
        vm.prank(alice.addr);
        loan.moveAccount();
        assertEq(successor.balanceLeft(), 0, "balance left, from inside");
        assertEq(successor.totalBalances(), PRINCIPAL, "total of balances, from inside");
        assertEq(successor.totalOwed(), PRINCIPAL, "total owed, from inside");
    }

    function test_TheBooksAreRightInsideADefunding() external {
        Reading reading = new Reading(loan);
        vm.prank(owner);
        loan.transferOwnership(address(reading));
        vm.startPrank(address(reading));
        loan.acceptOwnership();
        loan.defund(1 ether);
        _assertBalanced(reading);
    }

    function _assertBalanced(Reading reading) private view {
        assertEq(reading.payments(), 1, "payments");
        assertEq(reading.surplus(), 0, "currency over the books, from inside");
    }
}
