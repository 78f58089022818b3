// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {AliceHasAllRoles, Base, InTokensOf18, InTokensOf6, StrangerHasAllRoles} from "../../support/Base.sol";
import {Deployments} from "../../support/Deployments.sol";
import {Refusing} from "../../support/Receivers.sol";
import {TestToken} from "../../support/Tokens.sol";

contract MicroLoanInletsTest is Base, InTokensOf18 {
    uint256 internal dust;
    address internal inlet;
    address internal wallet = makeAddr("outside wallet");

    function setUp() public override {
        super.setUp();
        dust = loan.quantum() - 1;
        inlet = loan.inletOf(alice.addr);
    }

    // The address

    /// @dev Of no other account, pool or chain: there a pool may even stand at the same address.
    function test_EachAccountHasAnInletOfItsOwn() external {
        assertNotEq(inlet, loan.inletOf(bob.addr), "of another account");
        (, IMicroLoan next) = _deploySuccessor();
        assertNotEq(inlet, next.inletOf(alice.addr), "of another pool");
        uint256 state = vm.snapshotState();
        loan = Deployments.loan(_setup());
        (address pool, address here) = (address(loan), loan.inletOf(alice.addr));
        vm.revertToState(state);
        vm.chainId(30);
        loan = Deployments.loan(_setup());
        assertEq(address(loan), pool, "pool");
        assertNotEq(here, loan.inletOf(alice.addr), "of another chain");
    }

    /// @dev The chain's id is that of the deployment for good: a split takes no inlet away.
    function test_GivenTheChainHasAnotherIdSince() external {
        _sends(1);
        vm.chainId(3131);
        assertEq(loan.inletOf(alice.addr), inlet, "inlet");
        loan.sweepInlet(alice.addr);
        assertEq(loan.getBalance(alice.addr), 1, "balance");
    }

    // Sweeping

    /// @dev By anybody, who gets nothing, before and after there is code.
    function test_WhenTokensAreSwept() external {
        assertEq(inlet.code.length, 0, "code before");
        for (uint256 i = 1; i < 3; ++i) {
            _sends(3e6 * i);
            vm.expectEmit();
            emit IMicroLoan.Deposited(alice.addr, inlet, 3e6 * i);
            vm.recordLogs();
            vm.prank(stranger);
            loan.sweepInlet(alice.addr);
            assertEq(vm.getRecordedLogs().length, 1, "events");
            assertGt(inlet.code.length, 0, "code then");
            assertEq(token.balanceOf(inlet), 0, "left");
        }
        _assertAccount(alice.addr, 9e6, 0);
        _assertSums(POOL, 9e6, 0);
        assertEq(token.balanceOf(stranger), 0, "held by the sweeper");
    }

    function test_RevertGiven_NothingHasCome() external {
        bytes memory call = abi.encodeCall(IMicroLoan.sweepInlet, (alice.addr));
        _fails(stranger, call, _error(IMicroLoan.ZeroAmount.selector));
        assertEq(inlet.code.length, 0, "code");
        token.mint(inlet, dust);
        _fails(stranger, call, _error(IMicroLoan.ZeroAmount.selector));
    }

    /// @dev What is less than a quantum stays, until it is one.
    function test_GivenAPartOfAQuantum() external {
        token.mint(inlet, 2 * loan.quantum() + dust);
        loan.sweepInlet(alice.addr);
        assertEq(token.balanceOf(inlet), dust, "left");
        assertEq(loan.getBalance(alice.addr), 2, "balance");
        token.mint(inlet, 1);
        loan.sweepInlet(alice.addr);
        assertEq(token.balanceOf(inlet), 0, "left then");
        _assertSums(POOL, 3, 0);
    }

    /// @dev A caller took it for an account. Alone, or beside tokens.
    function test_GivenTheInletWasPaidWithinThePool() external {
        _depositFor(bob.addr, 10);
        _forward(bob, _transfer(inlet, 4));
        vm.expectEmit();
        emit IMicroLoan.Transferred(inlet, alice.addr, 4);
        loan.sweepInlet(alice.addr);
        _assertAccount(alice.addr, 4, 0);
        _forward(bob, _transfer(inlet, 5));
        _sends(7);
        _list(inlet, true);
        loan.sweepInlet(alice.addr);
        _assertAccount(alice.addr, 16, 0);
        _assertAccount(inlet, 0, 0);
        assertTrue(loan.isListed(inlet), "listed, by mistake");
        _assertSums(POOL, 17, 0);
    }

    function test_RevertWhen_TheAccountIsNobodys() external {
        address[3] memory nobodies = [address(0), address(loan), address(forwarder)];
        for (uint256 i; i < 3; ++i) {
            token.mint(loan.inletOf(nobodies[i]), loan.quantum());
            bytes memory call = abi.encodeCall(IMicroLoan.sweepInlet, (nobodies[i]));
            _fails(stranger, call, _error(IMicroLoan.InvalidRecipient.selector, nobodies[i]));
        }
    }

    /// @dev What comes to an old address follows into the new pool.
    function test_GivenTheAccountHasMovedInAPause() external {
        (, IMicroLoan next) = _deploySuccessor();
        _depositFor(alice.addr, 2);
        _announceSuccessor(address(next));
        _pause();
        vm.startPrank(alice.addr);
        loan.moveAccount();
        _sends(5);
        loan.sweepInlet(alice.addr);
        loan.moveAccount();
        vm.stopPrank();
        assertEq(next.getBalance(alice.addr), 7, "balance");
    }

    // Heirs

    function test_GivenTheAccountWasPassedOn() external {
        assertEq(loan.holderOf(alice.addr), alice.addr, "holder");
        _sends(3);
        _passOn();
        assertEq(loan.holderOf(alice.addr), carol.addr, "holder then");
        vm.expectEmit();
        emit IMicroLoan.Deposited(carol.addr, inlet, 3);
        loan.sweepInlet(alice.addr);
        _assertAccount(alice.addr, 0, 0);
        _assertAccount(bob.addr, 0, 0);
        _assertAccount(carol.addr, 3, 0);
    }

    /// @dev Whoever has the former key since can't turn anything away, nor send it in a circle.
    function test_GivenAFormerKeyPassesOnAgain() external {
        _forward(bob, _accept(alice.addr));
        _forward(alice, _pass(bob.addr));
        _forward(carol, _accept(alice.addr));
        _forward(alice, _pass(carol.addr));
        assertEq(loan.holderOf(alice.addr), bob.addr, "the first heir");
        _forward(alice, _accept(bob.addr));
        _forwardFails(bob, _pass(alice.addr), _error(IMicroLoan.AccountInUse.selector, alice.addr));
        _forward(bob, _accept(alice.addr));
        _forward(alice, _pass(bob.addr));
        assertEq(loan.holderOf(alice.addr), bob.addr, "the same heir again");
    }

    function test_GivenMorePassesThanAreFollowed() external {
        address last = alice.addr;
        for (uint256 i = 1; i <= 33; ++i) {
            address next = address(uint160(1 << 33) + uint160(i));
            _passDirectly(last, next);
            last = next;
        }
        assertEq(loan.holderOf(alice.addr), address(uint160(1 << 33) + 32), "the 32nd heir");
        assertEq(loan.holderOf(address(uint160(1 << 33) + 1)), last, "of the first heir");
    }

    // What is not the unit

    function test_WhenAnythingElseIsReturned() external {
        TestToken other = new TestToken(8);
        other.mint(inlet, 12);
        vm.deal(inlet, 34);
        _sends(5);
        _return(address(other));
        assertEq(other.balanceOf(wallet), 12, "another token");
        assertEq(wallet.balance, 34, "currency");
        assertEq(token.balanceOf(inlet), 5 * loan.quantum(), "tokens left");
        _return(address(other));
        loan.sweepInlet(alice.addr);
        // It has code now, and takes no currency any more.
        vm.deal(stranger, 1);
        vm.prank(stranger);
        (bool isTaken,) = inlet.call{value: 1}("");
        assertFalse(isTaken, "currency taken");
    }

    function test_RevertWhen_TheUnitIsReturned() external {
        _sends(1);
        bytes memory reason = _error(IMicroLoan.OtherUnit.selector, address(token));
        _forwardFails(alice, _returning(address(token), wallet), reason);
    }

    function test_RevertWhen_AnotherAsksForIt() external {
        bytes memory reason = _error(IMicroLoan.NotTheHolder.selector, alice.addr, alice.addr);
        _forwardFails(bob, _returning(address(0), wallet), reason);
        _fails(alice.addr, _returning(address(0), wallet), _error(IMicroLoan.ForwardedCallersOnly.selector));
        _passOn();
        reason = _error(IMicroLoan.NotTheHolder.selector, alice.addr, carol.addr);
        _forwardFails(alice, _returning(address(0), wallet), reason);
        _forwardFails(bob, _returning(address(0), wallet), reason);
        vm.deal(inlet, 1);
        _forward(carol, _returning(address(0), wallet));
        assertEq(wallet.balance, 1, "currency");
    }

    /// @dev Nothing leaves in a pause at once, and nothing to nobody.
    function test_RevertGiven_APauseOrNobody() external {
        bytes memory reason = _error(IMicroLoan.InvalidRecipient.selector, address(loan));
        _forwardFails(alice, _returning(address(0), address(loan)), reason);
        _pause();
        _forwardFails(alice, _returning(address(0), wallet), _error(Pausable.EnforcedPause.selector));
    }

    function test_RevertGiven_TheRecipientTakesNoCurrency() external {
        vm.deal(inlet, 1);
        bytes memory call = _returning(address(0), address(new Refusing()));
        assertEq(uint256(_execute(_signed(alice, call)).status), 1, "failed");
        assertEq(inlet.balance, 1, "currency left");
    }

    /// @dev Neither the clones nor what they are clones of.
    function test_RevertWhen_AnotherThanThePoolCallsAnInlet() external {
        _sends(1);
        loan.sweepInlet(alice.addr);
        _sends(1);
        bytes memory call = abi.encodeWithSignature("send(address,address,uint256)", token, wallet, 1);
        address[4] memory callers = [stranger, owner, alice.addr, address(forwarder)];
        for (uint256 i; i < 4; ++i) {
            vm.prank(callers[i]);
            (bool isDone,) = inlet.call(call);
            assertFalse(isDone, "called by another");
        }
        assertEq(token.balanceOf(inlet), loan.quantum(), "held");
    }

    function testFuzz_WhatIsSentIsCreditedToTheQuantum(uint96 value, address account) external {
        vm.assume(uint160(account) >= 1 << 32 && account != address(loan) && account != address(forwarder));
        value = uint96(bound(value, loan.quantum(), type(uint96).max));
        inlet = loan.inletOf(account);
        token.mint(inlet, value);
        loan.sweepInlet(account);
        assertEq(loan.getBalance(account), value / loan.quantum(), "balance");
        assertEq(token.balanceOf(inlet), value % loan.quantum(), "left");
        _assertSums(POOL, value / loan.quantum(), 0);
    }

    /// @dev By somebody's wallet, which knows nothing of pools.
    function _sends(uint256 amount) private {
        token.mint(inlet, amount * loan.quantum());
    }

    /// @dev From Alice to Bob to Carol.
    function _passOn() private {
        _forward(bob, _accept(alice.addr));
        _forward(alice, _pass(bob.addr));
        _forward(carol, _accept(bob.addr));
        _forward(bob, _pass(carol.addr));
    }

    /// @dev As if both had signed.
    function _passDirectly(address from, address to) private {
        vm.startPrank(address(forwarder));
        (bool isAccepted,) = address(loan).call(abi.encodePacked(_accept(from), to));
        (bool isPassed,) = address(loan).call(abi.encodePacked(_pass(to), from));
        vm.stopPrank();
        assertTrue(isAccepted && isPassed, "passed on");
    }

    function _returning(address what, address recipient) private view returns (bytes memory) {
        return abi.encodeCall(IMicroLoan.returnFromInlet, (alice.addr, what, recipient));
    }

    function _return(address what) private {
        _forward(alice, _returning(what, wallet));
        _forward(alice, _returning(address(0), wallet));
    }
}

