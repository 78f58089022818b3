// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {Vm} from "forge-std/Vm.sol";

import {IGuarded} from "../../src/IGuarded.sol";
import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../src/IRelayForwarder.sol";

/// @notice What both contracts have, from OpenZeppelin as it is but for the guardian.
interface DeployedGuarded is IGuarded {
    function owner() external view returns (address);
    function pendingOwner() external view returns (address);
    function paused() external view returns (bool);
    function transferOwnership(address newOwner) external;
    function acceptOwnership() external;
    function renounceOwnership() external;
}

interface DeployedLoan is IMicroLoan, DeployedGuarded {
    function trustedForwarder() external view returns (address);
}

interface DeployedForwarder is IRelayForwarder, DeployedGuarded {
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        );
}

/// @notice Deploys from the build, as the deployment's script does: a test that imported a contract
/// would have to be compiled by the optimizer like it (see foundry.toml), which takes five times as
/// long.
library Deployments {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev With one relayer, and the target that requests call.
    function forwarder(address owner, address guardian, address relayer, address target)
        internal
        returns (DeployedForwarder)
    {
        address[] memory relayers = new address[](1);
        relayers[0] = relayer;
        return DeployedForwarder(deploy("RelayForwarder", abi.encode(owner, guardian, relayers, target)));
    }

    function loan(IMicroLoan.Setup memory setup) internal returns (DeployedLoan) {
        return DeployedLoan(deploy("MicroLoan", abi.encode(setup)));
    }

    /// @dev A forwarder and the loan contract that it calls, which name each other, with the same
    /// owner and guardian.
    function pair(IMicroLoan.Setup memory setup, address relayer)
        internal
        returns (DeployedForwarder forwarder_, DeployedLoan loan_)
    {
        address target = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        forwarder_ = forwarder(setup.owner, setup.guardian, relayer, target);
        setup.forwarder = address(forwarder_);
        loan_ = loan(setup);
    }

    /// @dev Not by `deployCode`: a test that expects that to revert ends with it.
    function deploy(string memory name, bytes memory arguments) internal returns (address created) {
        bytes memory code = abi.encodePacked(vm.getCode(string.concat(name, ".sol:", name)), arguments);
        assembly ("memory-safe") {
            created := create(0, add(code, 0x20), mload(code))
            if iszero(created) {
                returndatacopy(mload(0x40), 0, returndatasize())
                revert(mload(0x40), returndatasize())
            }
        }
    }
}

/// @notice What a loan contract is constructed with, as wide as it goes where a test does not ask
/// for less.
library Setups {
    function wide(address forwarder, address owner, uint256 principal, uint256 dailyCap)
        internal
        pure
        returns (IMicroLoan.Setup memory setup)
    {
        setup.forwarder = forwarder;
        setup.owner = owner;
        setup.withdrawalLimit = type(uint72).max;
        setup.terms = termsOf(principal, dailyCap);
    }

    function termsOf(uint256 principal, uint256 dailyCap) internal pure returns (IMicroLoan.Terms memory) {
        return IMicroLoan.Terms({
            principal: SafeCast.toUint64(principal),
            dailyCap: SafeCast.toUint72(dailyCap),
            term: 30 days,
            pauseBetween: 0,
            loansPerDay: 0,
            listOnly: false,
            feeRate: 0
        });
    }
}
