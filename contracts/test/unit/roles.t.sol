// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

import {IGuarded} from "../../src/IGuarded.sol";
import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {DeployedLoan, Deployments} from "../support/Deployments.sol";

/// @notice Every function of a role beside every caller, in one table: who may and who may not, and
/// why not.
contract RolesTest is Base {
    /// @dev Who may call a function, a bit for each of the callers.
    uint256 internal constant OWNER = 1;
    uint256 internal constant GUARDIAN = 2;
    uint256 internal constant CREDITOR = 4;
    uint256 internal constant PENDING = 8;

    struct Row {
        bytes call;
        uint256 allowed;
    }

    Row[] internal _rows;
    address internal pending = makeAddr("pending owner");
    address[] internal _callers;

    function setUp() public override {
        super.setUp();
        _callers = [owner, guardian, creditor, pending, relayer, stranger, alice.addr];
        _callers.push(address(forwarder));
        _callers.push(address(loan));
        vm.startPrank(owner);
        loan.transferOwnership(pending);
        forwarder.transferOwnership(pending);
        vm.stopPrank();
    }

    function test_EveryFunctionOfTheLoanContractBesideEveryCaller() external {
        _borrow(bob);
        (, DeployedLoan successor) = _deploySuccessor();
        _ofTheLoan(address(successor));
        _rows.push(Row(abi.encodeCall(IMicroLoan.setBorrowers, (new address[](1), true)), CREDITOR));
        _rows.push(Row(_setLimits(), CREDITOR));
        _rows.push(Row(abi.encodeCall(IMicroLoan.setCeilingOfLimits, (0)), OWNER));
        _try(address(loan));
    }

    function test_EveryFunctionOfTheForwarderBesideEveryCaller() external {
        _ofBoth();
        _rows.push(Row(abi.encodeCall(IRelayForwarder.setRelayer, (stranger, true)), OWNER));
        _try(address(forwarder));
    }

    /// @dev Who has all roles signs as a phone would: the forwarder must never speak for a role.
    function test_EveryFunctionOfTheLoanContractBesideAForwardedOwner() external {
        IMicroLoan.Setup memory setup = _setup();
        (setup.owner, setup.guardian, setup.creditor) = (alice.addr, alice.addr, alice.addr);
        (forwarder, loan) = Deployments.pair(setup, relayer);
        _ofTheLoan(address(0));
        for (uint256 i; i < _rows.length; ++i) {
            _forwardFails(alice, _rows[i].call, _error(IMicroLoan.DirectCallersOnly.selector));
        }
        _forwardFails(
            alice,
            abi.encodeCall(IMicroLoan.setBorrowers, (new address[](1), true)),
            _error(IMicroLoan.NotCreditor.selector, address(forwarder))
        );
        _forwardFails(alice, _setLimits(), _error(IMicroLoan.NotCreditor.selector, address(forwarder)));
    }

    function _setLimits() private pure returns (bytes memory) {
        return abi.encodeCall(IMicroLoan.setBorrowerLimits, (new IMicroLoan.BorrowerLimit[](1)));
    }

    function _ofBoth() private {
        _rows.push(Row(abi.encodeCall(IGuarded.pause, ()), OWNER | GUARDIAN));
        _rows.push(Row(abi.encodeWithSignature("unpause()"), OWNER));
        _rows.push(Row(abi.encodeCall(IGuarded.setGuardian, (stranger)), OWNER));
        _rows.push(Row(abi.encodeCall(Ownable.transferOwnership, (stranger)), OWNER));
        _rows.push(Row(abi.encodeCall(Ownable2Step.acceptOwnership, ()), PENDING));
    }

    function _ofTheLoan(address successor) private {
        _ofBoth();
        _rows.push(Row(abi.encodeCall(IMicroLoan.setTerms, (loan.terms())), OWNER));
        _rows.push(Row(abi.encodeCall(IMicroLoan.setWithdrawalLimit, (1)), OWNER));
        _rows.push(Row(abi.encodeCall(IMicroLoan.setCreditor, (stranger)), OWNER));
        _rows.push(Row(abi.encodeCall(IMicroLoan.writeOff, (bob.addr)), OWNER));
        _rows.push(Row(abi.encodeCall(IMicroLoan.announceSuccessor, (successor)), OWNER));
        _rows.push(Row(abi.encodeCall(IMicroLoan.defund, (1)), OWNER));
    }

    /// @dev Each from the same state, but for the pause that an unpause ends.
    function _try(address target) private {
        uint256 state = vm.snapshotState();
        for (uint256 row; row < _rows.length; ++row) {
            bytes memory call = _rows[row].call;
            for (uint256 i; i < _callers.length; ++i) {
                if (bytes4(call) == IGuarded.unpause.selector) {
                    vm.prank(owner);
                    IGuarded(target).pause();
                }
                vm.prank(_callers[i]);
                (bool success, bytes memory answer) = target.call(call);
                bool isAllowed = i < 4 && _rows[row].allowed & (1 << i) != 0;
                string memory label = string.concat("row ", vm.toString(row), ", caller ", vm.toString(i));
                assertEq(success, isAllowed, label);
                if (!isAllowed) assertEq(answer, _reasonFor(target, call, _callers[i]), label);
                vm.revertToState(state);
            }
        }
    }

    function _reasonFor(address target, bytes memory call, address caller)
        private
        view
        returns (bytes memory)
    {
        bytes4 selector = bytes4(call);
        bool isOfTheCreditor =
            selector == IMicroLoan.setBorrowers.selector || selector == IMicroLoan.setBorrowerLimits.selector;
        if (isOfTheCreditor) {
            return _error(IMicroLoan.NotCreditor.selector, caller);
        }
        if (target == address(loan) && caller == address(forwarder)) {
            return _error(IMicroLoan.DirectCallersOnly.selector);
        }
        return _error(Ownable.OwnableUnauthorizedAccount.selector, caller);
    }
}
