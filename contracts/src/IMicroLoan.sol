// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title MicroLoan
/// @notice Keeps a balance of the chain's currency for each account, and lends from a pool.
///
/// Money. Each account has a balance and may owe a loan. The currency that the contract holds always
/// covers all balances plus the free pool (`liquidity`). A loan comes out of the pool and never out of
/// a depositor's money. Currency forced upon the contract belongs to no account and to no pool, and
/// nothing in here ever counts it. There is no interest and no fee: what is owed is what was lent, it
/// never grows, and no amount is ever rounded.
///
/// Callers. A caller is either direct (an account that calls this contract itself) or forwarded (the
/// signer of a request that the trusted forwarder passes on, ERC-2771). A loan opens for forwarded
/// callers only, since anybody can make up any number of addresses but only the operator's relayers may
/// use the forwarder. `withdraw` is for direct callers, `withdrawTo` for forwarded ones, and everything
/// else that is not the owner's is for both; but a forwarder sends no currency along, so that what brings
/// some (`deposit`, `depositFor`, `fund`) is for direct callers in effect. What the owner does is never
/// forwarded.
///
/// Loans. An account has at most one loan. A loan is the `principal` at that moment; a later change of
/// the principal leaves open loans as they are. The principal issued within any 24 hours stays at or
/// under `dailyCap`, for all borrowers and relayers together.
///
/// Pause. A pause stops new loans and transfers between accounts. It never stops money from leaving
/// to its owner or a debt from being paid: `deposit`, `depositFor`, `withdraw`, `withdrawTo`,
/// `repayLoan`, `fund` and `defund` work all the same.
///
/// Owner. The owner pauses, sets principal and daily cap within the stated bounds, and takes back the
/// free pool. The owner can touch no balance and change no debt. Ownership passes in two steps
/// (`transferOwnership`, then `acceptOwnership` by the new owner) and cannot be renounced.
///
/// Elsewhere. What is not listed here comes from OpenZeppelin as it is: `paused` with `Paused`, `Unpaused`,
/// `EnforcedPause` and `ExpectedPause` (`Pausable`); `owner`, `pendingOwner`, `transferOwnership` and
/// `acceptOwnership` with `OwnershipTransferStarted`, `OwnershipTransferred`, `OwnableUnauthorizedAccount`
/// and `OwnableInvalidOwner` (`Ownable2Step`); `trustedForwarder` and `isTrustedForwarder`
/// (`ERC2771Context`).
interface IMicroLoan {
    // Errors

    /// @notice `account` has `balance`, and this needs `needed`.
    error InsufficientBalance(address account, uint256 balance, uint256 needed);

    /// @notice `account` still owes `owed`; it gets another loan when that is zero.
    error LoanActive(address account, uint256 owed);

    /// @notice `account` owes nothing that could be repaid.
    error NoLoan(address account);

    /// @notice `amount` is more than what is `owed`.
    error RepaymentTooLarge(uint256 owed, uint256 amount);

    /// @notice The pool has `available` free, and this needs `needed`.
    error InsufficientLiquidity(uint256 available, uint256 needed);

    /// @notice Of the daily cap `available` is left at this moment, and the loan needs `needed`.
    error DailyCapReached(uint256 available, uint256 needed);

    /// @notice The zero address, this contract and the forwarder can receive nothing.
    error InvalidRecipient(address recipient);

    /// @notice An amount of zero moves nothing and is refused.
    error ZeroAmount();

    /// @notice This is only for signers of requests that the trusted forwarder passes on.
    error ForwardedCallersOnly();

    /// @notice This is only for accounts that call the contract themselves.
    error DirectCallersOnly();

    /// @notice `recipient` did not take the `amount` that was sent to it.
    error CurrencyRefused(address recipient, uint256 amount);

    /// @notice A principal lies between `minimum` and `maximum`.
    error PrincipalOutOfRange(uint256 principal, uint256 minimum, uint256 maximum);

    /// @notice A daily cap is at most `maximum`.
    error DailyCapOutOfRange(uint256 cap, uint256 maximum);

    /// @notice The trusted forwarder must be a contract: it can speak for every account.
    error InvalidForwarder(address forwarder);

    /// @notice Without an owner nobody could end a pause or take back the pool.
    error OwnershipNotRenounceable();

    // Events

    /// @notice `borrower` got a loan of `amount`, credited to its balance, and now owes it.
    event LoanIssued(address indexed borrower, uint256 amount);

    /// @notice `borrower` paid back `amount` from its balance and still owes `remaining`.
    event LoanRepaid(address indexed borrower, uint256 amount, uint256 remaining);

    /// @notice `amount` moved from the balance of `from` to the balance of `to`.
    event Transferred(address indexed from, address indexed to, uint256 amount);

    /// @notice `payer` brought in `amount`, credited to the balance of `account`.
    event Deposited(address indexed account, address indexed payer, uint256 amount);

    /// @notice `amount` left the balance of `account` and was sent to `recipient`.
    event Withdrawn(address indexed account, address indexed recipient, uint256 amount);

    /// @notice `payer` gave `amount` to the pool.
    event Funded(address indexed payer, uint256 amount);

    /// @notice `amount` left the pool and was sent to `recipient`, the owner.
    event Defunded(address indexed recipient, uint256 amount);

