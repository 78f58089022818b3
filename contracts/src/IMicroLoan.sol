// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title MicroLoan
/// @notice Keeps a balance of the chain's currency, or of one token, for each account, and lends
/// from a pool.
///
/// Unit. With `token` zero all is about the chain's currency, else about that ERC-20 alone, for
/// good. Every amount here is in quanta: wei of the currency, millionths of a token. What brings
/// currency (`deposit`, `depositFor`, `repayLoanFor`, `fund`) reverts in a pool over a token, and
/// what brings or takes tokens in one over the currency: with `OtherUnit`.
///
/// Money. Each account has a balance and may owe a loan. What the contract holds of its unit always
/// covers all balances plus the free pool (`liquidity`). A loan comes out of the pool and never out
/// of a depositor's money. What is sent to the contract without a call of it belongs to no account
/// and to no pool, and nothing in here ever counts it. There is no interest: what is owed is what
/// was lent and a fee that is known at that moment (`feeRate` of the principal, rounded down), and
/// it never grows. Each of the three sums is below 2^80 (1.2 million of the currency).
///
/// Tokens. What comes and goes is what the contract holds after less before, to the smallest unit,
/// else it reverts (`OtherAmountMoved`). A token whose balances change by themselves, or that takes
/// a fee from recipients alone, cannot be told from others: take none such. Its issuer may be able
/// to pause it, or to block this contract: then nothing leaves, announced withdrawals neither. What
/// pays reverts with `TokenRefused` then, where it says `CurrencyRefused` below.
///
/// Callers. A caller is either direct (an account that calls this contract itself) or forwarded
/// (the signer of a request that the trusted forwarder passes on, ERC-2771). A loan opens for
/// forwarded callers only, since anybody can make up any number of addresses but only the
/// operator's relayers may use the forwarder. `announceWithdrawal` and `withdraw` are for direct
/// callers, `withdrawTo`, `acceptAccount` and `passAccount` for forwarded ones, and everything else
/// that belongs to no role is for both; but a forwarder sends no currency along, so that what
/// brings some is for direct callers in effect, as what brings tokens is by a check. What a role
/// does is never forwarded.
///
/// Loans. An account has at most one loan, of the `principal` at that moment or another amount up
/// to its limit, due after the `term` at that moment; later changes leave open loans as they are.
/// The limit is the principal, or what the creditor has set for the account, under the owner's
/// `ceiling`. The pool lends the principal, and the daily cap counts it alone: of what is repaid,
/// the part that the principal has in all that is owed. Three limits hold, each over any 24 hours:
/// what was issued to all borrowers and is not repaid stays at or under `dailyCap`; one borrower
/// gets at most `loansPerDay`; and between two loans of a borrower lies at least `pauseBetween`.
/// With `listOnly` the borrower must stand in the list that the creditor keeps. A loan that the
/// owner has written off is still owed and bars its borrower until it is repaid, but counts no more
/// in `totalOwed`.
///
/// Leaving. Who calls directly announces a withdrawal 48 hours ahead; when it is due, nothing and
/// nobody but a token's issuer can stop it, and it is limited by the balance alone. Announcing
/// reserves nothing: what is transferred meanwhile is gone. Forwarded withdrawals are paid at once,
/// and all of them together stay at or under `withdrawalLimit` over any 24 hours. So do direct
/// transfers, counted by themselves: else the thief of many accounts' keys could bring all of them
/// into an account of his own at once.
///
/// Recipients. Nobody has the key of an address below 2^32: there is the zero address, and there
/// the precompiles of Ethereum and Rootstock stand, some of which keep what a contract sends them
/// (Rootstock's bridge, `0x01000006`). So `transfer`, `depositFor` and `withdrawTo`, which pay an
/// account that another one names, refuse these. All other ways pay an account that has spoken for
/// itself: a caller, one that has agreed (`passAccount`), or one that has moved (`takeOver`).
///
/// Pause. A pause stops loans, direct transfers and forwarded withdrawals. It stops nothing else:
/// announcing, withdrawing what is due, repaying, depositing, forwarded transfers, and passing and
/// moving accounts go on. So the operator, whose relayers forward, can bring accounts to safety
/// from keys that a thief has too, while no owner and no guardian can lock in who calls directly.
///
/// Passing an account on. `passAccount` gives the balance and the debt of a forwarded caller to an
/// account that has agreed by `acceptAccount`: the way to the keys of a new account secret.
///
/// Moving house. The owner names a `successor` 48 hours ahead, a contract like this one that was
/// built with this one as its `predecessor`. From then on each account moves itself: `moveAccount`
/// pays its balance into the successor and hands its debt over, with its dates, in one step. Done
/// or not done, there is nothing between; once done there is nothing left to do. Both count in the
/// same unit, by `token` and `quantum`; a pool of release 1.0 has neither, and is of the currency.
///
/// Roles. The owner pauses, sets the terms, the limit of withdrawals (raising it takes a day), the
/// roles and the successor, writes off, and takes back the free pool. The creditor keeps the list
/// of borrowers and their limits. The guardian pauses ({IGuarded}). None of them can touch a
/// balance, lend, forgive or make up a debt. Ownership passes in two steps and cannot be renounced.
///
/// Time is the block's. Rootstock's miners can be a minute ahead (the test network's 9 minutes), so
/// the shortest span other than zero that can be set is 10 minutes.
///
/// Elsewhere. What is not listed here comes from OpenZeppelin as it is: `paused` with `Paused`,
/// `Unpaused`, `EnforcedPause` and `ExpectedPause` (`Pausable`); `owner`, `pendingOwner`,
/// `transferOwnership` and `acceptOwnership` with `OwnershipTransferStarted`,
/// `OwnershipTransferred`, `OwnableUnauthorizedAccount` and `OwnableInvalidOwner` (`Ownable2Step`);
/// `trustedForwarder` and `isTrustedForwarder` (`ERC2771Context`); `SafeCastOverflowedUintDowncast`
/// (`SafeCast`) where a sum would reach 2^80; `ReentrancyGuardReentrantCall`
/// (`ReentrancyGuardTransient`) where a token's move makes another; `SafeERC20FailedOperation`
/// (`SafeERC20`) where a token says no.
interface IMicroLoan {
    /// @notice What loans are from now on.
    struct Terms {
        /// The amount of a loan.
        uint64 principal;
        /// The most that is issued to all borrowers within 24 hours and not repaid. Zero stops
        /// lending; else at least the principal.
        uint72 dailyCap;
        /// How long after its issue a loan is due, in seconds.
        uint32 term;
        /// How long after a loan its borrower gets no other, in seconds; zero for no pause.
        uint32 pauseBetween;
        /// The most loans that one borrower gets within 24 hours; zero for no limit.
        uint8 loansPerDay;
        /// Whether only listed borrowers get a loan.
        bool listOnly;
        /// What is owed beside the principal, in basis points of it.
        uint16 feeRate;
    }

