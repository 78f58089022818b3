// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What RelayForwarder keeps back is enough. `contracts/test/proofs/Models.t.sol` keeps
/// `gasNeeded` equal to the contract's.
contract GasReserve {
    uint256 internal constant MAX_GAS = 1_000_000;
    uint256 internal constant CALL_OVERHEAD = 45_000;
    uint256 internal constant REQUEST_OVERHEAD = 35_000;

    function gasNeeded(uint256 requestGas, uint256 following) public pure returns (uint256) {
        return CALL_OVERHEAD + (requestGas * 64 + 62) / 63 + following * REQUEST_OVERHEAD;
    }

    /// @dev On Ethereum a call gets at most 63/64 of what is left (EIP-150), on Rootstock all of
    /// it: with what the forwarder's own work may take gone, the call gets all of its signed gas.
    function theCallGetsAllOfItsGas(uint256 requestGas, uint256 following) public pure {
        require(requestGas <= MAX_GAS && following <= 10_000);
        uint256 left = gasNeeded(requestGas, following) - CALL_OVERHEAD;
        assert(left - left / 64 >= requestGas);
    }

    /// @dev Whatever the call uses, what is kept back for the others is left.
    function theOthersKeepTheirs(uint256 requestGas, uint256 following, uint256 used) public pure {
        require(requestGas <= MAX_GAS && following <= 10_000 && used <= requestGas);
        assert(gasNeeded(requestGas, following) - used >= CALL_OVERHEAD + following * REQUEST_OVERHEAD);
    }
}
