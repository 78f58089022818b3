// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {SignedRequest} from "../../support/Requests.sol";

/// @notice What should be true, written along by the handlers and never read from the contracts.
contract Store {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    // Time

    uint256 public timestamp = 1_790_000_000;

    function pass(uint256 seconds_) external {
        timestamp += seconds_;
    }

    // Accounts

    uint256 public constant PHONES = 6;
    uint256 public constant ACCOUNTS = 8;

    /// @dev Phones first, then outside wallets.
    address[ACCOUNTS] public account;
    uint256[ACCOUNTS] public key;

    /// @dev So many quanta are about as much of the unit as one of the currency, by the bounds.
    uint256 public immutable one;

    constructor(uint256 one_) {
        one = one_;
        for (uint256 i; i < ACCOUNTS; ++i) {
            key[i] = uint256(keccak256(abi.encode("account", i)));
            account[i] = vm.addr(key[i]);
        }
    }

    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) public owedOf;
    /// @dev What the last loan began with, fee and all; zero where there was none.
    mapping(address => uint256) public lastOwedOf;
    mapping(address => uint256) public feeRateOf;

    // Money

    uint256 public deposited;
    uint256 public withdrawn;
    uint256 public funded;
    uint256 public defunded;
    uint256 public issued;
    /// @dev Fees of all loans, beside the principal.
    uint256 public charged;
    uint256 public repaid;
    uint256 public forced;

    function recordDeposit(address to, uint256 amount) external {
        deposited += amount;
        balanceOf[to] += amount;
    }

    function recordWithdrawal(address from, uint256 amount, bool wasAnnounced) external {
        if (wasAnnounced) announced[from].amount -= amount;
        withdrawn += amount;
        balanceOf[from] -= amount;
    }

    function recordTransfer(address from, address to, uint256 amount, bool direct) external {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        if (paused && direct) ++movedInPause;
    }

    /// @dev What the rolling limit counts: forwarded withdrawals, or direct transfers.
    mapping(bool direct => Issue[]) internal _outflows;
    uint256 public movedOverTheLimit;

    function recordOutflow(bool direct, uint256 amount, uint256 limit) external {
        if (paused) ++movedInPause;
        Issue[] storage flows = _outflows[direct];
        flows.push(Issue(timestamp, amount));
        if (_sumSince(flows, timestamp - 24 hours) > limit) ++movedOverTheLimit;
    }

    /// @dev Payments that readers saw, and those with wrong books inside.
    uint256 public payments;
    uint256 public unbalanced;

    function recordPayment(bool isBalanced) external {
        ++payments;
        if (!isBalanced) ++unbalanced;
    }

    struct Announcement {
        uint256 amount;
        uint256 dueAt;
    }

    mapping(address => Announcement) public announced;

    function recordAnnouncement(address from, uint256 amount) external {
        announced[from] = Announcement(amount, timestamp + 48 hours);
    }

    function recordFunding(uint256 amount) external {
        funded += amount;
    }

    function recordDefunding(uint256 amount) external {
        defunded += amount;
    }

    function recordForced(uint256 amount) external {
        forced += amount;
    }

    uint256 public repaidByOthers;

    /// @dev What is repaid gives the cap of its day back what it took: the principal's part,
    /// rounded up, is left.
    function recordRepayment(address borrower, uint256 amount, bool byAnother) external {
        repaid += amount;
        if (byAnother) repaidByOthers += amount;
        else balanceOf[borrower] -= amount;
        owedOf[borrower] -= amount;
        uint256 whole = 10_000 + feeRateOf[borrower];
        _issues[_lastIssueOf[borrower]].amount = (owedOf[borrower] * 10_000 + whole - 1) / whole;
        if (!isWrittenOff[borrower]) return;
        writtenOff -= amount;
        if (owedOf[borrower] == 0) isWrittenOff[borrower] = false;
    }

    uint256 public writtenOff;
    mapping(address => bool) public isWrittenOff;

    function recordWriteOff(address borrower) external {
        writtenOff += owedOf[borrower];
        isWrittenOff[borrower] = true;
    }

    uint256 public passes;
    /// @dev Whom each account was passed on to first, where the pool is over tokens.
    mapping(address => address) public heirOf;
    /// @dev What was sent to the inlet of an account, in the token's smallest unit.
    mapping(address => uint256) public sentTo;

    function recordHeir(address from, address to) external {
        if (heirOf[from] == address(0)) heirOf[from] = to;
    }

    function recordSent(address to, uint256 value) external {
        sentTo[to] += value;
    }

    /// @dev Each sweep credits what is whole of it, once, to who has the account now.
    function recordSweep(address of_, uint256 quantum) external returns (address holder) {
        for (holder = of_; heirOf[holder] != address(0); holder = heirOf[holder]) {}
        uint256 amount = sentTo[of_] / quantum;
        sentTo[of_] %= quantum;
        deposited += amount;
        balanceOf[holder] += amount;
    }

    function recordPass(address from, address to) external {
        ++passes;
        balanceOf[to] += balanceOf[from];
        (owedOf[to], isWrittenOff[to]) = (owedOf[from], isWrittenOff[from]);
        (lastOwedOf[to], _lastIssueOf[to]) = (lastOwedOf[from], _lastIssueOf[from]);
        feeRateOf[to] = feeRateOf[from];
        if (ownLimitOf[from] != 0) (ownLimitOf[to], ownLimitOf[from]) = (ownLimitOf[from], 0);
        (balanceOf[from], owedOf[from], isWrittenOff[from]) = (0, 0, false);
    }

    // Loans

    struct Issue {
        uint256 timestamp;
        uint256 amount;
    }

    Issue[] internal _issues;
    mapping(address => uint256) internal _lastIssueOf;
    bool public paused;
    uint256 public movedInPause;
    uint256 public issuedWhileOwing;
    uint256 public issuedOverTheCap;
    uint256 public debtGrewWithoutIssue;

    function issues() external view returns (uint256) {
        return _issues.length;
    }

    function recordPause(bool paused_) external {
        paused = paused_;
    }

    struct Shown {
        uint256 principal;
        uint256 fee;
        uint256 term;
    }

    /// @dev The terms in force, as the owner has set them.
    uint256 public principal;
    uint256 public cap;
    uint256 public term;
    uint256 public feeRate;
    uint256 public ceiling;
    /// @dev As the creditor has set them; zero for none.
    mapping(address => uint256) public ownLimitOf;
    uint256 public issuedOverALimit;
    /// @dev What each phone was shown last.
    mapping(uint256 phone => Shown) public shownTo;

    function recordTerms(uint256 principal_, uint256 cap_, uint256 term_, uint256 feeRate_) external {
        (principal, cap, term, feeRate) = (principal_, cap_, term_, feeRate_);
    }

    function recordCeiling(uint256 ceiling_) external {
        ceiling = ceiling_;
    }

    function recordLimit(address borrower, uint256 limit) external {
        ownLimitOf[borrower] = limit;
    }

    function limitOf(address borrower) public view returns (uint256) {
        uint256 most = ceiling < principal ? principal : ceiling;
        uint256 own = ownLimitOf[borrower];
        if (own == 0) return principal;
        return own < most ? own : most;
    }

    function feeOf(uint256 amount) public view returns (uint256) {
        return amount * feeRate / 10_000;
    }

    function recordShown(uint256 phone, uint256 amount) external {
        shownTo[phone] = Shown(amount, feeOf(amount), term);
    }

    /// @dev A loan on the terms in force.
    function recordIssue(address borrower, uint256 amount) external {
        if (paused) ++movedInPause;
        if (owedOf[borrower] != 0) ++issuedWhileOwing;
        if (amount > limitOf(borrower)) ++issuedOverALimit;
        issued += amount;
        charged += feeOf(amount);
        balanceOf[borrower] += amount;
        owedOf[borrower] = lastOwedOf[borrower] = amount + feeOf(amount);
        feeRateOf[borrower] = feeRate;
        _lastIssueOf[borrower] = _issues.length;
        _issues.push(Issue(timestamp, amount));
        if (issuedWithin24Hours() > cap) ++issuedOverTheCap;
    }

    function recordGrownDebt() external {
        ++debtGrewWithoutIssue;
    }

    function issuedWithin24Hours() public view returns (uint256) {
        return _sumSince(_issues, timestamp - 24 hours);
    }

    /// @dev As the cap counts: from the start of the hour 24 hours ago.
    function issuedInTheCapsDay() external view returns (uint256) {
        return _sumSince(_issues, (timestamp / 1 hours - 24) * 1 hours);
    }

    function _sumSince(Issue[] storage flows, uint256 time) private view returns (uint256 sum) {
        for (uint256 i = flows.length; i > 0 && flows[i - 1].timestamp >= time; --i) {
            sum += flows[i - 1].amount;
        }
    }

    // Requests

    SignedRequest[] internal _signed;
    bytes22[] internal _intents;
    address[] internal _lastSigners;
    bytes22[] internal _lastIntents;
    mapping(address signer => mapping(bytes22 => uint256)) public lastExecutedAt;
    mapping(bytes32 => bool) internal _hasExecuted;
    uint256 public executedWithinWindow;
    uint256 public executedTwice;
    uint256 public executions;
    mapping(address signer => uint256) public successesOf;
    uint256 public successes;

    function keep(SignedRequest memory signed) external {
        _signed.push(signed);
    }

    function signedCount() external view returns (uint256) {
        return _signed.length;
    }

    function signedAt(uint256 index) external view returns (SignedRequest memory) {
        return _signed[index];
    }

    function intents() external view returns (bytes22[] memory) {
        return _intents;
    }

    function recordIntent(bytes22 intentId) external {
        _intents.push(intentId);
    }

    /// @dev What the last batch executed.
    function lastExecuted() external view returns (address[] memory signers, bytes22[] memory intents_) {
        return (_lastSigners, _lastIntents);
    }

    function recordBatch() external {
        delete _lastSigners;
        delete _lastIntents;
    }

    function recordExecution(SignedRequest memory signed, bool succeeded) external {
        ++executions;
        _lastSigners.push(signed.request.from);
        _lastIntents.push(signed.request.intentId);
        if (succeeded) {
            ++successes;
            ++successesOf[signed.request.from];
        }
        mapping(bytes22 => uint256) storage last_ = lastExecutedAt[signed.request.from];
        bytes22 intentId = signed.request.intentId;
        uint256 last = last_[intentId];
        if (last != 0 && timestamp < last + 7 days) ++executedWithinWindow;
        last_[intentId] = timestamp;
        bytes32 id = keccak256(abi.encode(signed));
        if (_hasExecuted[id]) ++executedTwice;
        _hasExecuted[id] = true;
    }
}