    /// @notice See {setBorrowerLimits}; zero for as much as everybody.
    struct BorrowerLimit {
        address account;
        uint64 limit;
    }

    /// @notice What the constructor takes: who has which role from the start, and where accounts
    /// may come from.
    struct Setup {
        /// Trusted for good.
        address forwarder;
        /// Whose accounts may move here; zero for none, for good.
        address predecessor;
        /// The ERC-20 that the pool is over, for good; zero for the chain's currency.
        address token;
        address owner;
        /// Zero for none.
        address guardian;
        /// Zero for none.
        address creditor;
        /// The most that any borrower's own limit lets it borrow, where that is over the principal.
        uint256 ceiling;
        /// The most that is withdrawn through the forwarder within 24 hours.
        uint256 withdrawalLimit;
        Terms terms;
    }

    /// @notice What an account owes. All zero without a loan.
    struct Loan {
        /// The fee included.
        uint256 owed;
        /// In basis points of the principal.
        uint256 feeRate;
        /// When it was lent, and when it is due (Unix time).
        uint256 issuedAt;
        uint256 dueAt;
        /// Whether the owner has written it off.
        bool isWrittenOff;
    }

    // Errors

    /// @notice `account` has `balance`, and this needs `needed`.
    error InsufficientBalance(address account, uint256 balance, uint256 needed);

    /// @notice `account` still owes `owed`; it gets another loan when that is zero.
    error LoanActive(address account, uint256 owed);

    /// @notice `account` owes nothing that could be repaid or written off.
    error NoLoan(address account);

    /// @notice The loan of `account` is written off already.
    error AlreadyWrittenOff(address account);

    /// @notice A loan of this `principal` has this `fee` and `term` now, and not those that the
    /// caller agreed to.
    error TermsChanged(uint256 principal, uint256 fee, uint256 term);

