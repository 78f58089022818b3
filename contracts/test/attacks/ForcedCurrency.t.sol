// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {Base} from "../support/Base.sol";
import {Forcing} from "../support/Receivers.sol";

/// @notice Takes the currency it holds for a measure of what it was given.
contract NaiveHolding {
    mapping(address => uint256) public getBalance;
    uint256 public totalBalances;

    function deposit() external payable {
        getBalance[msg.sender] += msg.value;
        totalBalances += msg.value;
    }

    function liquidity() public view returns (uint256) {
        return address(this).balance - totalBalances;
    }

    function withdraw(uint256 amount) external {
        require(address(this).balance == totalBalances, "books do not balance");
        getBalance[msg.sender] -= amount;
        totalBalances -= amount;
        payable(msg.sender).transfer(amount);
    }
}

contract ForcedCurrencyTest is Base {
    function test_Naive_ForcedCurrencyIsLentAndStopsWithdrawals() external {
        NaiveHolding naive = new NaiveHolding();
        hoax(alice.addr, 1 ether);
        naive.deposit{value: 1 ether}();
        _force(address(naive), 1);
        assertEq(naive.liquidity(), 1, "liquidity that nobody funded");
        vm.prank(alice.addr);
        vm.expectRevert("books do not balance");
        naive.withdraw(1 ether);
    }

    function test_ForcedCurrencyIsNobodys() external {
        _depositFor(alice.addr, 1 ether);
        vm.prank(owner);
        loan.defund(POOL);
        _force(address(loan), 5 ether);

        assertEq(loan.liquidity(), 0, "liquidity");
        assertEq(loan.totalBalances(), 1 ether, "total of balances");
        vm.prank(owner);
        vm.expectRevert(_error(IMicroLoan.InsufficientLiquidity.selector, 0, 1));
        loan.defund(1);
        _forwardFails(bob, _applyForLoan(), _error(IMicroLoan.InsufficientLiquidity.selector, 0, PRINCIPAL));
        _withdraw(alice.addr, 1 ether);
        assertEq(address(loan).balance, 5 ether, "currency held");
    }

    function _force(address target, uint256 amount) private {
        vm.deal(address(this), amount);
        new Forcing{value: amount}(payable(target));
    }
}