    /// @notice Loans from now on are of `current`; they were of `previous`.
    event PrincipalSet(uint256 previous, uint256 current);

    /// @notice The cap on principal issued in any 24 hours is now `current`; it was `previous`.
    event DailyCapSet(uint256 previous, uint256 current);

    // Views

    /// @notice What `account` can transfer, repay or withdraw, in wei.
    function getBalance(address account) external view returns (uint256);

    /// @notice What `account` owes, in wei; zero without a loan.
    function loanOf(address account) external view returns (uint256);

    /// @notice What the pool can still lend, in wei.
    function liquidity() external view returns (uint256);

    /// @notice The sum of all balances, in wei.
    function totalBalances() external view returns (uint256);

    /// @notice The sum of all that is owed, in wei.
    function totalOwed() external view returns (uint256);

    /// @notice The amount of a loan that opens now, in wei.
    function principal() external view returns (uint256);

    /// @notice The most principal that is issued within any 24 hours, in wei.
    function dailyCap() external view returns (uint256);

    /// @notice What the daily cap leaves to be issued at this moment, in wei. Principal counts by the
    /// hour of its issue, from then until 24 hours after that hour's end: never for less than 24 hours
    /// and never for more than 25.
    function issuable() external view returns (uint256);

    /// @notice The smallest principal the owner can set: 0.0001 of the currency.
    function MIN_PRINCIPAL() external view returns (uint256);

    /// @notice The largest principal the owner can set: 1 of the currency.
    function MAX_PRINCIPAL() external view returns (uint256);

    /// @notice The largest daily cap the owner can set: 2^72 - 1 wei, about 4,722 of the currency.
    function MAX_DAILY_CAP() external view returns (uint256);

    // Accounts

    /// @notice Opens a loan of the principal for the forwarded caller and credits its balance.
    /// @dev Reverts with `ForwardedCallersOnly`, `EnforcedPause`, `LoanActive`, `DailyCapReached` or
    /// `InsufficientLiquidity`, in this order. Emits `LoanIssued`.
    function applyForLoan() external;

    /// @notice Moves `amount` from the caller's balance to the balance of `to`, which need not have
    /// been seen before. To oneself it changes nothing.
    /// @dev Reverts with `EnforcedPause`, `InvalidRecipient`, `ZeroAmount` or `InsufficientBalance`.
    /// Emits `Transferred`.
    function transfer(address to, uint256 amount) external;

    /// @notice Pays back `amount` of the caller's loan from its balance into the pool.
    /// @param amount At most what is owed, or `type(uint256).max` for all that is owed.
    /// @dev Reverts with `NoLoan`, `ZeroAmount`, `RepaymentTooLarge` or `InsufficientBalance`. Works
    /// during a pause. Emits `LoanRepaid`.
    function repayLoan(uint256 amount) external;

    /// @notice Credits the currency sent along to the caller's balance.
    /// @dev Reverts with `ZeroAmount`. Works during a pause. Emits `Deposited`.
    function deposit() external payable;

    /// @notice Credits the currency sent along to the balance of `account`.
    /// @dev Reverts with `InvalidRecipient` or `ZeroAmount`. Works during a pause. Emits `Deposited`.
    function depositFor(address account) external payable;

    /// @notice Sends `amount` of the direct caller's balance to that caller.
    /// @dev Reverts with `DirectCallersOnly`, `ZeroAmount`, `InsufficientBalance` or
    /// `CurrencyRefused`. Works during a pause. Emits `Withdrawn`.
    function withdraw(uint256 amount) external;

    /// @notice Sends `amount` of the forwarded caller's balance to `recipient`.
    /// @dev Reverts with `ForwardedCallersOnly`, `InvalidRecipient`, `ZeroAmount`,
    /// `InsufficientBalance` or `CurrencyRefused`. Works during a pause. Emits `Withdrawn`.
    function withdrawTo(address payable recipient, uint256 amount) external;

    // Pool

    /// @notice Gives the currency sent along to the pool. Anybody may; it can't be claimed back.
    /// @dev Reverts with `ZeroAmount`. Emits `Funded`.
    function fund() external payable;

    /// @notice Sends `amount` of the free pool to the owner.
    /// @dev Owner only. Reverts with `ZeroAmount`, `InsufficientLiquidity` or `CurrencyRefused`.
    /// Emits `Defunded`.
    function defund(uint256 amount) external;

    // Owner

    /// @notice Stops new loans and transfers.
    /// @dev Owner only. Reverts with `EnforcedPause` if paused already. Emits `Paused`.
    function pause() external;

    /// @notice Ends a pause.
    /// @dev Owner only. Reverts with `ExpectedPause` if not paused. Emits `Unpaused`.
    function unpause() external;

    /// @notice Loans from now on are of `newPrincipal`; open loans stay as they are.
    /// @dev Owner only. Reverts with `PrincipalOutOfRange`. Emits `PrincipalSet`.
    function setPrincipal(uint256 newPrincipal) external;

    /// @notice At most `newCap` is issued within any 24 hours, what was issued before included; zero
    /// stops lending.
    /// @dev Owner only. Reverts with `DailyCapOutOfRange`. Emits `DailyCapSet`.
    function setDailyCap(uint256 newCap) external;
}