    /// @notice `rate` is over the `maximum`.
    error FeeOutOfRange(uint256 rate, uint256 maximum);

    /// @notice `account` does not stand in the list of borrowers.
    error NotListed(address account);

    /// @notice `account` gets no other loan before `nextAt` (Unix time).
    error LoanTooSoon(address account, uint256 nextAt);

    /// @notice `account` has had its `limit` of loans within 24 hours.
    error BorrowerLimitReached(address account, uint256 limit);

    /// @notice `amount` is more than what is `owed`.
    error RepaymentTooLarge(uint256 owed, uint256 amount);

    /// @notice The pool has `available` free, and this needs `needed`.
    error InsufficientLiquidity(uint256 available, uint256 needed);

    /// @notice Of the daily cap `available` is left at this moment, and the loan needs `needed`.
    error DailyCapReached(uint256 available, uint256 needed);

    /// @notice Of the limit of withdrawals `available` is left at this moment for forwarded
    /// withdrawals or for direct transfers, and this needs `needed`.
    error WithdrawalLimitReached(uint256 available, uint256 needed);

    /// @notice `account` has announced `announced`, to be withdrawn from `dueAt` (Unix time) on.
    error WithdrawalNotDue(address account, uint256 announced, uint256 dueAt);

    /// @notice Addresses below 2^32, this contract and the forwarder can receive nothing.
    error InvalidRecipient(address recipient);

    /// @notice An amount of zero moves nothing and is refused.
    error ZeroAmount();

    /// @notice This is only for signers of requests that the trusted forwarder passes on.
    error ForwardedCallersOnly();

    /// @notice This is only for accounts that call the contract themselves.
    error DirectCallersOnly();

    /// @notice `recipient` did not take the `amount` that was sent to it.
    error CurrencyRefused(address recipient, uint256 amount);

    /// @notice The token did not move the `amount` to `recipient`: it is paused, or blocks either.
    error TokenRefused(address recipient, uint256 amount);

    /// @notice The contract holds `held` of the token's smallest unit after a move, not `expected`.
    error OtherAmountMoved(uint256 held, uint256 expected);

    /// @notice The unit here is `token` (zero: the currency), and not the one of the call.
    error OtherUnit(address token);

    /// @notice A token is a contract that tells its `decimals`, of which it has 6 to 18.
    error InvalidToken(address token);

    /// @notice A principal lies between `minimum` and `maximum`: for a loan the borrower's limit.
    error PrincipalOutOfRange(uint256 principal, uint256 minimum, uint256 maximum);

    /// @notice A ceiling is at most `maximum`.
    error CeilingOutOfRange(uint256 ceiling, uint256 maximum);

    /// @notice A daily cap other than zero is at least the principal.
    error DailyCapBelowPrincipal(uint256 cap, uint256 principal);

    /// @notice A term lies between `minimum` and `maximum`.
    error TermOutOfRange(uint256 term, uint256 minimum, uint256 maximum);

    /// @notice A pause between loans is zero or lies between `minimum` and `maximum`.
    error PauseOutOfRange(uint256 pauseBetween, uint256 minimum, uint256 maximum);

    /// @notice A limit of loans is at most `maximum`.
    error LoansPerDayOutOfRange(uint256 limit, uint256 maximum);

    /// @notice A limit of withdrawals is at most `maximum`.
    error WithdrawalLimitOutOfRange(uint256 limit, uint256 maximum);

    /// @notice `caller` does not keep the list of borrowers.
    error NotCreditor(address caller);

    /// @notice The trusted forwarder must be a contract: it can speak for every account.
    error InvalidForwarder(address forwarder);

    /// @notice A predecessor is a contract of the same unit, or zero for none.
    error InvalidPredecessor(address predecessor);

    /// @notice `account` has not agreed to take over what belongs to `from`.
    error NotAccepted(address account, address from);

    /// @notice `account` has borrowed before, or has an heir, and could not keep two histories.
    error AccountInUse(address account);

    /// @notice What came to the inlet of `account` is its `holder`'s, and not the caller's.
    error NotTheHolder(address account, address holder);

    /// @notice A successor must be a contract of this unit that has this one as its predecessor.
    error InvalidSuccessor(address successor);

    /// @notice Accounts move from `from` (Unix time) on; zero where no successor is named.
    error MoveNotDue(uint256 from);

    /// @notice `account` has nothing and owes nothing.
    error NothingToMove(address account);

