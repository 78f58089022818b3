// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMicroLoan} from "../../../src/IMicroLoan.sol";
import {AliceHasAllRoles, Base, InTokensOf18, OwnerHasAllRoles} from "../../support/Base.sol";
import {Deployments} from "../../support/Deployments.sol";
import {TestToken} from "../../support/Tokens.sol";

/// @notice The constructor's side of a token.
contract MicroLoanUnitTest is Base {
    function test_RevertWhen_AWordIsNoToken() external {
        TestToken of5 = new TestToken(5);
        TestToken of19 = new TestToken(19);
        address[5] memory words = [stranger, owner, address(forwarder), address(of5), address(of19)];
        for (uint256 i; i < 5; ++i) {
            IMicroLoan.Setup memory setup = _setup();
            setup.token = words[i];
            vm.expectRevert(_error(IMicroLoan.InvalidToken.selector, words[i]));
            Deployments.loan(setup);
        }
    }

    /// @dev A quantum is a millionth of a token, whatever that's own smallest unit.
    function test_WhenATokenHas6To18Decimals() external {
        assertEq(loan.token(), address(0), "no token");
        assertEq(loan.quantum(), 1, "a wei");
        IMicroLoan.Setup memory setup = _setup();
        (setup.terms.principal, setup.terms.dailyCap) = (50e6, 250e6);
        for (uint8 decimals = 6; decimals <= 18; ++decimals) {
            setup.token = address(new TestToken(decimals));
            loan = Deployments.loan(setup);
            assertEq(loan.token(), setup.token, "token");
            assertEq(loan.quantum() * 1e6, 10 ** decimals, "a million quanta are a token");
            assertEq(loan.MIN_PRINCIPAL(), 0.01e6, "least principal");
            assertEq(loan.MAX_PRINCIPAL(), 10_000e6, "highest principal");
        }
    }

    /// @dev A debt of one unit never becomes one of another.
    function test_RevertWhen_ThePredecessorIsOfAnotherUnit() external {
        TestToken dollar = new TestToken(18);
        (address currency, address dollars) = (address(loan), _poolOver(dollar, address(0)));
        address others = _poolOver(new TestToken(18), address(0));
        address[3] memory predecessors = [currency, others, address(dollar)];
        for (uint256 i; i < 3; ++i) {
            _refusesPredecessor(dollar, predecessors[i]);
        }
        _poolOver(dollar, dollars);
        _refusesPredecessor(TestToken(address(0)), dollars);
        // As where the token was replaced by one with other decimals.
        vm.mockCall(dollars, abi.encodeCall(IMicroLoan.quantum, ()), abi.encode(1));
        _refusesPredecessor(dollar, dollars);
    }

    /// @dev A pool of release 1.0 says nothing of its unit, and is of the currency.
    function test_WhenThePredecessorSaysNothingOfItsUnit() external {
        address old = address(forwarder);
        _poolOver(TestToken(address(0)), old);
        _refusesPredecessor(new TestToken(18), old);
    }

    /// @dev Whatever its constructor was told.
    function test_RevertWhen_TheSuccessorIsOfAnotherUnit() external {
        (, loan) = _deploySuccessor();
        (, loan) = Deployments.pair(_setup(), relayer);
        IMicroLoan.Setup memory setup = _setup();
        setup.predecessor = address(loan);
        address next = address(Deployments.loan(setup));
        vm.mockCall(next, abi.encodeCall(IMicroLoan.token, ()), abi.encode(new TestToken(6)));
        bytes memory reason = _error(IMicroLoan.InvalidSuccessor.selector, next);
        _fails(owner, abi.encodeCall(IMicroLoan.announceSuccessor, (next)), reason);
    }

    function test_RevertWhen_TokensAreBroughtToAPoolOverTheCurrency() external {
        bytes memory reason = _error(IMicroLoan.OtherUnit.selector, address(0));
        _fails(alice.addr, abi.encodeCall(IMicroLoan.depositTokensFor, (alice.addr, 1)), reason);
        _fails(alice.addr, abi.encodeCall(IMicroLoan.repayInTokens, (alice.addr, 1)), reason);
        _fails(alice.addr, abi.encodeCall(IMicroLoan.fundTokens, (1)), reason);
    }

    function _poolOver(TestToken token_, address predecessor) private returns (address) {
        return address(Deployments.loan(_setupOver(token_, predecessor)));
    }

    function _refusesPredecessor(TestToken token_, address predecessor) private {
        IMicroLoan.Setup memory setup = _setupOver(token_, predecessor);
        vm.expectRevert(_error(IMicroLoan.InvalidPredecessor.selector, predecessor));
        Deployments.loan(setup);
    }

    function _setupOver(TestToken token_, address predecessor)
        private
        view
        returns (IMicroLoan.Setup memory setup)
    {
        setup = _setup();
        (setup.token, setup.predecessor) = (address(token_), predecessor);
        if (address(token_) != address(0)) (setup.terms.principal, setup.terms.dailyCap) = (50e6, 250e6);
    }
}

