// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Test} from "forge-std/Test.sol";

import {Checksum} from "../../script/Checksum.sol";

contract ChecksumTest is Test {
    /// @dev The vectors of EIP-1191.
    function test_VectorsOfChain30() external pure {
        _assertEncodes(
            0x27b1fdb04752bbc536007a920d24acb045561c26, 30, "0x27b1FdB04752BBc536007A920D24ACB045561c26"
        );
        _assertEncodes(
            0x3599689E6292b81B2d85451025146515070129Bb, 30, "0x3599689E6292B81B2D85451025146515070129Bb"
        );
    }

    function test_VectorsOfChain31() external pure {
        _assertEncodes(
            0x27b1fdb04752bbc536007a920d24acb045561c26, 31, "0x27B1FdB04752BbC536007a920D24acB045561C26"
        );
        _assertEncodes(
            0x3599689E6292b81B2d85451025146515070129Bb, 31, "0x3599689e6292b81b2D85451025146515070129Bb"
        );
    }

    function testFuzz_IsTheAddressButForCase(address account, uint16 chainId) external pure {
        string memory text = Checksum.encode(account, chainId);
        assertEq(vm.parseAddress(vm.toLowercase(text)), account, "address");
        assertEq(bytes(text).length, 42, "length");
    }

    function _assertEncodes(address account, uint256 chainId, string memory expected) private pure {
        assertEq(Checksum.encode(account, chainId), expected, "checksum");
    }
}