    /// @notice `caller` is not the predecessor.
    error NotPredecessor(address caller);

    // Events

    /// @notice `borrower` got a loan of `amount`, credited to its balance, and owes it with `fee`
    /// by `dueAt`.
    event LoanIssued(address indexed borrower, uint256 amount, uint256 fee, uint256 dueAt);

    /// @notice `payer` paid back `amount` of the loan of `borrower`, who still owes `remaining`.
    event LoanRepaid(address indexed borrower, address indexed payer, uint256 amount, uint256 remaining);

    /// @notice The pool counts no more on the `amount` that `borrower` still owes.
    event LoanWrittenOff(address indexed borrower, uint256 amount);

    /// @notice `amount` moved from the balance of `from` to the balance of `to`.
    event Transferred(address indexed from, address indexed to, uint256 amount);

    /// @notice `payer` brought in `amount`, credited to the balance of `account`.
    event Deposited(address indexed account, address indexed payer, uint256 amount);

    /// @notice `account` may withdraw `amount` from `dueAt` on (Unix time).
    event WithdrawalAnnounced(address indexed account, uint256 amount, uint256 dueAt);

    /// @notice `amount` left the balance of `account` and was sent to `recipient`.
    event Withdrawn(address indexed account, address indexed recipient, uint256 amount);

    /// @notice `account` agrees to take over what belongs to `from`.
    event AccountAccepted(address indexed account, address indexed from);

    /// @notice `from` gave its balance of `amount` and its debt of `owed` to `to`.
    event AccountPassed(address indexed from, address indexed to, uint256 amount, uint256 owed);

    /// @notice `account` moved with `amount` and a debt of `owed` to `successor`.
    event AccountMoved(address indexed account, address indexed successor, uint256 amount, uint256 owed);

    /// @notice `account` came from the predecessor with `amount` and this `loan`.
    event AccountTakenOver(address indexed account, uint256 amount, Loan loan);

    /// @notice `payer` gave `amount` to the pool.
    event Funded(address indexed payer, uint256 amount);

    /// @notice `amount` left the pool and was sent to `recipient`, the owner.
    event Defunded(address indexed recipient, uint256 amount);

    /// @notice Loans from now on are as in `current`; they were as in `previous`.
    event TermsSet(Terms previous, Terms current);

    /// @notice The limit of withdrawals is `limit` from `from` (Unix time) on.
    event WithdrawalLimitSet(uint256 limit, uint256 from);

    /// @notice `account` stands in the list of borrowers from now on, or no more.
    event BorrowerSet(address indexed account, bool listed);

    /// @notice `account` may borrow `limit` at a time from now on; zero for as much as everybody.
    event BorrowerLimitSet(address indexed account, uint256 limit);

    /// @notice No limit lets its borrower borrow more than `ceiling` from now on, or the principal.
    event CeilingOfLimitsSet(uint256 ceiling);

    /// @notice `current` keeps the list of borrowers from now on, and `previous` no more.
    event CreditorSet(address indexed previous, address indexed current);

    /// @notice Accounts may move to `successor` from `from` (Unix time) on.
    event SuccessorAnnounced(address indexed successor, uint256 from);

    // Views

    /// @notice What `account` can transfer, repay or withdraw.
    function getBalance(address account) external view returns (uint256);

    /// @notice What `account` owes; zero without a loan.
    function loanOf(address account) external view returns (uint256);

    /// @notice The loan of `account` with its dates; all zero without one.
    function loanDetailsOf(address account) external view returns (Loan memory);

    /// @notice Whether `account` stands in the list of borrowers.
    function isListed(address account) external view returns (bool);

    /// @notice What `account` has announced and not withdrawn yet, and from when on it can (Unix
    /// time).
    function announcedBy(address account) external view returns (uint256 amount, uint256 dueAt);

    /// @notice Whose balance and debt `account` agrees to take over; zero for none.
    function acceptedBy(address account) external view returns (address);

    /// @notice What the pool can still lend.
    function liquidity() external view returns (uint256);

    /// @notice The sum of all balances.
    function totalBalances() external view returns (uint256);

    /// @notice The sum of all that is owed and not written off.
    function totalOwed() external view returns (uint256);

    /// @notice What loans are now.
    function terms() external view returns (Terms memory);

    /// @notice The amount of a loan that opens now.
    function principal() external view returns (uint256);

    /// @notice What `account` may borrow at a time: the principal, or its limit under the ceiling.
    function limitOf(address account) external view returns (uint256);

