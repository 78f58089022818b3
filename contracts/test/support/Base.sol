// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {TestBase} from "forge-std/Base.sol";
import {StdAssertions} from "forge-std/StdAssertions.sol";
import {StdCheats} from "forge-std/StdCheats.sol";
import {StdUtils} from "forge-std/StdUtils.sol";
import {Vm, VmSafe} from "forge-std/Vm.sol";

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {DeployedForwarder, DeployedLoan, Deployments, Setups} from "./Deployments.sol";
import {Request, Requests, SignedRequest} from "./Requests.sol";
import {Held, TestToken} from "./Tokens.sol";

/// @notice Who acts in a test. It is no `Test` of forge-std: what that has for invariants would be
/// compiled into each suite, which takes a sixth of the compiler's time.
abstract contract Actors is TestBase, StdAssertions, StdCheats, StdUtils {
    address internal owner = makeAddr("owner");
    address internal guardian = makeAddr("guardian");
    address internal creditor = makeAddr("creditor");
    address internal relayer = makeAddr("relayer");
    address internal stranger = makeAddr("stranger");
    Vm.Wallet internal alice = vm.createWallet("alice");
    Vm.Wallet internal bob = vm.createWallet("bob");
    Vm.Wallet internal carol = vm.createWallet("carol");
    /// @dev What the pool is over; none for the currency.
    TestToken internal token;
    // Usual terms, in quanta.
    uint256 internal PRINCIPAL = 0.01 ether;
    uint256 internal CAP = 0.05 ether;

    function _giveAllRolesTo(address account) internal {
        (owner, guardian, creditor) = (account, account, account);
    }
}

// No check of a contract is spared to an account that has all roles, and none is made for it alone:
// suites run again with one of these beside them.

abstract contract AliceHasAllRoles is Actors {
    constructor() {
        _giveAllRolesTo(alice.addr);
        relayer = alice.addr;
    }
}

abstract contract BobHasAllRoles is Actors {
    constructor() {
        _giveAllRolesTo(bob.addr);
    }
}

abstract contract OwnerHasAllRoles is Actors {
    constructor() {
        _giveAllRolesTo(owner);
    }
}

abstract contract RelayerHasAllRoles is Actors {
    constructor() {
        _giveAllRolesTo(relayer);
    }
}

abstract contract StrangerHasAllRoles is Actors {
    constructor() {
        _giveAllRolesTo(stranger);
    }
}

// The same pools over a token: suites run again with one of these beside them.

abstract contract InTokensOf18 is Actors {
    constructor() {
        token = new TestToken(18);
        (PRINCIPAL, CAP) = (50e6, 250e6);
    }
}

abstract contract InTokensOf6 is Actors {
    constructor() {
        token = new TestToken(6);
        (PRINCIPAL, CAP) = (50e6, 250e6);
    }
}

