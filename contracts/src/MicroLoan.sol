// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {Context} from "@openzeppelin/contracts/utils/Context.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import {IMicroLoan} from "./IMicroLoan.sol";
import {RollingDay} from "./RollingDay.sol";

/// @title MicroLoan
/// @notice See {IMicroLoan}, which says all there is to know before calling this.
contract MicroLoan is IMicroLoan, ERC2771Context, Ownable2Step, Pausable {
    using RollingDay for RollingDay.Window;
    using SafeCast for uint256;

    /// @dev One word, so that a loan and its credit are one write.
    struct Account {
        uint128 balance;
        uint128 owed;
    }

    /// @inheritdoc IMicroLoan
    uint256 public constant MIN_PRINCIPAL = 0.0001 ether;

    /// @inheritdoc IMicroLoan
    uint256 public constant MAX_PRINCIPAL = 1 ether;

    /// @inheritdoc IMicroLoan
    uint256 public constant MAX_DAILY_CAP = RollingDay.MAX_SUM;

    // Storage. The principal shares its word with the pending owner and the pause, the daily cap with
    // the total of debts: a loan reads or writes both words anyway.

    uint72 private _principal;
    uint72 private _dailyCap;
    uint128 private _totalOwed;
    uint128 private _totalBalances;
    uint128 private _liquidity;
    RollingDay.Window private _issued;
    mapping(address account => Account) private _accounts;

    // Construction and guards

    /// @param forwarder The trusted forwarder, for good.
    /// @param initialOwner The owner.
    /// @param initialPrincipal The amount of a loan, in wei.
    /// @param initialDailyCap The cap on principal issued within any 24 hours, in wei.
    constructor(address forwarder, address initialOwner, uint256 initialPrincipal, uint256 initialDailyCap)
        ERC2771Context(forwarder)
        Ownable(initialOwner)
    {
        if (forwarder.code.length == 0) revert InvalidForwarder(forwarder);
        _setPrincipal(initialPrincipal);
        _setDailyCap(initialDailyCap);
    }

    modifier onlyForwarded() {
        if (!isTrustedForwarder(msg.sender)) revert ForwardedCallersOnly();
        _;
    }

    modifier onlyDirect() {
        if (isTrustedForwarder(msg.sender)) revert DirectCallersOnly();
        _;
    }

    // Views

    /// @inheritdoc IMicroLoan
    function getBalance(address account) external view returns (uint256) {
        return _accounts[account].balance;
    }

    /// @inheritdoc IMicroLoan
    function loanOf(address account) external view returns (uint256) {
        return _accounts[account].owed;
    }

    /// @inheritdoc IMicroLoan
    function liquidity() external view returns (uint256) {
        return _liquidity;
    }

    /// @inheritdoc IMicroLoan
    function totalBalances() external view returns (uint256) {
        return _totalBalances;
    }

    /// @inheritdoc IMicroLoan
    function totalOwed() external view returns (uint256) {
        return _totalOwed;
    }

    /// @inheritdoc IMicroLoan
    function principal() external view returns (uint256) {
        return _principal;
    }

    /// @inheritdoc IMicroLoan
    function dailyCap() external view returns (uint256) {
        return _dailyCap;
    }

    /// @inheritdoc IMicroLoan
    function issuable() public view returns (uint256) {
        uint256 cap = _dailyCap;
        uint256 issued = _issued.sum();
        return cap > issued ? cap - issued : 0;
    }

    // Accounts

    /// @inheritdoc IMicroLoan
    function applyForLoan() external onlyForwarded whenNotPaused {
        address borrower = _msgSender();
        Account storage account = _accounts[borrower];
        if (account.owed != 0) revert LoanActive(borrower, account.owed);
        uint256 amount = _principal;
        uint256 available = issuable();
        if (amount > available) revert DailyCapReached(available, amount);
        if (amount > _liquidity) revert InsufficientLiquidity(_liquidity, amount);

        uint128 amount128 = amount.toUint128();
        _issued.add(amount);
        account.balance += amount128;
        account.owed = amount128;
        _totalOwed += amount128;
        _totalBalances += amount128;
        _liquidity -= amount128;

        emit LoanIssued(borrower, amount);
    }

    /// @inheritdoc IMicroLoan
    function transfer(address to, uint256 amount) external whenNotPaused {
        address from = _msgSender();
        _checkRecipient(to);

        // Debit before credit, both in storage: a transfer to oneself changes nothing.
        uint128 amount128 = _debit(from, amount);
        _accounts[to].balance += amount128;

        emit Transferred(from, to, amount);
    }

    /// @inheritdoc IMicroLoan
    function repayLoan(uint256 amount) external {
        address borrower = _msgSender();
        uint128 owed = _accounts[borrower].owed;
        if (owed == 0) revert NoLoan(borrower);
        if (amount == type(uint256).max) amount = owed;
        if (amount > owed) revert RepaymentTooLarge(owed, amount);

        uint128 amount128 = _debit(borrower, amount);
        uint128 remaining = owed - amount128;
        _accounts[borrower].owed = remaining;
        _totalOwed -= amount128;
        _totalBalances -= amount128;
        _liquidity += amount128;

        emit LoanRepaid(borrower, amount, remaining);
    }

    /// @inheritdoc IMicroLoan
    function deposit() external payable {
        _deposit(msg.sender);
    }

    /// @inheritdoc IMicroLoan
    function depositFor(address account) external payable {
        _checkRecipient(account);
        _deposit(account);
    }

    /// @inheritdoc IMicroLoan
    function withdraw(uint256 amount) external onlyDirect {
        _withdraw(msg.sender, msg.sender, amount);
    }

    /// @inheritdoc IMicroLoan
    function withdrawTo(address payable recipient, uint256 amount) external onlyForwarded {
        _checkRecipient(recipient);
        _withdraw(_msgSender(), recipient, amount);
    }

    // Pool

    /// @inheritdoc IMicroLoan
    function fund() external payable {
        if (msg.value == 0) revert ZeroAmount();
        _liquidity += msg.value.toUint128();
        emit Funded(msg.sender, msg.value);
    }

    /// @inheritdoc IMicroLoan
    function defund(uint256 amount) external onlyOwner {
        if (amount == 0) revert ZeroAmount();
        if (amount > _liquidity) revert InsufficientLiquidity(_liquidity, amount);
        _liquidity -= amount.toUint128();
        emit Defunded(msg.sender, amount);
        _send(msg.sender, amount);
    }

    // Owner

    /// @inheritdoc IMicroLoan
    function pause() external onlyOwner {
        _pause();
    }

    /// @inheritdoc IMicroLoan
    function unpause() external onlyOwner {
        _unpause();
    }

    /// @inheritdoc IMicroLoan
    function setPrincipal(uint256 newPrincipal) external onlyOwner {
        _setPrincipal(newPrincipal);
    }

    /// @inheritdoc IMicroLoan
    function setDailyCap(uint256 newCap) external onlyOwner {
        _setDailyCap(newCap);
    }

    /// @notice The second step of a change of owner, by the new owner, never forwarded.
    function acceptOwnership() public override onlyDirect {
        super.acceptOwnership();
    }

    /// @notice Always reverts with `OwnershipNotRenounceable`.
    function renounceOwnership() public pure override {
        revert OwnershipNotRenounceable();
    }

    // Internals

    /// @dev What the owner does is never forwarded, so that no flaw of the forwarder reaches it.
    function _checkOwner() internal view override onlyDirect {
        super._checkOwner();
    }

    function _checkRecipient(address recipient) private view {
        if (recipient == address(0) || recipient == address(this) || isTrustedForwarder(recipient)) {
            revert InvalidRecipient(recipient);
        }
    }

    /// @dev Takes a positive amount from a balance; the total of balances is the caller's to adjust.
    function _debit(address from, uint256 amount) private returns (uint128 amount128) {
        if (amount == 0) revert ZeroAmount();
        uint128 balance = _accounts[from].balance;
        if (amount > balance) revert InsufficientBalance(from, balance, amount);
        amount128 = amount.toUint128();
        _accounts[from].balance = balance - amount128;
    }

    /// @dev The forwarder sends no currency along, so the payer is a direct caller.
    function _deposit(address account) private {
        if (msg.value == 0) revert ZeroAmount();
        uint128 amount128 = msg.value.toUint128();
        _accounts[account].balance += amount128;
        _totalBalances += amount128;
        emit Deposited(account, msg.sender, msg.value);
    }

    function _withdraw(address account, address recipient, uint256 amount) private {
        _totalBalances -= _debit(account, amount);
        emit Withdrawn(account, recipient, amount);
        _send(recipient, amount);
    }

    /// @dev Last in every function, since the recipient may call back. Copies no return data.
    function _send(address recipient, uint256 amount) private {
        if (!LowLevelCall.callNoReturn(recipient, amount, "")) revert CurrencyRefused(recipient, amount);
    }

    function _setPrincipal(uint256 newPrincipal) private {
        if (newPrincipal < MIN_PRINCIPAL || newPrincipal > MAX_PRINCIPAL) {
            revert PrincipalOutOfRange(newPrincipal, MIN_PRINCIPAL, MAX_PRINCIPAL);
        }
        emit PrincipalSet(_principal, newPrincipal);
        _principal = newPrincipal.toUint72();
    }

    function _setDailyCap(uint256 newCap) private {
        if (newCap > MAX_DAILY_CAP) revert DailyCapOutOfRange(newCap, MAX_DAILY_CAP);
        emit DailyCapSet(_dailyCap, newCap);
        _dailyCap = newCap.toUint72();
    }

    // Context: whom a call speaks for is ERC-2771's to say.

    function _msgSender() internal view override(Context, ERC2771Context) returns (address) {
        return ERC2771Context._msgSender();
    }

    function _msgData() internal view override(Context, ERC2771Context) returns (bytes calldata) {
        return ERC2771Context._msgData();
    }

    function _contextSuffixLength() internal view override(Context, ERC2771Context) returns (uint256) {
        return ERC2771Context._contextSuffixLength();
    }
}
