// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {Script, console} from "forge-std/Script.sol";

import {IMicroLoan} from "../src/IMicroLoan.sol";
import {MicroLoan} from "../src/MicroLoan.sol";
import {RelayForwarder} from "../src/RelayForwarder.sol";
import {Checksum} from "./Checksum.sol";

/// @notice Deploys what is not there yet. Whatever is decided at the start stands in the constructors, so that no
/// owner's key is needed here, and nothing that an owner changed since is changed back.
/// @dev `npm run deploy:contracts` calls this and adds what a script can't do: it remembers the
/// addresses in a record, compares the code on the chain to the build, and says what differs. By itself:
///
///     DEPLOYER_KEY=… RELAYERS=0x…,0x… FOUNDRY_ETH_RPC_URL=… \
///       forge script contracts/script/Deploy.s.sol --legacy --broadcast --slow
///
/// The environment: DEPLOYER_KEY (pays), FORWARDER_OWNER and LOAN_OWNER (the deployer by default),
/// GUARDIAN and CREDITOR (none), RELAYERS, PREDECESSOR (none), PRINCIPAL_WEI, DAILY_CAP_WEI,
/// WITHDRAWAL_LIMIT_WEI, TERM_SECONDS, PAUSE_BETWEEN_SECONDS, LOANS_PER_DAY, LIST_ONLY, POOL_WEI (given
/// to an empty pool), FORWARDER and LOAN (deployed before).
contract Deploy is Script {
    using SafeCast for uint256;

    error UnknownChain(uint256 chainId);
    error NoCode(address account);

    /// @notice `forwarder` was deployed for a loan contract elsewhere.
    error TargetDiffers(address forwarder, address loan);

    function run() external returns (RelayForwarder forwarder, MicroLoan loan) {
        if (block.chainid != 30 && block.chainid != 31) revert UnknownChain(block.chainid);
        uint256 key = vm.envUint("DEPLOYER_KEY");
        address deployer = vm.addr(key);
        forwarder = RelayForwarder(_deployed("FORWARDER"));
        loan = MicroLoan(_deployed("LOAN"));

        vm.startBroadcast(key);
        if (address(forwarder) == address(0)) forwarder = _deployForwarder(deployer);
        if (address(loan) == address(0)) {
            // The two name each other: the forwarder was told where this one comes to stand.
            address next = vm.computeCreateAddress(deployer, vm.getNonce(deployer));
            if (!forwarder.isTarget(next)) revert TargetDiffers(address(forwarder), next);
            loan = new MicroLoan(_setup(address(forwarder), deployer));
        }
        uint256 pool = vm.envOr("POOL_WEI", uint256(0));
        if (pool != 0 && loan.liquidity() == 0) loan.fund{value: pool}();
        vm.stopBroadcast();

        console.log("RelayForwarder", Checksum.encode(address(forwarder), block.chainid));
        console.log("MicroLoan     ", Checksum.encode(address(loan), block.chainid));
    }

    function _deployed(string memory name) private view returns (address account) {
        account = vm.envOr(name, address(0));
        if (account != address(0) && account.code.length == 0) revert NoCode(account);
    }

    function _deployForwarder(address deployer) private returns (RelayForwarder) {
        return new RelayForwarder(
            vm.envOr("FORWARDER_OWNER", deployer),
            vm.envOr("GUARDIAN", address(0)),
            vm.envOr("RELAYERS", ",", new address[](0)),
            vm.computeCreateAddress(deployer, vm.getNonce(deployer) + 1)
        );
    }

    function _setup(address forwarder, address deployer)
        private
        view
        returns (IMicroLoan.Setup memory setup)
    {
        setup.forwarder = forwarder;
        setup.predecessor = vm.envOr("PREDECESSOR", address(0));
        setup.owner = vm.envOr("LOAN_OWNER", deployer);
        setup.guardian = vm.envOr("GUARDIAN", address(0));
        setup.creditor = vm.envOr("CREDITOR", address(0));
        setup.withdrawalLimit = vm.envOr("WITHDRAWAL_LIMIT_WEI", uint256(1 ether));
        setup.terms.principal = vm.envOr("PRINCIPAL_WEI", uint256(0.01 ether)).toUint64();
        setup.terms.dailyCap = vm.envOr("DAILY_CAP_WEI", uint256(1 ether)).toUint72();
        setup.terms.term = vm.envOr("TERM_SECONDS", uint256(30 days)).toUint32();
        setup.terms.pauseBetween = vm.envOr("PAUSE_BETWEEN_SECONDS", uint256(0)).toUint32();
        setup.terms.loansPerDay = vm.envOr("LOANS_PER_DAY", uint256(0)).toUint8();
        setup.terms.listOnly = vm.envOr("LIST_ONLY", false);
    }
}
