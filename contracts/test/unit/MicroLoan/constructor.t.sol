// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

import {IGuarded} from "../../../src/IGuarded.sol";
import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {Base} from "../../support/Base.sol";
import {DeployedLoan, Deployments, Setups} from "../../support/Deployments.sol";

contract MicroLoanConstructorTest is Base {
    /// @dev Whoever deploys, and whatever roles it or the account without code has.
    function test_RevertWhen_TheForwarderOrThePredecessorHasNoCode() external {
        address[3] memory roles = [owner, stranger, address(this)];
        for (uint256 i; i < 3; ++i) {
            IMicroLoan.Setup memory setup = _setup();
            (setup.owner, setup.guardian, setup.creditor) = (roles[i], roles[i], roles[i]);
            setup.predecessor = stranger;
            _refuses(setup, _error(IMicroLoan.InvalidPredecessor.selector, stranger));
            setup.predecessor = address(loan);
            assertEq(Deployments.loan(setup).predecessor(), address(loan), "predecessor");
            setup.forwarder = stranger;
            _refuses(setup, _error(IMicroLoan.InvalidForwarder.selector, stranger));
        }
    }

    function test_RevertWhen_AnythingElseIsOutOfRange() external {
        IMicroLoan.Setup memory setup = _setup();
        setup.owner = address(0);
        _refuses(setup, _error(Ownable.OwnableInvalidOwner.selector, address(0)));
        setup = _setup();
        setup.terms = Setups.termsOf(0, CAP);
        _refuses(setup, _error(IMicroLoan.PrincipalOutOfRange.selector, 0, 0.0001 ether, 1 ether));
        setup = _setup();
        uint256 over = uint256(type(uint72).max) + 1;
        setup.withdrawalLimit = over;
        _refuses(setup, _error(IMicroLoan.WithdrawalLimitOutOfRange.selector, over, type(uint72).max));
    }

    function test_WhenAllIsInRange() external {
        IMicroLoan.Setup memory setup = Setups.wide(address(forwarder), stranger, 0.5 ether, 2 ether);
        (setup.guardian, setup.creditor) = (guardian, creditor);
        (setup.predecessor, setup.withdrawalLimit) = (address(loan), 3 ether);
        IMicroLoan.Terms memory none;
        vm.expectEmit();
        emit IGuarded.GuardianSet(address(0), guardian);
        vm.expectEmit();
        emit IMicroLoan.TermsSet(none, setup.terms);
        vm.expectEmit();
        emit IMicroLoan.CreditorSet(address(0), creditor);
        vm.expectEmit();
        emit IMicroLoan.WithdrawalLimitSet(3 ether, block.timestamp);
        DeployedLoan created = Deployments.loan(setup);

        assertEq(created.trustedForwarder(), address(forwarder), "forwarder");
        assertEq(created.owner(), stranger, "owner");
        assertEq(created.guardian(), guardian, "guardian");
        assertEq(created.creditor(), creditor, "creditor");
        assertEq(created.predecessor(), address(loan), "predecessor");
        assertEq(created.withdrawalLimit(), 3 ether, "limit of withdrawals");
        assertEq(abi.encode(created.terms()), abi.encode(setup.terms), "terms");
        assertEq(created.principal(), 0.5 ether, "principal");
        assertEq(created.issuable(), 2 ether, "issuable");
        assertFalse(created.paused(), "paused");
        loan = created;
        _assertSums(0, 0, 0);
    }

    function _refuses(IMicroLoan.Setup memory setup, bytes memory reason) private {
        vm.expectRevert(reason);
        Deployments.loan(setup);
    }
}
