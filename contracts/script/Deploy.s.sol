// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {Script, console} from "forge-std/Script.sol";

import {MicroLoan} from "../src/MicroLoan.sol";
import {RelayForwarder} from "../src/RelayForwarder.sol";
import {Checksum} from "./Checksum.sol";

/// @notice Deploys what is not there yet and brings it into the wanted state; what is as wanted is left.
/// @dev `npm run deploy:contracts` calls this and adds what a script can't do: it remembers the
/// addresses in a record and compares the code on the chain to the build. By itself:
///
///     DEPLOYER_KEY=… RELAYERS=0x…,0x… FOUNDRY_ETH_RPC_URL=… \
///       forge script contracts/script/Deploy.s.sol --legacy --broadcast --slow
///
/// The environment: DEPLOYER_KEY (pays, and owns what is deployed), RELAYERS, PRINCIPAL_WEI,
/// DAILY_CAP_WEI, POOL_WEI (given to an empty pool), FORWARDER and LOAN (deployed before), NEW_OWNER
/// (is offered the ownership of both).
contract Deploy is Script {
    using SafeCast for uint256;

    error UnknownChain(uint256 chainId);
    error NoCode(address account);

    function run() external returns (RelayForwarder forwarder, MicroLoan loan) {
        if (block.chainid != 30 && block.chainid != 31) revert UnknownChain(block.chainid);
        uint256 key = vm.envUint("DEPLOYER_KEY");
        address deployer = vm.addr(key);
        forwarder = RelayForwarder(_deployed("FORWARDER"));
        loan = MicroLoan(_deployed("LOAN"));

        vm.startBroadcast(key);
        if (address(forwarder) == address(0)) forwarder = new RelayForwarder(deployer, address(0));
        if (address(loan) == address(0)) {
            loan = new MicroLoan(_setup(address(forwarder), deployer));
        }
        _allow(forwarder, loan);
        uint256 pool = vm.envOr("POOL_WEI", uint256(0));
        if (pool != 0 && loan.liquidity() == 0) loan.fund{value: pool}();
        _offerOwnership(forwarder, loan);
        vm.stopBroadcast();

        console.log("RelayForwarder", Checksum.encode(address(forwarder), block.chainid));
        console.log("MicroLoan     ", Checksum.encode(address(loan), block.chainid));
    }

    function _setup(address forwarder, address owner) private view returns (MicroLoan.Setup memory setup) {
        setup.forwarder = forwarder;
        setup.owner = owner;
        setup.withdrawalLimit = vm.envOr("WITHDRAWAL_LIMIT_WEI", uint256(1 ether));
        setup.terms.principal = vm.envOr("PRINCIPAL_WEI", uint256(0.01 ether)).toUint64();
        setup.terms.dailyCap = vm.envOr("DAILY_CAP_WEI", uint256(1 ether)).toUint72();
        setup.terms.term = vm.envOr("TERM_SECONDS", uint256(30 days)).toUint32();
    }

    function _deployed(string memory name) private view returns (address account) {
        account = vm.envOr(name, address(0));
        if (account != address(0) && account.code.length == 0) revert NoCode(account);
    }

    function _allow(RelayForwarder forwarder, MicroLoan loan) private {
        if (!forwarder.isTarget(address(loan))) forwarder.setTarget(address(loan), true);
        address[] memory relayers = vm.envOr("RELAYERS", ",", new address[](0));
        for (uint256 i; i < relayers.length; ++i) {
            if (!forwarder.isRelayer(relayers[i])) forwarder.setRelayer(relayers[i], true);
        }
    }

    function _offerOwnership(RelayForwarder forwarder, MicroLoan loan) private {
        address newOwner = vm.envOr("NEW_OWNER", address(0));
        if (newOwner == address(0)) return;
        if (forwarder.owner() != newOwner && forwarder.pendingOwner() != newOwner) {
            forwarder.transferOwnership(newOwner);
        }
        if (loan.owner() != newOwner && loan.pendingOwner() != newOwner) loan.transferOwnership(newOwner);
    }
}
