// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {IERC20, SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Context} from "@openzeppelin/contracts/utils/Context.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import {Accounts} from "./Accounts.sol";
import {Guarded} from "./Guarded.sol";
import {IMicroLoan} from "./IMicroLoan.sol";
import {Inlet} from "./Inlet.sol";
import {RollingDay} from "./RollingDay.sol";

/// @title MicroLoan
/// @notice See {IMicroLoan}, which says all there is to know before calling this.
contract MicroLoan is IMicroLoan, ERC2771Context, Guarded, ReentrancyGuardTransient {
    using Accounts for uint256;
    using RollingDay for RollingDay.Window;
    using SafeCast for uint256;
    using SafeERC20 for IERC20;

    /// @dev One word.
    struct Limit {
        uint72 current;
        uint72 raised;
        uint40 raisedFrom;
    }

    /// @dev See {Accounts}. A reference to it costs one hash, and each use of the mapping another.
    struct Account {
        uint256 word;
    }

    struct Announcement {
        uint128 amount;
        uint64 dueAt;
    }

    struct Successor {
        address account;
        uint64 from;
    }

    /// @inheritdoc IMicroLoan
    uint256 public immutable MIN_PRINCIPAL;

    /// @inheritdoc IMicroLoan
    uint256 public immutable MAX_PRINCIPAL;

    /// @inheritdoc IMicroLoan
    uint256 public constant MAX_DAILY = RollingDay.MAX_SUM;

    /// @inheritdoc IMicroLoan
    uint256 public constant MIN_TERM = 1 days;

    /// @inheritdoc IMicroLoan
    uint256 public constant MAX_TERM = 3650 days;

    /// @inheritdoc IMicroLoan
    uint256 public constant MIN_PAUSE_BETWEEN = 10 minutes;

    /// @inheritdoc IMicroLoan
    uint256 public constant MAX_PAUSE_BETWEEN = 365 days;

    /// @inheritdoc IMicroLoan
    uint256 public constant MAX_LOANS_PER_DAY = Accounts.MAX_LOANS_COUNTED;

    /// @inheritdoc IMicroLoan
    uint256 public constant MAX_FEE = Accounts.MAX_FEE;

    /// @inheritdoc IMicroLoan
    uint256 public constant NOTICE = 48 hours;

    /// @inheritdoc IMicroLoan
    uint256 public constant RAISE_DELAY = 24 hours;

    uint256 private constant SUM_BITS = 80;
    /// @dev Precompiles stand below it, and the zero address; no key is known of any of these.
    uint160 private constant FIRST_WALLET = 1 << 32;
    /// @dev Of a token: a quantum has this many decimals, whatever the token's own.
    uint256 private constant QUANTUM_DECIMALS = 6;
    uint256 private constant MAX_PASSES = 32;

    /// @inheritdoc IMicroLoan
    address public immutable predecessor;

    /// @inheritdoc IMicroLoan
    address public immutable token;

    /// @inheritdoc IMicroLoan
    uint256 public immutable quantum;

    /// @dev Whose clones inlets are. The chain's id is in its address, and so in all of theirs.
    address private immutable _inlet;

    // Storage. Sums and accounts are packed by hand, so that each call writes each word once.

    Terms private _terms;
    /// @dev From the lowest bit, 80 each: free liquidity, all balances, all that is owed.
    uint256 private _sums;
    mapping(address account => Account) private _accounts;
    RollingDay.Window private _issued;
    RollingDay.Window private _withdrawn;
    RollingDay.Window private _sent;
    Limit private _limit;
    mapping(address account => Announcement) private _announced;
    /// @dev A borrower's own, zero for none: a word that loans alone read.
    mapping(address account => uint256) private _limits;
    /// @inheritdoc IMicroLoan
    mapping(address account => address) public acceptedBy;
    /// @dev Over a token: to whom an account has passed what it had first, for good.
    mapping(address account => address) private _heirs;
    /// @inheritdoc IMicroLoan
    address public creditor;
    /// @dev In the creditor's word, of which a loan is to read this alone.
    uint64 private _ceiling;
    Successor private _successor;

    // Construction and guards

    /// @param setup The trusted forwarder, the predecessor and the unit, for good, and what the
    /// owner may change.
    constructor(Setup memory setup) ERC2771Context(setup.forwarder) Guarded(setup.owner, setup.guardian) {
        if (setup.forwarder.code.length == 0) revert InvalidForwarder(setup.forwarder);
        token = setup.token;
        (quantum, MIN_PRINCIPAL, MAX_PRINCIPAL) = setup.token == address(0)
            ? (1, 0.0001 ether, 1 ether)
            : (_quantumOf(setup.token), 10 ** QUANTUM_DECIMALS / 100, 10_000 * 10 ** QUANTUM_DECIMALS);
        _inlet = token == address(0) ? token : address(new Inlet{salt: bytes32(block.chainid)}());
        if (setup.predecessor != address(0) && !_isOfThisUnit(setup.predecessor)) {
            revert InvalidPredecessor(setup.predecessor);
        }
        predecessor = setup.predecessor;
        _setTerms(setup.terms);
        _setCreditor(setup.creditor);
        _setCeiling(setup.ceiling);
        _checkLimit(setup.withdrawalLimit);
        _limit.current = setup.withdrawalLimit.toUint72();
        emit WithdrawalLimitSet(setup.withdrawalLimit, block.timestamp);
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
        return _accounts[account].word.balance();
    }

    /// @inheritdoc IMicroLoan
    function loanOf(address account) external view returns (uint256) {
        return _accounts[account].word.owed();
    }

    /// @inheritdoc IMicroLoan
    function loanDetailsOf(address account) external view returns (Loan memory) {
        return _loanIn(_accounts[account].word);
    }

    /// @inheritdoc IMicroLoan
    function isListed(address account) external view returns (bool) {
        return _accounts[account].word.has(Accounts.LISTED);
    }

    /// @inheritdoc IMicroLoan
    function announcedBy(address account) external view returns (uint256 amount, uint256 dueAt) {
        Announcement storage announced = _announced[account];
        return (announced.amount, announced.dueAt);
    }

    /// @inheritdoc IMicroLoan
    function liquidity() external view returns (uint256 sum) {
        (sum,,) = _readSums();
    }

    /// @inheritdoc IMicroLoan
    function totalBalances() external view returns (uint256 sum) {
        (, sum,) = _readSums();
    }

    /// @inheritdoc IMicroLoan
    function totalOwed() external view returns (uint256 sum) {
        (,, sum) = _readSums();
    }

    /// @inheritdoc IMicroLoan
    function inletOf(address account) public view returns (address) {
        if (token == address(0)) revert OtherUnit(token);
        return Clones.predictDeterministicAddress(_inlet, bytes32(uint256(uint160(account))));
    }

    /// @inheritdoc IMicroLoan
    function holderOf(address account) public view returns (address holder) {
        holder = account;
        for (uint256 i; i < MAX_PASSES && _heirs[holder] != address(0); ++i) {
            holder = _heirs[holder];
        }
    }

    /// @inheritdoc IMicroLoan
    function terms() external view returns (Terms memory) {
        return _terms;
    }

    /// @inheritdoc IMicroLoan
    function principal() external view returns (uint256) {
        return _terms.principal;
    }

    /// @inheritdoc IMicroLoan
    function limitOf(address account) external view returns (uint256) {
        return _limitOf(account, _terms.principal);
    }

    /// @inheritdoc IMicroLoan
    function ceilingOfLimits() external view returns (uint256) {
        return _ceiling;
    }

    /// @inheritdoc IMicroLoan
    function issuable() external view returns (uint256) {
        return _leftOf(_terms.dailyCap, _issued);
    }

    /// @inheritdoc IMicroLoan
    function withdrawalLimit() public view returns (uint256) {
        Limit memory limit = _limit;
        return limit.raisedFrom != 0 && block.timestamp >= limit.raisedFrom ? limit.raised : limit.current;
    }

    /// @inheritdoc IMicroLoan
    function pendingWithdrawalLimit() external view returns (uint256 limit, uint256 from) {
        Limit memory limit_ = _limit;
        return block.timestamp < limit_.raisedFrom ? (limit_.raised, limit_.raisedFrom) : (0, 0);
    }

    /// @inheritdoc IMicroLoan
    function withdrawable() external view returns (uint256) {
        return _leftOf(withdrawalLimit(), _withdrawn);
    }

    /// @inheritdoc IMicroLoan
    function transferable() external view returns (uint256) {
        return _leftOf(withdrawalLimit(), _sent);
    }

    /// @inheritdoc IMicroLoan
    function successor() external view returns (address account, uint256 from) {
        return (_successor.account, _successor.from);
    }

    // Accounts

    /// @inheritdoc IMicroLoan
    function applyForLoan() external onlyForwarded whenNotPaused {
        Terms memory current = _terms;
        _lend(current, current.principal);
    }

    /// @inheritdoc IMicroLoan
    function applyForLoanOf(uint256 principal_, uint256 fee_, uint256 term)
        external
        onlyForwarded
        whenNotPaused
    {
        Terms memory current = _terms;
        uint256 currentFee = Accounts.feeOf(principal_, current.feeRate);
        if (fee_ != currentFee || term != current.term) {
            revert TermsChanged(principal_, currentFee, current.term);
        }
        _lend(current, principal_);
    }

    /// @inheritdoc IMicroLoan
    function transfer(address to, uint256 amount) external {
        address from = _msgSender();
        bool isDirect = from == msg.sender;
        if (isDirect) _requireNotPaused();
        _checkRecipient(to);

        // Debit before credit, both in storage: a transfer to oneself changes nothing.
        Account storage account = _accounts[from];
        account.word = _debited(from, account.word, amount);
        if (isDirect) _count(_sent, amount);
        account = _accounts[to];
        account.word = account.word.credited(amount);

        emit Transferred(from, to, amount);
    }

    /// @inheritdoc IMicroLoan
    function repayLoan(uint256 amount) external {
        address borrower = _msgSender();
        uint256 account = _accounts[borrower].word;
        if (amount == type(uint256).max) amount = account.owed();
        uint256 repaid = _repaid(borrower, account, amount);
        if (amount > account.balance()) revert InsufficientBalance(borrower, account.balance(), amount);

        _accounts[borrower].word = repaid.debited(amount);
        (uint256 free, uint256 balances, uint256 owed) = _readSums();
        _writeSums(free + amount, balances - amount, _lessRepaid(owed, account, amount));

        emit LoanRepaid(borrower, borrower, amount, repaid.owed());
    }

    /// @inheritdoc IMicroLoan
    function repayLoanFor(address borrower) external payable {
        _repayFor(borrower, _received());
    }

    /// @inheritdoc IMicroLoan
    function repayInTokens(address borrower, uint256 amount) external onlyDirect {
        _pull(amount);
        _repayFor(borrower, amount);
    }

    /// @inheritdoc IMicroLoan
    function deposit() external payable {
        _deposit(msg.sender, msg.sender, _received());
    }

    /// @inheritdoc IMicroLoan
    function depositFor(address account) external payable {
        _checkRecipient(account);
        _deposit(account, msg.sender, _received());
    }

    /// @inheritdoc IMicroLoan
    function depositTokensFor(address account, uint256 amount) external onlyDirect {
        _checkRecipient(account);
        _pull(amount);
        _deposit(account, msg.sender, amount);
    }

    /// @inheritdoc IMicroLoan
    function sweepInlet(address account) external nonReentrant {
        Inlet inlet = _openInlet(account);
        uint256 before = _held();
        uint256 value = inlet.send(token, address(this), quantum);
        _checkHeld(before + value);
        address holder = holderOf(account);
        _checkRecipient(holder);
        // Who took an inlet for an account has paid it within the pool.
        uint256 inside = _accounts[address(inlet)].word.balance();
        if (inside != 0) {
            _accounts[address(inlet)].word -= inside;
            _accounts[holder].word = _accounts[holder].word.credited(inside);
            emit Transferred(address(inlet), holder, inside);
        }
        if (value != 0 || inside == 0) _deposit(holder, address(inlet), value / quantum);
    }

    /// @inheritdoc IMicroLoan
    function returnFromInlet(address account, address what, address recipient)
        external
        onlyForwarded
        whenNotPaused
    {
        if (what == token) revert OtherUnit(token);
        address holder = holderOf(account);
        if (_msgSender() != holder) revert NotTheHolder(account, holder);
        _checkRecipient(recipient);
        _openInlet(account).send(what, recipient, 1);
    }

    /// @inheritdoc IMicroLoan
    function announceWithdrawal(uint256 amount) external onlyDirect {
        uint256 dueAt = block.timestamp + NOTICE;
        _announced[msg.sender] = Announcement(amount.toUint128(), dueAt.toUint64());
        emit WithdrawalAnnounced(msg.sender, amount, dueAt);
    }

    /// @inheritdoc IMicroLoan
    function withdraw(uint256 amount) external onlyDirect {
        Announcement memory announced = _announced[msg.sender];
        if (amount > announced.amount || block.timestamp < announced.dueAt) {
            revert WithdrawalNotDue(msg.sender, announced.amount, announced.dueAt);
        }
        _announced[msg.sender].amount = announced.amount - amount.toUint128();
        _take(msg.sender, amount);
        _pay(msg.sender, msg.sender, amount);
    }

    /// @inheritdoc IMicroLoan
    function withdrawTo(address payable recipient, uint256 amount) external onlyForwarded whenNotPaused {
        address account = _msgSender();
        _checkRecipient(recipient);
        _take(account, amount);
        _count(_withdrawn, amount);
        _pay(account, recipient, amount);
    }

    /// @inheritdoc IMicroLoan
    function acceptAccount(address from) external onlyForwarded {
        address account = _msgSender();
        if (from == account) revert InvalidRecipient(account);
        acceptedBy[account] = from;
        emit AccountAccepted(account, from);
    }

    /// @inheritdoc IMicroLoan
    function passAccount(address to) external onlyForwarded {
        address from = _msgSender();
        if (acceptedBy[to] != from) revert NotAccepted(to, from);
        uint256 account = _accounts[from].word;
        uint256 heir = _accounts[to].word;
        if (heir.issuedAt() != 0) revert AccountInUse(to);
        if (token != address(0)) {
            // An heir has none, and the first one stays: so no heirs go in a circle.
            if (_heirs[to] != address(0)) revert AccountInUse(to);
            if (_heirs[from] == address(0)) _heirs[from] = to;
        }

        delete acceptedBy[to];
        _accounts[from].word = account.left();
        // The heir has a balance, a place in the list and a limit at most.
        _accounts[to].word = account.credited(heir.balance()) | (heir & Accounts.LISTED);
        uint256 limit = _limits[from];
        if (limit != 0) {
            delete _limits[from];
            _limits[to] = limit;
        }

        emit AccountPassed(from, to, account.balance(), account.owed());
    }

    /// @inheritdoc IMicroLoan
    function moveAccount() external {
        Successor memory next = _successor;
        if (next.account == address(0) || block.timestamp < next.from) revert MoveNotDue(next.from);
        // A call of what has no code succeeds, and does nothing.
        if (next.account.code.length == 0) revert InvalidSuccessor(next.account);
        address account = _msgSender();
        uint256 moving = _accounts[account].word;
        (uint256 amount, Loan memory loan) = (moving.balance(), _loanIn(moving));
        if (amount == 0 && loan.owed == 0) revert NothingToMove(account);

        _accounts[account].word = moving.left();
        (uint256 free, uint256 balances, uint256 owed) = _readSums();
        _writeSums(free, balances - amount, _lessRepaid(owed, moving, loan.owed));

        emit AccountMoved(account, next.account, amount, loan.owed);
        _send(next.account, amount, abi.encodeCall(IMicroLoan.takeOver, (account, loan)));
    }

    /// @inheritdoc IMicroLoan
    function takeOver(address account, Loan calldata loan) external payable {
        if (msg.sender != predecessor) revert NotPredecessor(msg.sender);
        uint256 amount = token == address(0) ? msg.value : _pullApproved();
        uint256 taken = _accounts[account].word.credited(amount);
        (uint256 free, uint256 balances, uint256 owed) = _readSums();
        if (loan.owed != 0) {
            if (taken.owed() != 0) revert LoanActive(account, taken.owed());
            if (loan.feeRate > MAX_FEE) revert FeeOutOfRange(loan.feeRate, MAX_FEE);
            taken = taken.lent(loan.owed, loan.feeRate, loan.issuedAt, loan.dueAt);
            if (loan.isWrittenOff) taken |= Accounts.WRITTEN_OFF;
            else owed += loan.owed;
            _issued.add(loan.issuedAt, taken.principalOwed());
        }
        _accounts[account].word = taken;
        _writeSums(free, balances + amount, owed);
        emit AccountTakenOver(account, amount, loan);
    }

    // Pool

    /// @inheritdoc IMicroLoan
    function fund() external payable {
        _fund(_received());
    }

    /// @inheritdoc IMicroLoan
    function fundTokens(uint256 amount) external onlyDirect {
        _pull(amount);
        _fund(amount);
    }

    /// @inheritdoc IMicroLoan
    function defund(uint256 amount) external onlyOwner {
        if (amount == 0) revert ZeroAmount();
        (uint256 free, uint256 balances, uint256 owed) = _readSums();
        if (amount > free) revert InsufficientLiquidity(free, amount);
        _writeSums(free - amount, balances, owed);
        emit Defunded(msg.sender, amount);
        _send(msg.sender, amount, "");
    }

    // Creditor

    /// @inheritdoc IMicroLoan
    function setBorrowers(address[] calldata accounts, bool listed) external {
        _checkCreditor();
        for (uint256 i; i < accounts.length; ++i) {
            uint256 account = _accounts[accounts[i]].word;
            _accounts[accounts[i]].word = listed ? account | Accounts.LISTED : account & ~Accounts.LISTED;
            emit BorrowerSet(accounts[i], listed);
        }
    }

    /// @inheritdoc IMicroLoan
    function setBorrowerLimits(BorrowerLimit[] calldata limits) external {
        _checkCreditor();
        for (uint256 i; i < limits.length; ++i) {
            _limits[limits[i].account] = limits[i].limit;
            emit BorrowerLimitSet(limits[i].account, limits[i].limit);
        }
    }

    // Owner

    /// @inheritdoc IMicroLoan
    function setTerms(Terms calldata newTerms) external onlyOwner {
        _setTerms(newTerms);
    }

    /// @inheritdoc IMicroLoan
    function setCeilingOfLimits(uint256 newCeiling) external onlyOwner {
        _setCeiling(newCeiling);
    }

    /// @inheritdoc IMicroLoan
    function setWithdrawalLimit(uint256 newLimit) external onlyOwner {
        _checkLimit(newLimit);
        uint72 current = withdrawalLimit().toUint72();
        uint256 from = newLimit > current ? block.timestamp + RAISE_DELAY : block.timestamp;
        _limit = newLimit > current
            ? Limit(current, newLimit.toUint72(), from.toUint40())
            : Limit(newLimit.toUint72(), 0, 0);
        emit WithdrawalLimitSet(newLimit, from);
    }

    /// @inheritdoc IMicroLoan
    function writeOff(address borrower) external onlyOwner {
        uint256 account = _accounts[borrower].word;
        if (account.owed() == 0) revert NoLoan(borrower);
        if (account.has(Accounts.WRITTEN_OFF)) revert AlreadyWrittenOff(borrower);
        _accounts[borrower].word = account | Accounts.WRITTEN_OFF;
        (uint256 free, uint256 balances, uint256 owed) = _readSums();
        _writeSums(free, balances, owed - account.owed());
        emit LoanWrittenOff(borrower, account.owed());
    }

    /// @inheritdoc IMicroLoan
    function setCreditor(address newCreditor) external onlyOwner {
        _setCreditor(newCreditor);
    }

    /// @inheritdoc IMicroLoan
    function announceSuccessor(address newSuccessor) external onlyOwner {
        bool isNone = newSuccessor == address(0);
        if (!isNone && !_isSuccessor(newSuccessor)) revert InvalidSuccessor(newSuccessor);
        uint256 from = isNone ? 0 : block.timestamp + NOTICE;
        _successor = Successor(newSuccessor, from.toUint64());
        emit SuccessorAnnounced(newSuccessor, from);
    }

    /// @notice The second step of a change of owner, by the new owner, never forwarded.
    function acceptOwnership() public override onlyDirect {
        super.acceptOwnership();
    }

    // Internals

    /// @dev What the owner does is never forwarded, so that no flaw of the forwarder reaches it.
    function _checkOwner() internal view override onlyDirect {
        super._checkOwner();
    }

    /// @dev The plain sender: no role acts through the forwarder.
    function _checkCreditor() private view {
        if (msg.sender != creditor) revert NotCreditor(msg.sender);
    }

    function _limitOf(address account, uint256 usual) private view returns (uint256) {
        uint256 limit = _limits[account];
        return limit == 0 ? usual : Math.min(limit, Math.max(usual, _ceiling));
    }

    function _lend(Terms memory current, uint256 amount) private {
        address borrower = _msgSender();
        uint256 limit = _limitOf(borrower, current.principal);
        if (amount < MIN_PRINCIPAL || amount > limit) {
            revert PrincipalOutOfRange(amount, MIN_PRINCIPAL, limit);
        }
        uint256 account = _accounts[borrower].word;
        _checkBorrower(borrower, account, current);
        uint256 available = _leftOf(current.dailyCap, _issued);
        if (amount > available) revert DailyCapReached(available, amount);
        (uint256 free, uint256 balances, uint256 owed) = _readSums();
        if (amount > free) revert InsufficientLiquidity(free, amount);

        uint256 fee = Accounts.feeOf(amount, current.feeRate);
        uint256 dueAt = block.timestamp + current.term;
        _accounts[borrower].word =
            account.lent(amount + fee, current.feeRate, block.timestamp, dueAt).credited(amount);
        _issued.add(block.timestamp, amount);
        _writeSums(free - amount, balances + amount, owed + amount + fee);

        emit LoanIssued(borrower, amount, fee, dueAt);
    }

    function _checkBorrower(address borrower, uint256 account, Terms memory current) private view {
        if (account.owed() != 0) revert LoanActive(borrower, account.owed());
        if (current.listOnly && !account.has(Accounts.LISTED)) revert NotListed(borrower);
        uint256 nextAt = account.issuedAt() + current.pauseBetween;
        if (block.timestamp < nextAt) revert LoanTooSoon(borrower, nextAt);
        uint256 limit = current.loansPerDay;
        if (limit != 0 && account.loansAt(block.timestamp) >= limit) {
            revert BorrowerLimitReached(borrower, limit);
        }
    }

    /// @dev The account with less to repay, whatever pays for it. What is repaid of a recent loan's
    /// principal counts no more against the daily cap.
    function _repaid(address borrower, uint256 account, uint256 amount) private returns (uint256 repaid) {
        uint256 owed = account.owed();
        if (owed == 0) revert NoLoan(borrower);
        if (amount == 0) revert ZeroAmount();
        if (amount > owed) revert RepaymentTooLarge(owed, amount);
        // The fee is still known of what is left, and of nothing no principal is owed.
        repaid = account.repaid(amount);
        _issued.remove(account.issuedAt(), account.principalOwed() - repaid.principalOwed());
    }

    /// @dev All that is owed, less what is repaid of a loan, which counts in it unless it is
    /// written off.
    function _lessRepaid(uint256 owed, uint256 account, uint256 amount) private pure returns (uint256) {
        return account.has(Accounts.WRITTEN_OFF) ? owed : owed - amount;
    }

    function _loanIn(uint256 account) private pure returns (Loan memory loan) {
        uint256 owed = account.owed();
        if (owed == 0) return loan;
        return
            Loan(
                owed,
                account.feeRate(),
                account.issuedAt(),
                account.dueAt(),
                account.has(Accounts.WRITTEN_OFF)
            );
    }

    function _checkRecipient(address recipient) private view {
        bool isNobody = uint160(recipient) < FIRST_WALLET;
        if (isNobody || recipient == address(this) || isTrustedForwarder(recipient)) {
            revert InvalidRecipient(recipient);
        }
    }

    /// @dev The account with a positive amount less; the sum of balances is the caller's to adjust.
    function _debited(address from, uint256 account, uint256 amount) private pure returns (uint256) {
        if (amount == 0) revert ZeroAmount();
        if (amount > account.balance()) revert InsufficientBalance(from, account.balance(), amount);
        return account.debited(amount);
    }

    /// @dev The forwarder sends no currency along, so the payer is a direct caller here and below.
    function _deposit(address account, address payer, uint256 amount) private {
        if (amount == 0) revert ZeroAmount();
        _accounts[account].word = _accounts[account].word.credited(amount);
        (uint256 free, uint256 balances, uint256 owed) = _readSums();
        _writeSums(free, balances + amount, owed);
        emit Deposited(account, payer, amount);
    }

    function _fund(uint256 amount) private {
        if (amount == 0) revert ZeroAmount();
        (uint256 free, uint256 balances, uint256 owed) = _readSums();
        _writeSums(free + amount, balances, owed);
        emit Funded(msg.sender, amount);
    }

    function _repayFor(address borrower, uint256 amount) private {
        uint256 account = _accounts[borrower].word;
        uint256 repaid = _repaid(borrower, account, amount);

        _accounts[borrower].word = repaid;
        (uint256 free, uint256 balances, uint256 owed) = _readSums();
        _writeSums(free + amount, balances, _lessRepaid(owed, account, amount));

        emit LoanRepaid(borrower, msg.sender, amount, repaid.owed());
    }

    function _take(address account, uint256 amount) private {
        _accounts[account].word = _debited(account, _accounts[account].word, amount);
        (uint256 free, uint256 balances, uint256 owed) = _readSums();
        _writeSums(free, balances - amount, owed);
    }

    function _pay(address account, address recipient, uint256 amount) private {
        emit Withdrawn(account, recipient, amount);
        _send(recipient, amount, "");
    }

    /// @dev What a call has brought: the one way in of currency.
    function _received() private view returns (uint256 amount) {
        if (token != address(0)) revert OtherUnit(token);
        return msg.value;
    }

    /// @dev The one way in of tokens, beside the inlets. First in every function, since the token
    /// may call anybody; the lock keeps all else out that moves tokens, or compares what is held.
    function _pull(uint256 amount) private nonReentrant {
        if (token == address(0)) revert OtherUnit(token);
        uint256 value = amount * quantum;
        uint256 expected = _held() + value;
        IERC20(token).safeTransferFrom(msg.sender, address(this), value);
        _checkHeld(expected);
    }

    function _openInlet(address account) private returns (Inlet) {
        address inlet = inletOf(account);
        if (inlet.code.length == 0) Clones.cloneDeterministic(_inlet, bytes32(uint256(uint160(account))));
        return Inlet(inlet);
    }

    /// @dev What a predecessor hands over with an account: it approves just that, in the same call.
    function _pullApproved() private returns (uint256 amount) {
        if (msg.value != 0) revert OtherUnit(token);
        amount = IERC20(token).allowance(msg.sender, address(this)) / quantum;
        if (amount != 0) _pull(amount);
    }

    /// @dev The one way out, with a call of the recipient. Last in every function, since the
    /// recipient may call back. Copies no return data, but for why a call with data failed.
    function _send(address recipient, uint256 amount, bytes memory data) private {
        if (token != address(0)) return _sendTokens(recipient, amount, data);
        if (LowLevelCall.callNoReturn(recipient, amount, data)) return;
        if (data.length == 0) revert CurrencyRefused(recipient, amount);
        LowLevelCall.bubbleRevert();
    }

    /// @dev A call with data takes what is approved for it.
    function _sendTokens(address recipient, uint256 amount, bytes memory data) private nonReentrant {
        uint256 value = amount * quantum;
        uint256 expected = _held() - value;
        if (data.length == 0) {
            if (!IERC20(token).trySafeTransfer(recipient, value)) revert TokenRefused(recipient, amount);
        } else {
            if (amount != 0) IERC20(token).forceApprove(recipient, value);
            if (!LowLevelCall.callNoReturn(recipient, 0, data)) LowLevelCall.bubbleRevert();
        }
        _checkHeld(expected);
    }

    function _held() private view returns (uint256) {
        return IERC20(token).balanceOf(address(this));
    }

    function _checkHeld(uint256 expected) private view {
        uint256 held = _held();
        if (held != expected) revert OtherAmountMoved(held, expected);
    }

    function _quantumOf(address token_) private view returns (uint256) {
        (bool isKnown, uint8 decimals) = IERC20(token_).tryGetDecimals();
        if (!isKnown || decimals < QUANTUM_DECIMALS || decimals > 18) revert InvalidToken(token_);
        return 10 ** (decimals - QUANTUM_DECIMALS);
    }

    /// @dev Whether a pool counts as this one does. One of release 1.0 has no `token`.
    function _isOfThisUnit(address pool) private view returns (bool) {
        if (pool.code.length == 0) return false;
        try IMicroLoan(pool).token() returns (address other) {
            return other == token && IMicroLoan(pool).quantum() == quantum;
        } catch {
            return token == address(0);
        }
    }

    /// @dev Counts against the limit of withdrawals.
    function _count(RollingDay.Window storage window, uint256 amount) private {
        uint256 available = _leftOf(withdrawalLimit(), window);
        if (amount > available) revert WithdrawalLimitReached(available, amount);
        window.add(block.timestamp, amount);
    }

    function _leftOf(uint256 limit, RollingDay.Window storage window) private view returns (uint256) {
        uint256 used = window.sum();
        return limit > used ? limit - used : 0;
    }

    function _readSums() private view returns (uint256 free, uint256 balances, uint256 owed) {
        uint256 sums = _sums;
        free = sums & type(uint80).max;
        balances = (sums >> SUM_BITS) & type(uint80).max;
        owed = sums >> (2 * SUM_BITS);
    }

    function _writeSums(uint256 free, uint256 balances, uint256 owed) private {
        _sums = uint256(free.toUint80()) | (uint256(balances.toUint80()) << SUM_BITS)
            | (uint256(owed.toUint80()) << (2 * SUM_BITS));
    }

    function _isSuccessor(address account) private view returns (bool) {
        if (account.code.length == 0 || account == address(this)) return false;
        try IMicroLoan(account).predecessor() returns (address before) {
            return before == address(this) && _isOfThisUnit(account);
        } catch {
            return false;
        }
    }

    function _setTerms(Terms memory next) private {
        uint256 amount = next.principal;
        if (amount < MIN_PRINCIPAL || amount > MAX_PRINCIPAL) {
            revert PrincipalOutOfRange(amount, MIN_PRINCIPAL, MAX_PRINCIPAL);
        }
        if (next.dailyCap != 0 && next.dailyCap < amount) {
            revert DailyCapBelowPrincipal(next.dailyCap, amount);
        }
        if (next.term < MIN_TERM || next.term > MAX_TERM) {
            revert TermOutOfRange(next.term, MIN_TERM, MAX_TERM);
        }
        uint256 between = next.pauseBetween;
        if (between != 0 && (between < MIN_PAUSE_BETWEEN || between > MAX_PAUSE_BETWEEN)) {
            revert PauseOutOfRange(between, MIN_PAUSE_BETWEEN, MAX_PAUSE_BETWEEN);
        }
        if (next.feeRate > MAX_FEE) revert FeeOutOfRange(next.feeRate, MAX_FEE);
        if (next.loansPerDay > MAX_LOANS_PER_DAY) {
            revert LoansPerDayOutOfRange(next.loansPerDay, MAX_LOANS_PER_DAY);
        }
        emit TermsSet(_terms, next);
        _terms = next;
    }

    function _setCeiling(uint256 ceiling) private {
        if (ceiling > MAX_PRINCIPAL) revert CeilingOutOfRange(ceiling, MAX_PRINCIPAL);
        _ceiling = ceiling.toUint64();
        emit CeilingOfLimitsSet(ceiling);
    }

    function _setCreditor(address newCreditor) private {
        emit CreditorSet(creditor, newCreditor);
        creditor = newCreditor;
    }

    function _checkLimit(uint256 limit) private pure {
        if (limit > MAX_DAILY) revert WithdrawalLimitOutOfRange(limit, MAX_DAILY);
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
