// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";
import {Setups} from "../../support/Setups.sol";

contract MicroLoanContextTest is Base {
    address internal seeing;
    bytes internal see = abi.encodeWithSignature("see()");

    function setUp() public override {
        super.setUp();
        IMicroLoan.Setup memory setup = Setups.wide(address(forwarder), owner, PRINCIPAL, 0);
        seeing = vm.deployCode("SeeingMicroLoan.sol:SeeingMicroLoan", abi.encode(setup));
    }

    function test_WhenTheCallerIsDirect() external {
        bytes memory data = abi.encodePacked(see, alice.addr);
        _sees(stranger, data, stranger, data);
    }

    function test_WhenTheCallerIsForwarded() external {
        _sees(address(forwarder), abi.encodePacked(see, alice.addr), alice.addr, see);
    }

    function test_WhenTheForwarderCallsWithLessThanAnAddress() external {
        bytes memory data = new bytes(19);
        _sees(address(forwarder), data, address(forwarder), data);
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