    /// @notice The most that borrowers' own limits lend; it says nothing of the principal.
    function ceilingOfLimits() external view returns (uint256);

    /// @notice What the daily cap leaves to be issued at this moment. Principal counts by
    /// the hour of its issue, from then until 24 hours after that hour's end, or until it is
    /// repaid: never for less than 24 hours otherwise, and never for more than 25.
    function issuable() external view returns (uint256);

    /// @notice The most that forwarded withdrawals take out within 24 hours, and the most that
    /// direct transfers move.
    function withdrawalLimit() external view returns (uint256);

    /// @notice A higher limit and when it begins (Unix time); zeros if none is waiting.
    function pendingWithdrawalLimit() external view returns (uint256 limit, uint256 from);

    /// @notice What the limit leaves to forwarded withdrawals at this moment. Counted by
    /// the hour, as the daily cap is.
    function withdrawable() external view returns (uint256);

    /// @notice What the limit leaves to direct transfers at this moment.
    function transferable() external view returns (uint256);

    /// @notice Who keeps the list of borrowers; zero for nobody.
    function creditor() external view returns (address);

    /// @notice Where accounts can move, from `from` (Unix time) on; zeros if nowhere.
    function successor() external view returns (address account, uint256 from);

    /// @notice From where accounts may come; zero for nowhere. Fixed in the constructor.
    function predecessor() external view returns (address);

    /// @notice What the pool is over, for good: an ERC-20, or zero for the currency.
    function token() external view returns (address);

    /// @notice How much a quantum is in the token's smallest unit: 10^(decimals - 6), for good.
    function quantum() external view returns (uint256);

    /// @notice Where anybody may send tokens for `account`, by any wallet. It is no other
    /// account's, pool's or chain's. What is paid to it within the pool follows by its next sweep.
    /// @dev Reverts with `OtherUnit`.
    function inletOf(address account) external view returns (address);

    /// @notice Who has what comes to the inlet of `account`: itself or, over a token, its heir, to
    /// whom it was first passed on (`passAccount`), and so on, 32 times at most.
    function holderOf(address account) external view returns (address);

    /// @notice The smallest principal the owner can set: 0.0001 of the currency, 0.01 of a token.
    function MIN_PRINCIPAL() external view returns (uint256);

    /// @notice The largest principal the owner can set: 1 of the currency, 10,000 of a token.
    function MAX_PRINCIPAL() external view returns (uint256);

    /// @notice The largest daily cap and limit of withdrawals: 2^72 - 1, 4,722 of the currency.
    function MAX_DAILY() external view returns (uint256);

    /// @notice The shortest term, in seconds: 1 day.
    function MIN_TERM() external view returns (uint256);

    /// @notice The longest term, in seconds: 3,650 days.
    function MAX_TERM() external view returns (uint256);

    /// @notice The shortest pause between loans other than zero, in seconds: 10 minutes.
    function MIN_PAUSE_BETWEEN() external view returns (uint256);

    /// @notice The longest pause between loans, in seconds: 365 days.
    function MAX_PAUSE_BETWEEN() external view returns (uint256);

    /// @notice The largest limit of loans for one borrower and day: 15.
    function MAX_LOANS_PER_DAY() external view returns (uint256);

    /// @notice The highest fee that the owner can set: 1,000 basis points of the principal.
    function MAX_FEE() external view returns (uint256);

    /// @notice How long ahead a direct withdrawal and a successor are announced, in seconds: 48
    /// hours.
    function NOTICE() external view returns (uint256);

    /// @notice How long a higher limit of withdrawals waits, in seconds: 24 hours.
    function RAISE_DELAY() external view returns (uint256);

    // Accounts

    /// @notice Opens a loan of the principal for the forwarded caller and credits its balance.
    /// @dev Reverts with `ForwardedCallersOnly`, `EnforcedPause`, `PrincipalOutOfRange` where the
    /// caller's own limit is lower, `LoanActive`, `NotListed`, `LoanTooSoon`,
    /// `BorrowerLimitReached`, `DailyCapReached` or `InsufficientLiquidity`, in this order. A loan
    /// of a borrower counts by the three hours of its issue: for 24 hours, and less than 27. Emits
    /// `LoanIssued`.
    function applyForLoan() external;

