// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Test} from "forge-std/Test.sol";
import {Vm} from "forge-std/Vm.sol";

import {Deployments, Setups} from "../../support/Deployments.sol";

contract MicroLoanContextTest is Test {
    address internal stranger = makeAddr("stranger");
    Vm.Wallet internal alice = vm.createWallet("alice");
    address internal forwarder;
    address internal seeing;
    bytes internal see = "any call";

    function setUp() external {
        address owner = makeAddr("owner");
        forwarder = address(Deployments.forwarder(owner, address(0), owner, owner));
        seeing =
            Deployments.deploy("SeeingMicroLoan", abi.encode(Setups.wide(forwarder, owner, 0.01 ether, 0)));
    }

    function test_WhenTheCallerIsDirect() external {
        bytes memory data = abi.encodePacked(see, alice.addr);
        _sees(stranger, data, stranger, data);
    }

    function test_WhenTheCallerIsForwarded() external {
        _sees(forwarder, abi.encodePacked(see, alice.addr), alice.addr, see);
    }

    function test_WhenTheForwarderCallsWithLessThanAnAddress() external {
        bytes memory data = new bytes(19);
        _sees(forwarder, data, forwarder, data);
    }

    function _sees(address caller, bytes memory data, address sender, bytes memory seen) private {
        vm.prank(caller);
        (bool success, bytes memory answer) = seeing.call(data);
        assertTrue(success, "call");
        (address actualSender, bytes memory actualData) = abi.decode(answer, (address, bytes));
        assertEq(actualSender, sender, "sender");
        assertEq(actualData, seen, "data");
    }
}