/// @notice The deployed pair with a funded pool, and short ways to act on it.
abstract contract Base is Actors {
    uint256 internal constant POOL = 10 ether;
    uint32 internal constant REQUEST_GAS = 150_000;

    DeployedForwarder internal forwarder;
    DeployedLoan internal loan;
    uint256 private _intents;

    function setUp() public virtual {
        vm.warp(1_790_000_000);
        vm.chainId(31);
        (forwarder, loan) = Deployments.pair(_setup(), relayer);
        _fund(POOL);
    }

    /// @dev Of a pair with this test's roles.
    function _setup() internal view returns (IMicroLoan.Setup memory setup) {
        setup = Setups.wide(address(forwarder), owner, PRINCIPAL, CAP);
        (setup.guardian, setup.creditor, setup.token) = (guardian, creditor, address(token));
    }

    function _isInTokens() internal view returns (bool) {
        return address(token) != address(0);
    }

    /// @dev From now on the forwarder is another one, which calls this.
    function _target(address target) internal {
        forwarder = Deployments.forwarder(owner, guardian, relayer, target);
    }

    /// @dev A pair that takes accounts from `loan`, whose owner has not named it yet.
    function _deploySuccessor() internal returns (DeployedForwarder, DeployedLoan) {
        IMicroLoan.Setup memory setup = _setup();
        setup.predecessor = address(loan);
        return Deployments.pair(setup, relayer);
    }

    /// @dev Named 48 hours ago.
    function _announceSuccessor(address next) internal {
        vm.prank(owner);
        loan.announceSuccessor(next);
        vm.warp(block.timestamp + 48 hours);
    }

    // Requests

    function _request(address from, bytes memory data) internal returns (Request memory) {
        return Request({
            from: from,
            intentId: bytes22(keccak256(abi.encode("intent", ++_intents))),
            gas: REQUEST_GAS,
            deadline: uint40(block.timestamp + 2 hours),
            data: data
        });
    }

    function _signed(Vm.Wallet memory signer, bytes memory data) internal returns (SignedRequest memory) {
        return _sign(_request(signer.addr, data), signer);
    }

    function _sign(Request memory request, Vm.Wallet memory signer)
        internal
        view
        returns (SignedRequest memory)
    {
        return Requests.sign(request, signer.privateKey, address(forwarder));
    }

    function _execute(SignedRequest[] memory requests) internal returns (IRelayForwarder.Result[] memory) {
        vm.prank(relayer, relayer);
        return forwarder.execute(Requests.pack(requests));
    }

    function _execute(SignedRequest memory request) internal returns (IRelayForwarder.Result memory) {
        vm.prank(relayer, relayer);
        return forwarder.execute(Requests.pack(request))[0];
    }

    /// @dev A batch that has to revert as a whole for just this reason.
    function _executeFails(SignedRequest memory request, bytes memory reason) internal {
        vm.prank(relayer, relayer);
        vm.expectRevert(reason);
        forwarder.execute(Requests.pack(request));
    }

    /// @dev A phone's call that has to succeed.
    function _forward(Vm.Wallet memory signer, bytes memory data) internal {
        IRelayForwarder.Result memory result = _execute(_signed(signer, data));
        _assertStatus(result.status, IRelayForwarder.Status.Executed, "forwarded call");
    }

    /// @dev A phone's call that has to fail for just this reason.
    function _forwardFails(Vm.Wallet memory signer, bytes memory data, bytes memory reason) internal {
        IRelayForwarder.Result memory result = _execute(_signed(signer, data));
        _assertStatus(result.status, IRelayForwarder.Status.Failed, "forwarded call");
        assertEq(result.returnData, reason, "reason of the failure");
    }

    /// @dev A direct call of the loan contract that has to fail for just this reason.
    function _fails(address caller, bytes memory call, bytes memory reason) internal {
        _failsPaying(caller, 0, call, reason);
    }

    function _failsPaying(address payer, uint256 amount, bytes memory call, bytes memory reason) internal {
        if (amount != 0) vm.deal(payer, amount);
        vm.prank(payer);
        (bool success, bytes memory answer) = address(loan).call{value: amount}(call);
        assertFalse(success, "direct call");
        assertEq(answer, reason, "reason of the failure");
    }

    /// @dev When the signer of the request spent its intent, or zero.
    function _spentAt(Request memory request) internal view returns (uint256 timestamp) {
        (timestamp,) = forwarder.spentAt(request.from, request.intentId);
    }

    function _assertStatus(
        IRelayForwarder.Status actual,
        IRelayForwarder.Status expected,
        string memory label
    ) internal pure {
        assertEq(uint256(actual), uint256(expected), label);
    }

    // Money

    function _assertSums(uint256 free, uint256 balances, uint256 owed) internal view {
        assertEq(loan.liquidity(), free, "liquidity");
        assertEq(loan.totalBalances(), balances, "total of balances");
        assertEq(loan.totalOwed(), owed, "total owed");
        assertEq(_held(address(loan)), free + balances, "held");
    }

    /// @dev What an account has outside of the pool, in quanta.
    function _held(address account) internal view returns (uint256) {
        return Held.quanta(loan, account);
    }

    /// @dev Gives the account tokens, which the pool may take; none where the pool is over the
    /// currency, or may take as many already.
    function _giveTokens(address account, uint256 amount) internal {
        if (!_isInTokens()) return;
        uint256 value = amount * loan.quantum();
        if (token.allowance(account, address(loan)) == value) return;
        token.mint(account, value);
        vm.prank(account);
        token.approve(address(loan), value);
    }

    function _assertAccount(address account, uint256 balance, uint256 owed) internal view {
        assertEq(loan.getBalance(account), balance, "balance");
        assertEq(loan.loanOf(account), owed, "owed");
    }

    function _fund(uint256 amount) internal {
        if (_isInTokens()) {
            _giveTokens(stranger, amount);
            vm.prank(stranger);
            loan.fundTokens(amount);
        } else {
            hoax(stranger, amount);
            loan.fund{value: amount}();
        }
    }

    function _depositFor(address account, uint256 amount) internal {
        _deposit(stranger, account, amount);
    }

    function _deposit(address payer, address account, uint256 amount) internal {
        if (_isInTokens()) {
            _giveTokens(payer, amount);
            vm.prank(payer);
            loan.depositTokensFor(account, amount);
        } else {
            hoax(payer, amount);
            if (payer == account) loan.deposit{value: amount}();
            else loan.depositFor{value: amount}(account);
        }
    }

    function _borrow(Vm.Wallet memory borrower) internal {
        _forward(borrower, _applyForLoan());
    }

    function _borrowAndRepay(Vm.Wallet memory borrower) internal {
        _borrow(borrower);
        _forward(borrower, _repayLoan(type(uint256).max));
    }

    function _repayFor(address borrower, uint256 amount) internal {
        if (_isInTokens()) {
            _giveTokens(stranger, amount);
            vm.prank(stranger);
            loan.repayInTokens(borrower, amount);
        } else {
            hoax(stranger, amount);
            loan.repayLoanFor{value: amount}(borrower);
        }
    }

    /// @dev Withdraws directly as one may: announced 48 hours ahead.
    function _withdraw(address account, uint256 amount) internal {
        _announce(account, amount);
        vm.prank(account);
        loan.withdraw(amount);
    }

    function _announce(address account, uint256 amount) internal {
        vm.prank(account);
        loan.announceWithdrawal(amount);
        vm.warp(block.timestamp + 48 hours);
    }

    // The owner

    /// @dev As the owner, also where that is set already.
    function _setTerms(IMicroLoan.Terms memory terms) internal {
        (VmSafe.CallerMode mode,,) = vm.readCallers();
        if (mode == VmSafe.CallerMode.None) vm.prank(owner);
        loan.setTerms(terms);
    }

    function _setDailyCap(uint256 cap) internal {
        IMicroLoan.Terms memory terms = loan.terms();
        terms.dailyCap = SafeCast.toUint72(cap);
        _setTerms(terms);
    }

    function _setFee(uint256 rate) internal {
        IMicroLoan.Terms memory terms = loan.terms();
        terms.feeRate = SafeCast.toUint16(rate);
        _setTerms(terms);
    }

    /// @dev What is asked of each borrower.
    function _setLimits(uint32 pauseBetween, uint8 loansPerDay, bool listOnly) internal {
        IMicroLoan.Terms memory terms = loan.terms();
        (terms.pauseBetween, terms.loansPerDay, terms.listOnly) = (pauseBetween, loansPerDay, listOnly);
        _setTerms(terms);
    }

    function _pause() internal {
        vm.prank(owner);
        loan.pause();
    }

    function _list(address account, bool listed) internal {
        address[] memory accounts = new address[](1);
        accounts[0] = account;
        vm.prank(creditor);
        loan.setBorrowers(accounts, listed);
    }

    function _limit(address account, uint256 limit) internal {
        IMicroLoan.BorrowerLimit[] memory limits = new IMicroLoan.BorrowerLimit[](1);
        limits[0] = IMicroLoan.BorrowerLimit(account, SafeCast.toUint64(limit));
        vm.prank(creditor);
        loan.setBorrowerLimits(limits);
    }

    function _setCeiling(uint256 ceiling) internal {
        vm.prank(owner);
        loan.setCeilingOfLimits(ceiling);
    }

    // Errors

    function _error(bytes4 selector) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector);
    }

    function _error(bytes4 selector, uint256 a) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, a);
    }

    function _error(bytes4 selector, uint256 a, uint256 b) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, a, b);
    }

    function _error(bytes4 selector, uint256 a, uint256 b, uint256 c) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, a, b, c);
    }

    function _error(bytes4 selector, address a) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, a);
    }

    function _error(bytes4 selector, address a, uint256 b) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, a, b);
    }

    function _error(bytes4 selector, address a, uint256 b, uint256 c) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, a, b, c);
    }

    function _error(bytes4 selector, address a, address b) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, a, b);
    }

    // Calls

    function _applyForLoan() internal pure returns (bytes memory) {
        return abi.encodeCall(IMicroLoan.applyForLoan, ());
    }

    function _applyForLoanOf(uint256 principal, uint256 fee, uint256 term)
        internal
        pure
        returns (bytes memory)
    {
        return abi.encodeCall(IMicroLoan.applyForLoanOf, (principal, fee, term));
    }

    function _transfer(address to, uint256 amount) internal pure returns (bytes memory) {
        return abi.encodeCall(IMicroLoan.transfer, (to, amount));
    }

    function _repayLoan(uint256 amount) internal pure returns (bytes memory) {
        return abi.encodeCall(IMicroLoan.repayLoan, (amount));
    }

    function _accept(address from) internal pure returns (bytes memory) {
        return abi.encodeCall(IMicroLoan.acceptAccount, (from));
    }

    function _pass(address to) internal pure returns (bytes memory) {
        return abi.encodeCall(IMicroLoan.passAccount, (to));
    }

    function _withdrawTo(address recipient, uint256 amount) internal pure returns (bytes memory) {
        return abi.encodeCall(IMicroLoan.withdrawTo, (payable(recipient), amount));
    }
}
