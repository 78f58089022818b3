// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {MicroLoan} from "../../../src/MicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanConstructorTest is Base {
    function test_RevertWhen_TheForwarderHasNoCode() external {
        vm.expectRevert(abi.encodeWithSelector(IMicroLoan.InvalidForwarder.selector, stranger));
        new MicroLoan(stranger, owner, PRINCIPAL, CAP);
    }

    function test_RevertWhen_TheOwnerIsZero() external {
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableInvalidOwner.selector, address(0)));
        new MicroLoan(address(forwarder), address(0), PRINCIPAL, CAP);
    }

    function test_RevertWhen_ThePrincipalIsOutOfRange() external {
        vm.expectRevert(
            abi.encodeWithSelector(IMicroLoan.PrincipalOutOfRange.selector, 0, 0.0001 ether, 1 ether)
        );
        new MicroLoan(address(forwarder), owner, 0, CAP);
    }

    function test_RevertWhen_TheDailyCapIsOutOfRange() external {
        uint256 cap = uint256(type(uint72).max) + 1;
        vm.expectRevert(abi.encodeWithSelector(IMicroLoan.DailyCapOutOfRange.selector, cap, type(uint72).max));
        new MicroLoan(address(forwarder), owner, PRINCIPAL, cap);
    }

    function test_WhenAllIsInRange() external {
        vm.expectEmit();
        emit IMicroLoan.PrincipalSet(0, 0.5 ether);
        vm.expectEmit();
        emit IMicroLoan.DailyCapSet(0, 2 ether);
        MicroLoan created = new MicroLoan(address(forwarder), stranger, 0.5 ether, 2 ether);

        assertEq(created.trustedForwarder(), address(forwarder), "forwarder");
        assertEq(created.owner(), stranger, "owner");
        assertEq(created.principal(), 0.5 ether, "principal");
        assertEq(created.dailyCap(), 2 ether, "daily cap");
        assertEq(created.issuable(), 2 ether, "issuable");
        assertEq(created.liquidity(), 0, "liquidity");
        assertEq(created.totalBalances(), 0, "total of balances");
        assertEq(created.totalOwed(), 0, "total owed");
        assertFalse(created.paused(), "paused");
    }
}
