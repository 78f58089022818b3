// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MicroLoan} from "../../../src/MicroLoan.sol";
import {Base} from "../../support/Base.sol";
import {Setups} from "../../support/Setups.sol";

contract SeeingMicroLoan is MicroLoan {
    constructor(address forwarder, address owner) MicroLoan(Setups.wide(forwarder, owner, 0.01 ether, 0)) {}

    function see() external view returns (address, bytes memory) {
        return (_msgSender(), _msgData());
    }

    fallback(bytes calldata) external returns (bytes memory) {
        return abi.encode(_msgSender(), _msgData());
    }
}

contract MicroLoanContextTest is Base {
    SeeingMicroLoan internal seeing;
    bytes internal see = abi.encodeCall(SeeingMicroLoan.see, ());

    function setUp() public override {
        super.setUp();
        seeing = new SeeingMicroLoan(address(forwarder), owner);
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
        (bool success, bytes memory answer) = address(seeing).call(data);
        assertTrue(success, "call");
        (address actualSender, bytes memory actualData) = abi.decode(answer, (address, bytes));
        assertEq(actualSender, sender, "sender");
        assertEq(actualData, seen, "data");
    }
}
