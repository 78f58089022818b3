// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Vm} from "forge-std/Vm.sol";

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";

contract Token is ERC20("Token", "TOK") {
    constructor(address holder) {
        _mint(holder, 100 ether);
    }
}

/// @notice What each action costs, written to `snapshots/` and checked against it. Each measured call is a
/// transaction of its own (`isolate`): storage is cold, and the 21,000 and the calldata are in it.
/// @dev The contract is one that has been lending for days, so that no first write flatters or blames a loan.
/// forge-config: default.isolate = true
contract GasTest is Base {
    address internal wallet = makeAddr("outside wallet");
    Vm.Wallet[] internal phones;

    function setUp() public override {
        super.setUp();
        _setDailyCap(1_000 ether);
        for (uint256 i; i < 30; ++i) {
            _borrow(vm.createWallet(uint256(keccak256(abi.encode("earlier", i)))));
            vm.warp(block.timestamp + 1 hours);
        }
        _borrow(vm.createWallet("of this hour"));
        for (uint256 i; i < 20; ++i) {
            phones.push(vm.createWallet(uint256(keccak256(abi.encode("phone", i)))));
        }
        vm.deal(wallet, 10 ether);
    }

    // Through the relay

    function test_gas_Loan() external {
        _measure("loan", _everybody(_applyForLoan()));
    }

    function test_gas_TransferToANewAccount() external {
        _depositEach();
        IRelayForwarder.SignedRequest[] memory requests = new IRelayForwarder.SignedRequest[](20);
        for (uint256 i; i < 20; ++i) {
            address to = address(uint160(uint256(keccak256(abi.encode("new", i)))));
            requests[i] = _signed(phones[i], _transfer(to, 0.5 ether));
        }
        _measure("transfer to a new account", requests);
    }

    function test_gas_TransferToAKnownAccount() external {
        _depositEach();
        IRelayForwarder.SignedRequest[] memory requests = new IRelayForwarder.SignedRequest[](20);
        for (uint256 i; i < 20; ++i) {
            address to = address(uint160(uint256(keccak256(abi.encode("known", i)))));
            _depositFor(to, 1);
            requests[i] = _signed(phones[i], _transfer(to, 0.5 ether));
        }
        _measure("transfer to a known account", requests);
    }

    function test_gas_RepayAPart() external {
        _borrowEach();
        _measure("repay a part", _everybody(_repayLoan(PRINCIPAL / 2)));
    }

    function test_gas_RepayAll() external {
        _borrowEach();
        _depositEach();
        _measure("repay all", _everybody(_repayLoan(type(uint256).max)));
    }

    function test_gas_WithdrawTo() external {
        _depositEach();
        IRelayForwarder.SignedRequest[] memory requests = new IRelayForwarder.SignedRequest[](20);
        for (uint256 i; i < 20; ++i) {
            address to = address(uint160(uint256(keccak256(abi.encode("new wallet", i)))));
            requests[i] = _signed(phones[i], _withdrawTo(to, 0.5 ether));
        }
        _measure("withdraw to a new wallet", requests);
    }

    /// @dev The dearest call there is: the first loan of a contract writes to words that are still empty.
    function test_gas_FirstLoanOfAll() external {
        super.setUp();
        uint256 least = _leastGas(_request(alice.addr, _applyForLoan()));
        vm.snapshotValue("relayed", "the first loan of all, least gas to sign", least);
        assertLt(least, REQUEST_GAS * 3 / 4, "least gas");
    }

    function test_gas_Failure() external {
        _measure("a transfer that fails", _everybody(_transfer(wallet, 1)));
    }

    function test_gas_AlreadySpent() external {
        IRelayForwarder.SignedRequest[] memory requests = _everybody(_transfer(wallet, 1));
        _execute(requests);
        _measure("already spent", requests);
    }

    // Directly

    function test_gas_Direct() external {
        vm.startPrank(wallet);
        loan.deposit{value: 1 ether}();
        _snapshot("deposit, first");
        loan.deposit{value: 1 ether}();
        _snapshot("deposit");
        loan.depositFor{value: 1 ether}(alice.addr);
        _snapshot("depositFor, first");
        loan.transfer(bob.addr, 0.5 ether);
        _snapshot("transfer to a new account");
        loan.transfer(bob.addr, 0.5 ether);
        _snapshot("transfer to a known account");
        loan.announceWithdrawal(0.5 ether);
        _snapshot("announceWithdrawal");
        vm.warp(block.timestamp + 48 hours);
        loan.withdraw(0.5 ether);
        _snapshot("withdraw");
        loan.fund{value: 1 ether}();
        _snapshot("fund");
        vm.stopPrank();

        vm.startPrank(owner);
        loan.defund(1 ether);
        _snapshot("defund");
        forwarder.setRelayer(stranger, true);
        _snapshot("setRelayer");
        loan.pause();
        _snapshot("pause");
        vm.stopPrank();
    }

    /// @dev OpenZeppelin's ERC-20 in the same run, for comparison with `transfer`.
    function test_gas_Token() external {
        Token token = new Token(wallet);
        vm.startPrank(wallet);
        token.transfer(bob.addr, 0.5 ether);
        _snapshot("ERC-20 transfer to a new account");
        token.transfer(bob.addr, 0.5 ether);
        _snapshot("ERC-20 transfer to a known account");
        vm.stopPrank();
    }

    // Helpers

    function _everybody(bytes memory data) private returns (IRelayForwarder.SignedRequest[] memory requests) {
        requests = new IRelayForwarder.SignedRequest[](20);
        for (uint256 i; i < 20; ++i) {
            requests[i] = _signed(phones[i], data);
        }
    }

    function _borrowEach() private {
        _execute(_everybody(_applyForLoan()));
    }

    function _depositEach() private {
        for (uint256 i; i < 20; ++i) {
            _depositFor(phones[i].addr, 1 ether);
        }
    }

    function _snapshot(string memory name) private {
        vm.snapshotGasLastCall("direct", name);
    }

    /// @dev The least gas to sign, and the cost of a request alone and in batches of 5, 10 and 20.
    function _measure(string memory action, IRelayForwarder.SignedRequest[] memory requests) private {
        uint256 state = vm.snapshotState();
        uint256 least = _leastGas(requests[0].request);
        if (least != 0) vm.snapshotValue("relayed", string.concat(action, ", least gas to sign"), least);
        uint256[4] memory sizes = [uint256(1), 5, 10, 20];
        for (uint256 i; i < sizes.length; ++i) {
            IRelayForwarder.SignedRequest[] memory part = new IRelayForwarder.SignedRequest[](sizes[i]);
            for (uint256 j; j < sizes[i]; ++j) {
                part[j] = requests[j];
            }
            _execute(part);
            uint256 gasUsed = vm.lastCallGas().gasTotalUsed / sizes[i];
            vm.snapshotValue("relayed", string.concat(action, ", of ", vm.toString(sizes[i])), gasUsed);
            vm.revertToState(state);
        }
    }

    /// @dev Zero for a call that fails with any gas.
    function _leastGas(IRelayForwarder.Request memory request) private returns (uint256) {
        uint256 state = vm.snapshotState();
        uint256 low;
        uint256 high = 1_000_000;
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            // As the forwarder would call, in a transaction of its own.
            vm.prank(address(forwarder));
            (bool success,) = request.to.call{gas: middle}(abi.encodePacked(request.data, request.from));
            vm.revertToState(state);
            if (success) high = middle;
            else low = middle;
        }
        return high == 1_000_000 ? 0 : high;
    }
}
