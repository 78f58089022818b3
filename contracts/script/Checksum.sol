// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Checksum
/// @notice Writes an address with the checksum of EIP-1191, which depends on the chain.
library Checksum {
    function encode(address account, uint256 chainId) internal pure returns (string memory) {
        bytes16 alphabet = "0123456789abcdef";
        bytes memory digits = new bytes(40);
        for (uint256 i; i < 40; ++i) {
            uint256 nibble = uint256(uint160(account) >> (4 * (39 - i))) & 0xf;
            digits[i] = alphabet[nibble];
        }
        bytes32 hash = keccak256(abi.encodePacked(_decimal(chainId), "0x", digits));
        for (uint256 i; i < 40; ++i) {
            bool upper = (uint256(hash) >> (4 * (63 - i))) & 0xf >= 8;
            if (upper && digits[i] >= "a") digits[i] = bytes1(uint8(digits[i]) - 32);
        }
        return string.concat("0x", string(digits));
    }

    function _decimal(uint256 value) private pure returns (bytes memory text) {
        do {
            // A digit's character is one byte.
            // forge-lint: disable-next-line(unsafe-typecast)
            text = abi.encodePacked(bytes1(uint8(48 + value % 10)), text);
            value /= 10;
        } while (value != 0);
    }
}
