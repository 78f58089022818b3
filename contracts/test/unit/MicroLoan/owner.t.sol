// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {MicroLoan} from "../../../src/MicroLoan.sol";
import {Base} from "../../support/Base.sol";

contract MicroLoanOwnerTest is Base {
    function test_RevertWhen_AStrangerPauses() external {
        _expectUnauthorized();
        loan.pause();
    }

    function test_RevertWhen_AStrangerUnpauses() external {
        _expectUnauthorized();
        loan.unpause();
    }

    function test_RevertWhen_AStrangerSetsThePrincipal() external {
        _expectUnauthorized();
        loan.setPrincipal(PRINCIPAL);
    }

    function test_RevertWhen_AStrangerSetsTheDailyCap() external {
        _expectUnauthorized();
        loan.setDailyCap(CAP);
    }

    function test_RevertWhen_AStrangerTransfersTheOwnership() external {
        _expectUnauthorized();
        loan.transferOwnership(stranger);
    }

    function test_RevertWhen_TheOwnerPausesTwice() external {
        vm.startPrank(owner);
        loan.pause();
        vm.expectRevert(Pausable.EnforcedPause.selector);
        loan.pause();
    }

    function test_RevertWhen_TheOwnerUnpausesWithoutAPause() external {
        vm.prank(owner);
        vm.expectRevert(Pausable.ExpectedPause.selector);
        loan.unpause();
    }

    function test_WhenTheOwnerPausesAndUnpauses() external {
        vm.startPrank(owner);
        vm.expectEmit();
        emit Pausable.Paused(owner);
        loan.pause();
        assertTrue(loan.paused(), "paused");
        vm.expectEmit();
        emit Pausable.Unpaused(owner);
        loan.unpause();
        vm.stopPrank();
        assertFalse(loan.paused(), "unpaused");
        _borrow(alice);
    }

    function test_RevertWhen_ThePrincipalIsOneWeiUnderTheMinimum() external {
        _refusesPrincipal(loan.MIN_PRINCIPAL() - 1);
    }

    function test_RevertWhen_ThePrincipalIsOneWeiOverTheMaximum() external {
        _refusesPrincipal(loan.MAX_PRINCIPAL() + 1);
    }

    function test_WhenThePrincipalIsAtABound() external {
        uint256 minimum = loan.MIN_PRINCIPAL();
        uint256 maximum = loan.MAX_PRINCIPAL();
        vm.startPrank(owner);
        loan.setDailyCap(2 ether);
        vm.expectEmit();
        emit IMicroLoan.PrincipalSet(PRINCIPAL, minimum);
        loan.setPrincipal(minimum);
        vm.stopPrank();
        _borrow(alice);
        vm.expectEmit();
        emit IMicroLoan.PrincipalSet(minimum, maximum);
        vm.prank(owner);
        loan.setPrincipal(maximum);
        _borrow(bob);

        assertEq(minimum, 0.0001 ether, "minimum");
        assertEq(maximum, 1 ether, "maximum");
        assertEq(loan.principal(), maximum, "principal");
        assertEq(loan.loanOf(alice.addr), minimum, "first loan");
        assertEq(loan.loanOf(bob.addr), maximum, "second loan");
    }

    function test_GivenALoanIsOpenWhenThePrincipalChanges() external {
        _borrow(alice);
        vm.prank(owner);
        loan.setPrincipal(1 ether);
        assertEq(loan.loanOf(alice.addr), PRINCIPAL, "owed");
        _forward(alice, _repayLoan(type(uint256).max));
        assertEq(loan.loanOf(alice.addr), 0, "owed after the repayment");
    }

    function test_RevertWhen_TheDailyCapIsOneWeiOverTheMaximum() external {
        uint256 maximum = loan.MAX_DAILY_CAP();
        vm.prank(owner);
        vm.expectRevert(abi.encodeWithSelector(IMicroLoan.DailyCapOutOfRange.selector, maximum + 1, maximum));
        loan.setDailyCap(maximum + 1);
    }

    function test_WhenTheDailyCapIsAtABound() external {
        uint256 maximum = loan.MAX_DAILY_CAP();
        vm.startPrank(owner);
        vm.expectEmit();
        emit IMicroLoan.DailyCapSet(CAP, maximum);
        loan.setDailyCap(maximum);
        assertEq(loan.dailyCap(), maximum, "daily cap");
        vm.expectEmit();
        emit IMicroLoan.DailyCapSet(maximum, 0);
        loan.setDailyCap(0);
        vm.stopPrank();
        assertEq(loan.issuable(), 0, "issuable");
    }

    function test_GivenMoreWasIssuedThanTheNewDailyCap() external {
        _borrow(alice);
        _borrow(bob);
        vm.prank(owner);
        loan.setDailyCap(PRINCIPAL);
        assertEq(loan.issuable(), 0, "issuable");
        _forwardFails(
            carol, _applyForLoan(), abi.encodeWithSelector(IMicroLoan.DailyCapReached.selector, 0, PRINCIPAL)
        );
    }

    /// @dev The owner signs as a phone would: the forwarder must never speak for an owner.
    function test_RevertWhen_TheOwnerIsAForwardedCaller() external {
        MicroLoan owned = new MicroLoan(address(forwarder), alice.addr, PRINCIPAL, CAP);
        vm.prank(owner);
        forwarder.setTarget(address(owned), true);
        loan = owned;

        bytes memory reason = abi.encodeWithSelector(IMicroLoan.DirectCallersOnly.selector);
        _forwardFails(alice, abi.encodeCall(IMicroLoan.pause, ()), reason);
        _forwardFails(alice, abi.encodeCall(IMicroLoan.unpause, ()), reason);
        _forwardFails(alice, abi.encodeCall(IMicroLoan.setPrincipal, (1 ether)), reason);
        _forwardFails(alice, abi.encodeCall(IMicroLoan.setDailyCap, (1)), reason);
        _forwardFails(alice, abi.encodeCall(IMicroLoan.defund, (1)), reason);
        _forwardFails(alice, abi.encodeCall(Ownable.transferOwnership, (bob.addr)), reason);
    }

    function test_WhenTheOwnershipIsOffered() external {
        vm.prank(owner);
        loan.transferOwnership(stranger);
        assertEq(loan.owner(), owner, "owner");
        assertEq(loan.pendingOwner(), stranger, "pending owner");
        vm.prank(owner);
        loan.setDailyCap(1);
    }

    function test_WhenTheOwnershipIsAccepted() external {
        vm.prank(owner);
        loan.transferOwnership(stranger);
        vm.prank(stranger);
        loan.acceptOwnership();
        assertEq(loan.owner(), stranger, "owner");
        assertEq(loan.pendingOwner(), address(0), "pending owner");
        vm.prank(owner);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, owner));
        loan.pause();
    }

    function test_RevertWhen_TheOwnershipIsAcceptedByAnother() external {
        vm.prank(owner);
        loan.transferOwnership(stranger);
        vm.prank(bob.addr);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, bob.addr));
        loan.acceptOwnership();
    }

    function test_RevertWhen_TheOwnershipIsAcceptedByAForwardedCaller() external {
        vm.prank(owner);
        loan.transferOwnership(alice.addr);
        _forwardFails(
            alice,
            abi.encodeCall(Ownable2Step.acceptOwnership, ()),
            abi.encodeWithSelector(IMicroLoan.DirectCallersOnly.selector)
        );
        assertEq(loan.owner(), owner, "owner");
    }

    function test_RevertWhen_TheOwnershipIsRenounced() external {
        vm.prank(owner);
        vm.expectRevert(IMicroLoan.OwnershipNotRenounceable.selector);
        loan.renounceOwnership();
    }

    function _expectUnauthorized() private {
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, stranger));
        vm.prank(stranger);
    }

    function _refusesPrincipal(uint256 principal) private {
        vm.prank(owner);
        vm.expectRevert(
            abi.encodeWithSelector(IMicroLoan.PrincipalOutOfRange.selector, principal, 0.0001 ether, 1 ether)
        );
        loan.setPrincipal(principal);
    }
}
