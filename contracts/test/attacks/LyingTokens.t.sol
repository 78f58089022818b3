// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base, InTokensOf18} from "../support/Base.sol";
import {TestToken} from "../support/Tokens.sol";

/// @notice Credits what a token was asked for.
contract NaiveTokenBank {
    IERC20 internal immutable TOKEN;
    mapping(address => uint256) public getBalance;

    constructor(address token) {
        TOKEN = IERC20(token);
    }

    function deposit(uint256 value) external {
        TOKEN.transferFrom(msg.sender, address(this), value);
        getBalance[msg.sender] += value;
    }
}

/// @notice Credits what has come meanwhile, and may be called meanwhile.
contract NaiveMeter {
    IERC20 internal immutable TOKEN;
    mapping(address => uint256) public getBalance;

    constructor(address token) {
        TOKEN = IERC20(token);
    }

    function depositFor(address account, address payer, uint256 value) external {
        uint256 before = TOKEN.balanceOf(address(this));
        TOKEN.transferFrom(payer, address(this), value);
        getBalance[account] += TOKEN.balanceOf(address(this)) - before;
    }
}

/// @notice Tokens that lie about what they moved, say no, stop, or call whom they like on the way.
contract LyingTokensTest is Base, InTokensOf18 {
    bytes4 internal otherAmount = IMicroLoan.OtherAmountMoved.selector;

    function setUp() public override {
        super.setUp();
        _depositFor(alice.addr, 3e6);
        _borrow(bob);
        _announce(alice.addr, 1e6);
    }

    function test_Naive_WhatWasNotMovedIsCredited() external {
        NaiveTokenBank naive = new NaiveTokenBank(address(token));
        token.behave(TestToken.Way.MovesNothing);
        vm.startPrank(stranger);
        token.approve(address(naive), 5 ether);
        naive.deposit(5 ether);
        assertEq(naive.getBalance(stranger), 5 ether, "credited");
        assertEq(token.balanceOf(address(naive)), 0, "held");
    }

    function test_Naive_ATransferIsCountedTwice() external {
        NaiveMeter naive = new NaiveMeter(address(token));
        token.mint(stranger, 2);
        vm.prank(stranger);
        token.approve(address(naive), 2);
        token.callBack(address(this), abi.encodeCall(this.depositOnce, (naive)));
        naive.depositFor(stranger, stranger, 1);
        assertEq(token.balanceOf(address(naive)), 2, "held");
        assertEq(naive.getBalance(stranger), 3, "credited");
    }

    function depositOnce(NaiveMeter naive) external {
        token.callBack(address(0), "");
        naive.depositFor(stranger, stranger, 1);
    }

    function test_WhatIsNotMovedToTheUnitIsNotTaken() external {
        uint256 quanta = 1e6 * loan.quantum();
        uint256 held = token.balanceOf(address(loan));
        token.behave(TestToken.Way.MovesNothing);
        _refusesAllIn(_error(otherAmount, held, held + quanta));
        token.behave(TestToken.Way.TakesAFee);
        _refusesAllIn(_error(otherAmount, held + quanta - 1, held + quanta));
        token.behave(TestToken.Way.ReturnsFalse);
        _refusesAllIn(_error(SafeERC20.SafeERC20FailedOperation.selector, address(token)));
        token.behave(TestToken.Way.Pauses);
        _refusesAllIn(_error(TestToken.Paused.selector));
        token.behave(TestToken.Way.Honest);
        token.setBlocked(address(loan), true);
        _refusesAllIn(_error(TestToken.Blocked.selector, address(loan)));
        assertEq(loan.getBalance(alice.addr), 3e6, "balance");
    }

    function test_WhatIsNotMovedToTheUnitIsNotPaid() external {
        uint256 quanta = 1e6 * loan.quantum();
        uint256 held = token.balanceOf(address(loan));
        token.behave(TestToken.Way.MovesNothing);
        _refusesAllOut(_error(otherAmount, held, held - quanta));
        token.behave(TestToken.Way.TakesAFeeFromTheSender);
        _refusesAllOut(_error(otherAmount, held - quanta - 1, held - quanta));
        assertEq(loan.getBalance(alice.addr), 3e6, "balance");
    }

    /// @dev What its issuer stops is stopped, announced or not; and all is there when it goes on.
    function test_WhatTheIssuerStopsGoesOnLater() external {
        token.behave(TestToken.Way.ReturnsFalse);
        _refusesAllOut("");
        token.behave(TestToken.Way.Pauses);
        _refusesAllOut("");
        token.behave(TestToken.Way.Honest);
        token.setBlocked(address(loan), true);
        _refusesAllOut("");
        // Within the pool all goes on.
        _forward(alice, _transfer(carol.addr, 1e6));
        _forward(bob, _repayLoan(type(uint256).max));
        token.setBlocked(address(loan), false);
        _forward(alice, _withdrawTo(stranger, 1e6));
        vm.prank(alice.addr);
        loan.withdraw(1e6);
        assertEq(_held(alice.addr), 1e6, "held by the account");
    }

    function test_ATokenThatSaysNothingIsTaken() external {
        token.behave(TestToken.Way.ReturnsNothing);
        _depositFor(carol.addr, 1e6);
        _forward(carol, _withdrawTo(stranger, 1e6));
        assertEq(_held(stranger), 1e6, "held by the recipient");
    }

    /// @dev Each function that moves tokens, called in the middle of each that does.
    function test_NothingThatMovesTokensIsEnteredFromWithin() external {
        bytes[7] memory calls = [
            abi.encodeCall(IMicroLoan.depositTokensFor, (address(this), 1)),
            abi.encodeCall(IMicroLoan.repayInTokens, (bob.addr, 1)),
            abi.encodeCall(IMicroLoan.fundTokens, (1)),
            abi.encodeCall(IMicroLoan.withdraw, (1)),
            abi.encodeCall(IMicroLoan.defund, (1)),
            abi.encodeCall(IMicroLoan.sweepInlet, (address(this))),
            abi.encodeCall(IMicroLoan.moveAccount, ())
        ];
        bytes memory entered = _error(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        _prepareForAll();
        for (uint256 outer; outer < calls.length; ++outer) {
            for (uint256 inner; inner < calls.length; ++inner) {
                uint256 state = vm.snapshotState();
                token.callBack(address(this), abi.encodeCall(this.callLoan, (calls[inner])));
                (bool isDone,) = address(loan).call(calls[outer]);
                assertTrue(isDone, "outer call");
                // What has moved is debited before, and has nothing left to withdraw or to move.
                if (outer == 6 && (inner == 3 || inner == 6)) assertGt(reason.length, 0, "inner call");
                else assertEq(reason, entered, "reason why the inner call failed");
                uint256 booked = loan.totalBalances() + loan.liquidity();
                assertEq(_held(address(loan)), booked, "held, by the books");
                vm.revertToState(state);
            }
            this.callLoan(calls[outer]);
            assertEq(reason, "", "from without");
        }
    }

    bytes internal reason;

    /// @dev Keeps why it failed, and so succeeds.
    function callLoan(bytes calldata data) external {
        (, reason) = address(loan).call(data);
    }

    function _prepareForAll() private {
        _giveTokens(address(this), 100);
        token.mint(loan.inletOf(address(this)), loan.quantum());
        _depositFor(address(this), 10);
        _announce(address(this), 10);
        vm.prank(owner);
        loan.transferOwnership(address(this));
        loan.acceptOwnership();
        owner = address(this);
        (, IMicroLoan next) = _deploySuccessor();
        _announceSuccessor(address(next));
    }

    /// @dev Inside, what has not arrived can't be spent, and what has left is debited.
    function test_WhatIsOnItsWayIsNobodys() external {
        token.callBack(address(this), abi.encodeCall(this.look, ()));
        _depositFor(carol.addr, 2e6);
        assertEq(seen, 0, "balance of who is paid, from inside");
        _forward(carol, _withdrawTo(stranger, 2e6));
        assertEq(seen, 0, "balance of who pays, from inside");
    }

    uint256 internal seen = type(uint256).max;

    function look() external {
        seen = loan.getBalance(carol.addr);
    }

    /// @dev A successor takes what was approved, all of it, once.
    function test_ASuccessorTakesJustTheBalance() external {
        (, IMicroLoan next) = _deploySuccessor();
        _announceSuccessor(address(next));
        token.behave(TestToken.Way.KeepsAllowances);
        vm.prank(alice.addr);
        loan.moveAccount();
        assertEq(next.getBalance(alice.addr), 3e6, "balance");
        // The token remembers what was approved, and a debt alone is to move.
        _forward(bob, _transfer(carol.addr, PRINCIPAL));
        bytes memory call = abi.encodeCall(IMicroLoan.moveAccount, ());
        uint256 held = token.balanceOf(address(loan));
        uint256 left = held - 3e6 * loan.quantum();
        _fails(bob.addr, call, _error(otherAmount, left, held));
    }

    function test_ASuccessorThatTakesNothingGetsNothing() external {
        DeafSuccessor deaf = new DeafSuccessor(loan);
        _announceSuccessor(address(deaf));
        uint256 held = token.balanceOf(address(loan));
        bytes memory call = abi.encodeCall(IMicroLoan.moveAccount, ());
        _fails(alice.addr, call, _error(otherAmount, held, held - 3e6 * loan.quantum()));
    }

    function _refusesAllIn(bytes memory why) private {
        _giveTokens(stranger, 1e6);
        _fails(stranger, abi.encodeCall(IMicroLoan.depositTokensFor, (alice.addr, 1e6)), why);
        _fails(stranger, abi.encodeCall(IMicroLoan.repayInTokens, (bob.addr, 1e6)), why);
        _fails(stranger, abi.encodeCall(IMicroLoan.fundTokens, (1e6)), why);
        address inlet = loan.inletOf(carol.addr);
        if (token.balanceOf(inlet) == 0) token.mint(inlet, 1e6 * loan.quantum());
        _fails(stranger, abi.encodeCall(IMicroLoan.sweepInlet, (carol.addr)), why);
    }

    /// @dev For this reason, or because the token moved nothing.
    function _refusesAllOut(bytes memory why) private {
        bytes4 refused = IMicroLoan.TokenRefused.selector;
        bool isRefused = why.length == 0;
        bytes memory ofStranger = isRefused ? _error(refused, stranger, 1e6) : why;
        _forwardFails(alice, _withdrawTo(stranger, 1e6), ofStranger);
        bytes memory ofAlice = isRefused ? _error(refused, alice.addr, 1e6) : why;
        _fails(alice.addr, abi.encodeCall(IMicroLoan.withdraw, (1e6)), ofAlice);
        bytes memory ofOwner = isRefused ? _error(refused, owner, 1e6) : why;
        _fails(owner, abi.encodeCall(IMicroLoan.defund, (1e6)), ofOwner);
    }
}

/// @notice Takes accounts over and not what belongs to them.
contract DeafSuccessor {
    IMicroLoan public immutable predecessor;

    constructor(IMicroLoan predecessor_) {
        predecessor = predecessor_;
    }

    function token() external view returns (address) {
        return predecessor.token();
    }

    function quantum() external view returns (uint256) {
        return predecessor.quantum();
    }

    function takeOver(address, IMicroLoan.Loan calldata) external payable {}
}