contract MicroLoanInletsOfAliceWithAllRolesTest is MicroLoanInletsTest, AliceHasAllRoles {}

contract MicroLoanInletsOfASweeperWithAllRolesTest is MicroLoanInletsTest, StrangerHasAllRoles {}

/// @notice There is none.
contract MicroLoanInletsOverTheCurrencyTest is Base {
    function test_RevertWhen_AnInletIsAskedFor() external {
        bytes memory reason = _error(IMicroLoan.OtherUnit.selector, address(0));
        _fails(stranger, abi.encodeCall(IMicroLoan.inletOf, (alice.addr)), reason);
        _fails(stranger, abi.encodeCall(IMicroLoan.sweepInlet, (alice.addr)), reason);
        bytes memory call = abi.encodeCall(IMicroLoan.returnFromInlet, (alice.addr, stranger, bob.addr));
        _forwardFails(alice, call, reason);
        call = abi.encodeCall(IMicroLoan.returnFromInlet, (alice.addr, address(0), bob.addr));
        _forwardFails(alice, call, reason);
    }

    /// @dev As ever: an account may pass on to where it came from.
    function test_GivenAnAccountWasPassedOn() external {
        _forward(bob, _accept(alice.addr));
        _forward(alice, _pass(bob.addr));
        _forward(alice, _accept(bob.addr));
        _forward(bob, _pass(alice.addr));
        assertEq(loan.holderOf(alice.addr), alice.addr, "holder");
    }
}

contract MicroLoanSweptTokensOf6Test is Base, InTokensOf6 {
    function test_WhenTokensOf6DecimalsAreSwept() external {
        token.mint(loan.inletOf(alice.addr), 5);
        loan.sweepInlet(alice.addr);
        assertEq(loan.getBalance(alice.addr), 5, "balance");
    }
}
