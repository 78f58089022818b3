// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRelayForwarder} from "../../src/IRelayForwarder.sol";

/// @notice A target that remembers who called it with what and how much gas, and behaves as it is
/// told.
contract Probe {
    struct Call {
        address signer;
        bytes data;
        uint256 gasAtStart;
    }

    Call[] internal _calls;
    mapping(address signer => uint256) public countOf;
    uint256 public counted;
    uint256 public seen;

    function calls() external view returns (uint256) {
        return _calls.length;
    }

    function lastCall() external view returns (Call memory) {
        return _calls[_calls.length - 1];
    }

    function remember() external {
        uint256 gasAtStart = gasleft();
        _calls.push(Call(address(bytes20(msg.data[msg.data.length - 20:])), msg.data, gasAtStart));
    }

    /// @dev Looks up when the intent was spent, from inside its own call.
    function see(IRelayForwarder forwarder, address signer, bytes22 intentId) external {
        (seen,) = forwarder.spentAt(signer, intentId);
    }

    /// @dev Counts for the signer, cheaply.
    function count() external {
        ++countOf[address(bytes20(msg.data[msg.data.length - 20:]))];
        ++counted;
    }

    /// @dev Returns so many bytes of 0xab.
    function give(uint256 length) external pure {
        bytes memory data = _bytes(length);
        assembly {
            return(add(data, 0x20), length)
        }
    }

    /// @dev Reverts with so many bytes of 0xab.
    function fail(uint256 length) external pure {
        bytes memory data = _bytes(length);
        assembly {
            revert(add(data, 0x20), length)
        }
    }

    /// @dev Reverts with as much as a million gas can return, which is far more than is cheap to
    /// copy.
    function explode() external pure {
        assembly {
            revert(0, 500000)
        }
    }

    /// @dev Uses up all gas it was given.
    function burn() external pure {
        assembly {
            invalid()
        }
    }

    /// @dev Succeeds with so much gas, and runs out of less.
    function eat(uint256 amount) external view {
        uint256 gasAtStart = gasleft();
        while (gasAtStart - gasleft() < amount) {}
    }

    /// @dev Remembers the gas it was given in the cheapest way, then uses up the rest of it.
    function weigh() external returns (uint256) {
        uint256 gasAtStart = gasleft();
        assembly {
            tstore(0, gasAtStart)
        }
        while (gasleft() > 1_000) {}
        return gasAtStart;
    }

    function weight() external view returns (uint256 gasAtStart) {
        assembly {
            gasAtStart := tload(0)
        }
    }

    function _bytes(uint256 length) private pure returns (bytes memory data) {
        data = new bytes(length);
        for (uint256 i; i < length; ++i) {
            data[i] = 0xab;
        }
    }
}