    /// @notice Opens a loan of what the caller was shown and agreed to: a `principal` up to its
    /// limit, with the `fee` that the terms have for it, due so many seconds after its issue.
    /// @dev Reverts with `TermsChanged` where fee or term are others, after `EnforcedPause`, and
    /// with `PrincipalOutOfRange` where the principal is over the limit; else as `applyForLoan`.
    function applyForLoanOf(uint256 principal, uint256 fee, uint256 term) external;

    /// @notice Moves `amount` from the caller's balance to the balance of `to`, which need not have
    /// been seen before. To oneself it changes nothing.
    /// @dev Reverts with `InvalidRecipient`, `ZeroAmount` or `InsufficientBalance`; for direct
    /// callers also with `EnforcedPause`, before these, and `WithdrawalLimitReached`, after. Emits
    /// `Transferred`.
    function transfer(address to, uint256 amount) external;

    /// @notice Pays back `amount` of the caller's loan from its balance into the pool.
    /// @param amount At most what is owed, or `type(uint256).max` for all that is owed.
    /// @dev Reverts with `NoLoan`, `ZeroAmount`, `RepaymentTooLarge` or `InsufficientBalance`.
    /// Works during a pause. Emits `LoanRepaid`.
    function repayLoan(uint256 amount) external;

    /// @notice Pays back as much of the loan of `borrower` as currency is sent along.
    /// @dev Reverts with `NoLoan`, `ZeroAmount` or `RepaymentTooLarge`. Works during a pause. Emits
    /// `LoanRepaid`.
    function repayLoanFor(address borrower) external payable;

    /// @notice The same in tokens that the direct caller has approved.
    /// @dev Reverts with `DirectCallersOnly`, `OtherUnit`, as the token does, or
    /// `OtherAmountMoved`; else as `repayLoanFor`.
    function repayInTokens(address borrower, uint256 amount) external;

    /// @notice Credits the currency sent along to the caller's balance.
    /// @dev Reverts with `ZeroAmount`. Works during a pause. Emits `Deposited`.
    function deposit() external payable;

    /// @notice Credits the currency sent along to the balance of `account`.
    /// @dev Reverts with `InvalidRecipient` or `ZeroAmount`. Works during a pause. Emits
    /// `Deposited`.
    function depositFor(address account) external payable;

    /// @notice The same in tokens that the direct caller has approved.
    /// @dev Reverts as `repayInTokens` does; else as `depositFor`.
    function depositTokensFor(address account, uint256 amount) external;

    /// @notice Credits all whole quanta of the token that the inlet of `account` holds to its
    /// holder. Anybody may call it, and gets nothing for it.
    /// @dev Reverts with `OtherUnit`, `InvalidRecipient`, `ZeroAmount`, as the token does, or with
    /// `OtherAmountMoved`. Works during a pause. Emits `Deposited` with the inlet as payer.
    function sweepInlet(address account) external;

    /// @notice Sends all that the inlet of `account` holds of another token, or of the currency
    /// where `what` is zero, to `recipient`: for its holder, forwarded.
    /// @dev Reverts with `ForwardedCallersOnly`, `EnforcedPause`, `OtherUnit`, `NotTheHolder`,
    /// `InvalidRecipient`, or as `what` or the recipient does.
    function returnFromInlet(address account, address what, address recipient) external;

    /// @notice Lets the direct caller withdraw `amount` from 48 hours on, in place of what it
    /// announced before. The balance need not cover it yet. Zero takes an announcement back.
    /// @dev Reverts with `DirectCallersOnly`. Works during a pause. Emits `WithdrawalAnnounced`.
    function announceWithdrawal(uint256 amount) external;

    /// @notice Sends `amount` of the direct caller's balance, of what it announced, to that caller.
    /// @dev Reverts with `DirectCallersOnly`, `WithdrawalNotDue`, `ZeroAmount`,
    /// `InsufficientBalance` or `CurrencyRefused`. Works during a pause. Emits `Withdrawn`.
    function withdraw(uint256 amount) external;

    /// @notice Sends `amount` of the forwarded caller's balance to `recipient`.
    /// @dev Reverts with `ForwardedCallersOnly`, `EnforcedPause`, `InvalidRecipient`, `ZeroAmount`,
    /// `InsufficientBalance`, `WithdrawalLimitReached` or `CurrencyRefused`. Emits `Withdrawn`.
    function withdrawTo(address payable recipient, uint256 amount) external;