contract MicroLoanUnitWithAllRolesTest is MicroLoanUnitTest, OwnerHasAllRoles {}

/// @notice What a pool over a token refuses beside what all pools do. That what it takes comes and
/// goes as in the currency is what the other suites say that run `InTokens`.
contract MicroLoanTokensTest is Base, InTokensOf18 {
    function test_RevertWhen_ACallThatBringsCurrencyIsMade() external {
        bytes memory reason = _error(IMicroLoan.OtherUnit.selector, address(token));
        for (uint256 value; value < 2; ++value) {
            _failsPaying(alice.addr, value, abi.encodeCall(IMicroLoan.deposit, ()), reason);
            _failsPaying(alice.addr, value, abi.encodeCall(IMicroLoan.depositFor, (bob.addr)), reason);
            _failsPaying(alice.addr, value, abi.encodeCall(IMicroLoan.repayLoanFor, (bob.addr)), reason);
            _failsPaying(alice.addr, value, abi.encodeCall(IMicroLoan.fund, ()), reason);
        }
        (, loan) = _deploySuccessor();
        IMicroLoan.Loan memory none;
        address before = loan.predecessor();
        bytes memory call = abi.encodeCall(IMicroLoan.takeOver, (alice.addr, none));
        _failsPaying(before, 1, call, reason);
        assertEq(address(loan).balance, 0, "currency held");
    }

    /// @dev A payer signs for itself: what is forwarded would be paid by the forwarder.
    function test_RevertWhen_TokensAreBroughtByAForwardedCaller() external {
        _giveTokens(alice.addr, 1);
        bytes memory reason = _error(IMicroLoan.DirectCallersOnly.selector);
        _forwardFails(alice, abi.encodeCall(IMicroLoan.depositTokensFor, (alice.addr, 1)), reason);
        _forwardFails(alice, abi.encodeCall(IMicroLoan.repayInTokens, (alice.addr, 1)), reason);
        _forwardFails(alice, abi.encodeCall(IMicroLoan.fundTokens, (1)), reason);
    }

    function test_RevertWhen_TheAmountIsZeroOrTheAccountNobodys() external {
        bytes memory reason = _error(IMicroLoan.ZeroAmount.selector);
        _borrow(bob);
        _fails(alice.addr, abi.encodeCall(IMicroLoan.depositTokensFor, (alice.addr, 0)), reason);
        _fails(alice.addr, abi.encodeCall(IMicroLoan.repayInTokens, (bob.addr, 0)), reason);
        _fails(alice.addr, abi.encodeCall(IMicroLoan.fundTokens, (0)), reason);
        address[3] memory nobodies = [address(0x01000006), address(loan), address(forwarder)];
        for (uint256 i; i < 3; ++i) {
            reason = _error(IMicroLoan.InvalidRecipient.selector, nobodies[i]);
            _fails(stranger, abi.encodeCall(IMicroLoan.depositTokensFor, (nobodies[i], 1)), reason);
        }
    }

    function test_RevertWhen_MoreIsRepaidThanIsOwed() external {
        bytes memory reason = _error(IMicroLoan.NoLoan.selector, bob.addr);
        _giveTokens(stranger, PRINCIPAL + 1);
        _fails(stranger, abi.encodeCall(IMicroLoan.repayInTokens, (bob.addr, 1)), reason);
        _borrow(bob);
        reason = _error(IMicroLoan.RepaymentTooLarge.selector, PRINCIPAL, PRINCIPAL + 1);
        _fails(stranger, abi.encodeCall(IMicroLoan.repayInTokens, (bob.addr, PRINCIPAL + 1)), reason);
        assertEq(_held(stranger), PRINCIPAL + 1, "held by the payer");
    }

    /// @dev Nothing in here counts what came without a call, nor a part of a quantum.
    function test_GivenTokensWereSentToThePool() external {
        token.mint(address(loan), 3 * loan.quantum() + 1);
        _depositFor(alice.addr, 2);
        assertEq(loan.totalBalances(), 2, "total of balances");
        assertEq(loan.liquidity(), POOL, "liquidity");
        bytes memory reason = _error(IMicroLoan.InsufficientLiquidity.selector, POOL, POOL + 1);
        _fails(owner, abi.encodeCall(IMicroLoan.defund, (POOL + 1)), reason);
        vm.prank(owner);
        loan.defund(POOL);
        assertEq(_held(owner), POOL, "held by the owner");
        _withdraw(alice.addr, 2);
        assertEq(token.balanceOf(address(loan)), 3 * loan.quantum() + 1, "left");
    }

    /// @dev The widths hold what a lender of dollars needs, with a good deal to spare.
    function test_GivenLargeAmounts() external {
        uint256 million = 1_000_000e6;
        IMicroLoan.Terms memory terms = loan.terms();
        (terms.principal, terms.dailyCap, terms.feeRate) = (10_000e6, uint72(million), 1_000);
        _setTerms(terms);
        _borrow(alice);
        assertEq(loan.loanOf(alice.addr), 11_000e6, "owed");
        assertEq(loan.issuable(), million - 10_000e6, "issuable");
        _depositFor(bob.addr, 100 * million);
        _forward(bob, _withdrawTo(stranger, million));
        assertEq(_held(stranger), million, "held by the recipient");
        _withdraw(bob.addr, 99 * million);
        assertEq(loan.totalBalances(), 10_000e6, "total of balances");
    }

    /// @dev Neither asks the token for anything.
    function test_GivenTheTokenIsPausedWhenADebtAloneMoves() external {
        (, IMicroLoan next) = _deploySuccessor();
        _borrow(alice);
        _forward(alice, _transfer(bob.addr, PRINCIPAL));
        _announceSuccessor(address(next));
        token.behave(TestToken.Way.Pauses);
        vm.prank(alice.addr);
        loan.moveAccount();
        assertEq(next.loanOf(alice.addr), PRINCIPAL, "owed");
    }

    function test_WhenAnAccountMovesNothingStaysApproved() external {
        (, IMicroLoan next) = _deploySuccessor();
        _depositFor(alice.addr, 3);
        _announceSuccessor(address(next));
        vm.prank(alice.addr);
        loan.moveAccount();
        assertEq(token.allowance(address(loan), address(next)), 0, "approved");
        assertEq(token.balanceOf(address(next)), 3 * loan.quantum(), "held by the successor");
    }

    /// @dev `attacks/LyingTokens.t.sol` has every way in and out, and every lie.
    function test_RevertGiven_TheTokenStopsOrTakesAFee() external {
        _depositFor(alice.addr, 2);
        token.behave(TestToken.Way.Pauses);
        _forwardFails(alice, _withdrawTo(stranger, 1), _error(IMicroLoan.TokenRefused.selector, stranger, 1));
        token.behave(TestToken.Way.TakesAFee);
        _giveTokens(stranger, 1);
        uint256 expected = token.balanceOf(address(loan)) + loan.quantum();
        bytes memory reason = _error(IMicroLoan.OtherAmountMoved.selector, expected - 1, expected);
        _fails(stranger, abi.encodeCall(IMicroLoan.depositTokensFor, (alice.addr, 1)), reason);
    }

    function testFuzz_AnyAmountComesAndGoesToTheUnit(uint80 paid, uint80 taken, uint8 decimals) external {
        token = new TestToken(uint8(bound(decimals, 6, 18)));
        (forwarder, loan) = Deployments.pair(_setup(), relayer);
        paid = uint80(bound(paid, 1, type(uint80).max));
        taken = uint80(bound(taken, 1, paid));
        _depositFor(alice.addr, paid);
        _withdraw(alice.addr, taken);
        assertEq(token.balanceOf(alice.addr), taken * loan.quantum(), "held by the account");
        assertEq(token.balanceOf(address(loan)), (paid - taken) * loan.quantum(), "held by the pool");
        _assertAccount(alice.addr, paid - taken, 0);
    }
}

contract MicroLoanTokensWithAllRolesTest is MicroLoanTokensTest, AliceHasAllRoles {}
