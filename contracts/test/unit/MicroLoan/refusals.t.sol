// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {
    AliceHasAllRoles,
    Base,
    BobHasAllRoles,
    OwnerHasAllRoles,
    StrangerHasAllRoles
} from "../../support/Base.sol";

/// @notice What every function refuses, in one table: each call is made in the same state and has
/// to fail for just the reason beside it. Alice has 5 ether and owes the principal, and what she
/// announced is due.
contract MicroLoanRefusalsTest is Base {
    uint256 internal constant BALANCE = 5 ether;
    address internal wallet = makeAddr("outside wallet");
    bytes internal zero = _error(IMicroLoan.ZeroAmount.selector);

    function setUp() public override {
        super.setUp();
        _borrow(alice);
        _depositFor(alice.addr, BALANCE - PRINCIPAL);
        _announce(alice.addr, BALANCE + 1 ether);
    }

    function test_RevertWhen_NothingIsMoved() external {
        _forwardFails(alice, _transfer(bob.addr, 0), zero);
        _forwardFails(alice, _withdrawTo(wallet, 0), zero);
        _forwardFails(alice, _repayLoan(0), zero);
        _fails(alice.addr, abi.encodeCall(IMicroLoan.withdraw, (0)), zero);
        _fails(owner, abi.encodeCall(IMicroLoan.defund, (0)), zero);
        bytes[4] memory payments = _payments();
        for (uint256 i; i < 4; ++i) {
            _fails(stranger, payments[i], zero);
        }
    }

    /// @dev Forwarded calls carry no currency; else they are like others.
    function test_RevertWhen_APaymentIsForwarded() external {
        bytes[4] memory payments = _payments();
        for (uint256 i; i < 4; ++i) {
            _forwardFails(bob, payments[i], zero);
        }
    }

    function test_RevertWhen_CurrencyIsSentWithoutACall() external {
        _failsPaying(alice.addr, 1 ether, "", "");
    }

    /// @dev Below 2^32: the zero address, precompiles (0x1 to 0x11, Rootstock's bridge and its last
    /// one), a usual burn address, and the highest.
    function test_RevertWhen_TheRecipientIsNobodyOrTheContractOrTheForwarder() external {
        address[9] memory recipients = [
            address(0),
            address(1),
            address(0x11),
            address(0x01000006),
            address(0x01000017),
            address(0xdEaD),
            address(uint160(type(uint32).max)),
            address(loan),
            address(forwarder)
        ];
        for (uint256 i; i < recipients.length; ++i) {
            _refuses(recipients[i]);
        }
    }

    function testFuzz_RevertWhen_TheRecipientIsBelow2Pow32(uint32 recipient) external {
        _refuses(address(uint160(recipient)));
    }

    function test_TheAddress2Pow32CanBePaid() external {
        address lowest = address(1 << 32);
        _forward(alice, _transfer(lowest, 1));
        _depositFor(lowest, 2);
        assertEq(loan.getBalance(lowest), 3, "credited");
        _forward(alice, _withdrawTo(lowest, 4));
        assertEq(lowest.balance, 4, "paid");
    }

    function test_RevertWhen_TheCallerIsDirectOrForwardedAndMayNotBe() external {
        bytes[5] memory forwarded = [
            _applyForLoan(),
            _applyForLoanOf(PRINCIPAL, 0, 30 days),
            _withdrawTo(wallet, 1),
            _accept(bob.addr),
            _pass(bob.addr)
        ];
        for (uint256 i; i < 5; ++i) {
            _fails(alice.addr, forwarded[i], _error(IMicroLoan.ForwardedCallersOnly.selector));
        }
        bytes memory reason = _error(IMicroLoan.DirectCallersOnly.selector);
        _forwardFails(alice, abi.encodeCall(IMicroLoan.announceWithdrawal, (1)), reason);
        _forwardFails(alice, abi.encodeCall(IMicroLoan.withdraw, (1)), reason);
    }

    function test_RevertWhen_TheAmountIsOneWeiTooMuch() external {
        uint256 over = BALANCE + 1;
        bytes memory reason = _error(IMicroLoan.InsufficientBalance.selector, alice.addr, BALANCE, over);
        _forwardFails(alice, _transfer(bob.addr, over), reason);
        _forwardFails(alice, _withdrawTo(wallet, over), reason);
        _fails(alice.addr, abi.encodeCall(IMicroLoan.withdraw, (over)), reason);
        reason = _error(IMicroLoan.RepaymentTooLarge.selector, PRINCIPAL, PRINCIPAL + 1);
        _forwardFails(alice, _repayLoan(PRINCIPAL + 1), reason);
        _failsPaying(stranger, PRINCIPAL + 1, abi.encodeCall(IMicroLoan.repayLoanFor, (alice.addr)), reason);
        uint256 free = POOL - PRINCIPAL;
        reason = _error(IMicroLoan.InsufficientLiquidity.selector, free, free + 1);
        _fails(owner, abi.encodeCall(IMicroLoan.defund, (free + 1)), reason);
        _forward(alice, _transfer(bob.addr, BALANCE - PRINCIPAL + 1));
        reason = _error(IMicroLoan.InsufficientBalance.selector, alice.addr, PRINCIPAL - 1, PRINCIPAL);
        _forwardFails(alice, _repayLoan(PRINCIPAL), reason);
        _forwardFails(alice, _repayLoan(type(uint256).max), reason);
    }

    function test_RevertGiven_NothingIsOwed() external {
        _depositFor(bob.addr, 1 ether);
        bytes memory reason = _error(IMicroLoan.NoLoan.selector, bob.addr);
        _forwardFails(bob, _repayLoan(1), reason);
        _forwardFails(bob, _repayLoan(0), reason);
        _forwardFails(bob, _repayLoan(type(uint256).max), reason);
        _failsPaying(stranger, 1, abi.encodeCall(IMicroLoan.repayLoanFor, (bob.addr)), reason);
        _fails(owner, abi.encodeCall(IMicroLoan.writeOff, (bob.addr)), reason);
    }

    /// @dev Loans, direct transfers and forwarded withdrawals stop in a pause, and all else goes
    /// on.
    function test_GivenAPause() external {
        _pause();
        bytes memory reason = _error(Pausable.EnforcedPause.selector);
        _fails(alice.addr, _transfer(bob.addr, 1), reason);
        _forwardFails(alice, _withdrawTo(wallet, 1), reason);
        _forwardFails(bob, _applyForLoan(), reason);
        _forwardFails(bob, _applyForLoanOf(PRINCIPAL, 0, 30 days), reason);
        uint256 free = POOL - PRINCIPAL;

        _list(bob.addr, true);
        assertTrue(loan.isListed(bob.addr), "listed");
        _depositFor(bob.addr, 1 ether);
        hoax(bob.addr, 1 ether);
        loan.deposit{value: 1 ether}();
        _forward(bob, _transfer(alice.addr, 2 ether));
        _withdraw(alice.addr, 1 ether);
        _fund(3 ether);
        vm.prank(owner);
        loan.defund(2 ether);
        _repayFor(alice.addr, PRINCIPAL / 4);
        _forward(alice, _repayLoan(PRINCIPAL / 4));
        _forward(bob, _accept(alice.addr));
        _forward(alice, _pass(bob.addr));
        _assertAccount(bob.addr, BALANCE + 1 ether - PRINCIPAL / 4, PRINCIPAL / 2);
        _assertSums(free + 1 ether + PRINCIPAL / 2, BALANCE + 1 ether - PRINCIPAL / 4, PRINCIPAL / 2);
    }

    /// @dev Each way to pay an account that another one names.
    function _refuses(address recipient) private {
        bytes memory reason = _error(IMicroLoan.InvalidRecipient.selector, recipient);
        _forwardFails(alice, _transfer(recipient, 1), reason);
        _fails(alice.addr, _transfer(recipient, 1), reason);
        _forwardFails(alice, _withdrawTo(recipient, 1), reason);
        _failsPaying(stranger, 1 ether, abi.encodeCall(IMicroLoan.depositFor, (recipient)), reason);
    }

    /// @dev Each way to pay in.
    function _payments() private view returns (bytes[4] memory) {
        return [
            abi.encodeCall(IMicroLoan.deposit, ()),
            abi.encodeCall(IMicroLoan.depositFor, (alice.addr)),
            abi.encodeCall(IMicroLoan.fund, ()),
            abi.encodeCall(IMicroLoan.repayLoanFor, (alice.addr))
        ];
    }
}

contract MicroLoanRefusalsOfAliceWithAllRolesTest is MicroLoanRefusalsTest, AliceHasAllRoles {}

contract MicroLoanRefusalsOfBobWithAllRolesTest is MicroLoanRefusalsTest, BobHasAllRoles {}

contract MicroLoanRefusalsOfTheOwnerWithAllRolesTest is MicroLoanRefusalsTest, OwnerHasAllRoles {}

contract MicroLoanRefusalsOfAPayerWithAllRolesTest is MicroLoanRefusalsTest, StrangerHasAllRoles {}