    /// @notice Agrees that `from` gives its balance and its debt to the forwarded caller. Zero
    /// takes an agreement back.
    /// @dev Reverts with `ForwardedCallersOnly`, or `InvalidRecipient` for itself. Works during a
    /// pause. Emits `AccountAccepted`.
    function acceptAccount(address from) external;

    /// @notice Gives the forwarded caller's balance, its loan with its dates, its place in the list
    /// of borrowers and its own limit, if it has one, to `to`, which has agreed and never borrowed.
    /// The caller's own history keeps counting.
    /// @dev Reverts with `ForwardedCallersOnly`, `NotAccepted` or `AccountInUse`. Works during a
    /// pause. Emits `AccountPassed`.
    function passAccount(address to) external;

    /// @notice Moves the caller's balance and loan to the successor, as the same account there.
    /// List and limits are the creditor's there to set.
    /// @dev Reverts with `MoveNotDue`, `InvalidSuccessor` or `NothingToMove`, and with whatever the
    /// successor reverts with. Works during a pause. Emits `AccountMoved`.
    function moveAccount() external;

    /// @notice Takes `account` over with its `loan`; the currency sent along, or what the
    /// predecessor has approved of the token, is its balance.
    /// @dev Predecessor only: reverts with `NotPredecessor`. Reverts with `OtherUnit` where
    /// currency comes to a pool over a token, and with `LoanActive` where both have a loan. Works
    /// during a pause. Emits `AccountTakenOver`.
    function takeOver(address account, Loan calldata loan) external payable;

    // Pool

    /// @notice Gives the currency sent along to the pool. Anybody may; it can't be claimed back.
    /// @dev Reverts with `ZeroAmount`. Emits `Funded`.
    function fund() external payable;

    /// @notice The same in tokens that the direct caller has approved.
    /// @dev Reverts as `repayInTokens` does; else as `fund`.
    function fundTokens(uint256 amount) external;

    /// @notice Sends `amount` of the free pool to the owner.
    /// @dev Owner only. Reverts with `ZeroAmount`, `InsufficientLiquidity` or `CurrencyRefused`.
    /// Emits `Defunded`.
    function defund(uint256 amount) external;

    // Creditor

    /// @notice Puts `accounts` into the list of borrowers, or takes them out.
    /// @dev Creditor only: reverts with `NotCreditor`. Emits `BorrowerSet` for each.
    function setBorrowers(address[] calldata accounts, bool listed) external;

    /// @notice Lets each account borrow up to its limit at a time. Open loans stay as they are.
    /// @dev Creditor only: reverts with `NotCreditor`. Emits `BorrowerLimitSet` for each.
    function setBorrowerLimits(BorrowerLimit[] calldata limits) external;

    // Owner

    /// @notice Loans from now on are as in `newTerms`; open loans stay as they are.
    /// @dev Owner only. Reverts with `PrincipalOutOfRange`, `DailyCapBelowPrincipal`,
    /// `TermOutOfRange`, `PauseOutOfRange`, `FeeOutOfRange` or `LoansPerDayOutOfRange`. Emits
    /// `TermsSet`.
    function setTerms(Terms calldata newTerms) external;

    /// @notice Lets borrowers' own limits lend up to `newCeiling`, at most the largest principal.
    /// @dev Owner only. Reverts with `CeilingOutOfRange`. Emits `CeilingOfLimitsSet`.
    function setCeilingOfLimits(uint256 newCeiling) external;

    /// @notice Sets the limit of withdrawals: a lower one at once, a higher one from 24 hours on.
    /// Either takes the place of one that waits.
    /// @dev Owner only. Reverts with `WithdrawalLimitOutOfRange`. Emits `WithdrawalLimitSet`.
    function setWithdrawalLimit(uint256 newLimit) external;

    /// @notice Counts no more on what `borrower` owes. The debt stays, and with it the bar to
    /// borrow.
    /// @dev Owner only. Reverts with `NoLoan` or `AlreadyWrittenOff`. Emits `LoanWrittenOff`.
    function writeOff(address borrower) external;

    /// @notice Names another creditor, or none (zero).
    /// @dev Owner only. Emits `CreditorSet`.
    function setCreditor(address newCreditor) external;

    /// @notice Lets accounts move to `newSuccessor` from 48 hours on; zero lets them move nowhere.
    /// @dev Owner only. Reverts with `InvalidSuccessor`. Emits `SuccessorAnnounced`.
    function announceSuccessor(address newSuccessor) external;
}
