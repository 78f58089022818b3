import type { Address, Hex } from 'viem'
import { poolRules } from '../../chain/chains.ts'
import type { SendVerdict } from '../../chain/verdicts.ts'
import type { PaymentKind } from '../../loan/kinds.ts'
import type { BookedLoan, LoanLog, LoanSums } from '../../loan/loan-book.ts'
import type { SignedRequest } from '../forwarder/requests.ts'
import type { ObstacleKind, RefusalOf } from '../refusal.ts'
import type { KeptRows } from './backup/kept-rows.ts'
import type { ObservationReport, Observations, readingTurns } from './observations.ts'
import type { Row, reminderKinds, smsParties, tillKinds } from './rows.ts'
import { type OpenPhase, openPhases, type PaymentState, phaseRules } from './transitions.ts'

export type { PaymentState } from './transitions.ts'

/**
 * Records for one deployment how sessions were decided, which payments each nonce carries, and each
 * transaction's bytes before they are sent. Each method is one atomic step by the ledger's clock. A
 * second or late call of it changes nothing. STORAGE.md tells what a row promises.
 */
export type Ledger = SessionLedger & PaymentLedger & NonceLedger & ChainLedger & OperatorLedger

export type SessionLedger = {
  /** Adopts this identity, or refuses one that the ledger must not continue with. */
  identify(identity: Identity, counted?: GatewayCounts): Promise<Identified>
  /** Returns the account that a number had in its former form, if the ledger has one. */
  findFormerAccount(account: Address): Promise<Address | undefined>
  /** Records accounts of former number forms, and adopts another table of forms. */
  renumber(renumbering: Renumbering): Promise<Renumbered>
  /** Returns a session's decision, or the account's open work. */
  lookup(stepKey: StepKey): Promise<Decided | Undecided>
  /** Stores the first value under a name, and returns it: redeliveries show the same. */
  saveFirstValue(showing: FirstValue): Promise<Shown | Decided>
  /** Returns the value that a step stored under this name, if any. */
  readFirstValue(stepKey: StepKey, name: string): Promise<string | undefined>
  /**
   * Stores when a paying answer first arrived. Returns how many minutes ago the account made an
   * equal call, if one is given and was made lately, and stores that too.
   */
  recordEqualAge(stepKey: StepKey, call: PaymentCall | undefined): Promise<number | undefined>
  /** Tells why a payment of the account would be refused, as far as the ledger knows. */
  findKnownRefusal(
    account: Address,
    limits: DayLimits,
    payment: Pick<Order, 'kind' | 'spendsWei'>,
  ): Promise<DayLimitRefusal | RefusalOf<'paused' | 'held'> | undefined>
  /** Returns the till of a number; undefined if no account has it now. */
  findTill(number: string): Promise<Till | undefined>
  /** Returns what an account with a till received, the newest first; undefined if it has none. */
  listTakings(account: Address, limit: number): Promise<Takings | undefined>
  /** Returns the withdrawals of a code at an account's till, the newest first. */
  findWithdrawals(account: Address, code: string): Promise<Withdrawal[]>
  /**
   * Records, once, that a session of the till's account paid out a withdrawal that is done; returns
   * it as it is then, or undefined if the account has no such withdrawal.
   */
  payOut(account: Address, intentId: Hex, session: string): Promise<Withdrawal | undefined>
  /** Records in the audit that a session changes a wallet, with the message that tells of it. */
  recordWalletChange(change: WalletChange): Promise<void>
  /** Judges a rate that the feed offers by the last accepted ones, and keeps the verdict. */
  judgeRate(offered: OfferedRate): Promise<'accepted' | 'refused'>
  /**
   * Closes a session without a payment: its screen is final, and no other step can pay. Where rows
   * may have been lost, a screen that says that nothing was sent closes nothing.
   */
  refuse(refusal: SessionRefusal): Promise<Decided | Refused>
  /** Judges offers and finds a nonce for those that may begin; changes nothing. */
  propose(offers: readonly PaymentOffer[]): Promise<Proposal>
  /**
   * Records the payments that may begin, each judged after those before it. The transaction carries
   * exactly these; without one they are queued. `changed`: other payments may begin now, or the
   * nonce is not free, and nothing was written.
   */
  record(
    offers: readonly PaymentOffer[],
    transaction?: CarryingTransaction,
  ): Promise<{ kind: 'recorded'; decisions: OfferDecision[] } | { kind: 'changed' }>
  /** Records a session whose intent the chain has already spent: the ledger lost its rows. */
  adopt(adoption: Adoption): Promise<Decided | { kind: 'adopted' }>
}

export type PaymentLedger = {
  /** Returns all unsettled work, for a round. */
  readWork(identity?: Identity): Promise<Work>
  findPayment(session: string): Promise<Payment | undefined>
  /** Returns an account's last payments, the newest first. */
  listPayments(account: Address, limit: number): Promise<Payment[]>
  /** Records that another transaction spent a queued payment's intent; it has this signature. */
  settle(session: string, signature: Hex, execution: IntentExecution): Promise<Transition[]>
  /** Makes the outcome in this block final. */
  confirm(session: string, blockHash: Hex): Promise<Transition[]>
  /**
   * Expires an unspent payment whose deadline is before `seconds`, unless lost rows may execute it.
   * Its nonce no longer carries it.
   */
  expire(session: string, seconds: number): Promise<Transition[]>
  /** Ends a queued payment that may not be sent, if no bytes that carry it have ever left. */
  endUnsent(session: string, reason: string): Promise<Transition[]>
  /** Takes due messages, each for one taker, and tells when the next is due (Unix time in ms). */
  takeSms(limit: number): Promise<{ taken: DueSms[]; next: number | undefined }>
  recordSmsFate(name: SmsName, fate: SmsFate): Promise<void>
  /** Lists the accounts whose loan is due for a check. */
  listDueReminders(limit: number): Promise<Address[]>
  /** Takes a reminder that is due by the loan's state on the chain; only one taker gets it. */
  takeReminder(debt: LoanDebt): Promise<DueReminder | undefined>
  recordReminderFate(reminder: DueReminder, fate: SmsFate): Promise<void>
}

export type NonceLedger = {
  /** Returns the hashes of all transactions signed for the nonces in use and for the last ones. */
  listSigned(): Promise<SignedNonce[]>
  /** Returns the slot of a nonce if it may carry these queued payments; none close a gap. */
  findSlot(filling: NonceFill): Promise<Slot | undefined>
  /** Records the transaction for a nonce if that may still carry these payments. */
  fill(
    filling: NonceFill & { replacedHash: Hex | undefined; transaction: SignedTransaction },
  ): Promise<Filled>
  /** Records a transaction that replaces the named one of a nonce, with the same requests. */
  replace(replacement: Replacement): Promise<Filled>
  /**
   * Decides in the last step before bytes leave. If they may not, and never left, they are deleted
   * and their payments are queued again. Else they count as sent.
   */
  beginSend(first: FirstSend): Promise<SendBegun>
  /**
   * Records that a transaction was sent, and the node's verdict. If its price is too low, the known
   * gas price is forgotten.
   */
  recordSend(hash: Hex, verdict: SendVerdict): Promise<void>
  /** Records the block of a nonce and what it did for each of its payments. */
  recordMined(report: MinedReport): Promise<Transition[]>
  /**
   * Marks an open nonce as foreign, because an unknown transaction has it, and queues its payments
   * again. Returns undefined if the nonce is not open any more.
   */
  recordDisplaced(nonce: number): Promise<Transition[] | undefined>
  /** Gives up an open nonce too far ahead of the chain, and queues its payments again. */
  abandon(nonce: number): Promise<Transition[] | undefined>
}

export type ChainLedger = {
  recordObservations(report: ObservationReport): Promise<void>
  /** Returns the blocks above this height that hold our transactions, the highest first. */
  listBlocks(above: number): Promise<BlockId[]>
  /** Reopens the nonces and payments of a block that has left the chain. */
  reopen(blockHash: Hex): Promise<Transition[]>
  /**
   * Records the followed blocks, the head first, the node's count, and the time of the block that
   * makes outcomes final. Without blocks, records that the chain is behind the last head.
   */
  recordHead(
    followedBlocks: readonly FollowedBlock[] | undefined,
    reportedNonce?: number,
    finalSeconds?: number,
  ): Promise<void>
  /** Records facts that change slowly; the chain's count only if `head` is still the last one. */
  recordAccountState(head: Hex, accountState: AccountState, reading?: FactReading): Promise<void>
}

export type OperatorLedger = {
  /** Returns the state for operators. With `probes` it writes a row, to prove that it can. */
  readVitals(asked?: {
    identity?: Identity
    probes?: boolean
    /** Counts what gateways delivered since the asker's last report. */
    counted?: GatewayCounts | undefined
  }): Promise<Vitals>
  /** Sets whether new payments are accepted; a drain may name the next account secret. */
  setIntake(kind: IntakeSetting, id: string, nextAccountKey?: string): Promise<Intake>
  /** Records an operator's action once per id. An entry never holds a phone number. */
  recordAction(entry: Omit<AuditEntry, 'at'>): Promise<void>
  /** Returns operators' actions, the newest first. */
  listAudit(limit: number): Promise<AuditEntry[]>
  /** Holds or releases an account, and records the action: a held one begins no payment. */
  setHold(account: Address, isHeld: boolean, id: string): Promise<AccountStanding>
  /** Assigns or removes a till number, records the action, and returns the till. */
  setTill(change: TillChange): Promise<Till | undefined>
  /** Accepts a price for the kept currency, and records the action; undefined if none is kept. */
  acceptRate(id: string, micros: bigint): Promise<KnownRate | undefined>
  /** Returns all tills, the oldest first. */
  listTills(): Promise<Till[]>
  /** Returns the account's state, and its last loan of a contract, for who supports its caller. */
  readStanding(account: Address, contract?: Address): Promise<AccountStanding>
  /** Returns a page of all that is stored about an account, full payments first. */
  readPerson(query: PersonQuery): Promise<PersonPage>
  /** Deletes what is stored about an account, but for what protects money, and counts both. */
  erase(erasing: ErasureRequest): Promise<Erased>
  /** Returns a page of what only operators know: audit, holds, tills and kept accounts. */
  exportKept(position: PagePosition): Promise<KeptPage>
  /** Adds what is missing of it and records the action, unless payments are accepted. */
  importKept(id: string, kept: KeptRows): Promise<KeptImport>
  /** Returns how a session was decided; undefined if it was not, or its rows have been deleted. */
  traceSession(session: string): Promise<SessionTrace | undefined>
  /** Returns up to which block a loan contract's events were read, and the sums up to there. */
  readLoanBook(contract: Address): Promise<LoanBook>
  /** Records the events of the blocks that follow; ignores those of any other blocks. */
  bookLoans(booking: LoanBooking): Promise<LoanBook>
  /** Returns a contract's loans, by due date. */
  listLoans(query: LoanQuery): Promise<BookedLoan[]>
  /** Returns the last cleared alerts, the latest first. */
  listPastAlerts(): Promise<ActiveAlert[]>
  /**
   * Raises alerts for new findings, and clears those not found any more. With `mustNotify` it
   * stores a notice of each for delivery.
   */
  recordAlerts(found: readonly Finding[], options: { mustNotify: boolean }): Promise<AlertChange>
  /** Takes due notices; each is due again later, until {@link OperatorLedger.deleteNotice}. */
  takeNotices(limit: number): Promise<AlertNotice[]>
  /** Deletes a delivered notice. */
  deleteNotice(id: string): Promise<void>
  /**
   * Returns the payments to which a clue leads, the newest first: the account that they pay, a
   * payment's code, or at least as much of a hash as screens show.
   */
  findPayments(clue: string, limit: number): Promise<PaymentRecord[]>
  /** Returns the payments that match a query, the newest first. */
  readPage(query: PaymentQuery): Promise<PaymentPage>
  tracePayment(intentId: Hex): Promise<PaymentTrace | undefined>
  /** Deletes payments settled for longer than the retention time, then their sessions. */
  prune(): Promise<void>
}

/** Names the state to set rows back to: a time of the last 30 days (Unix, in ms) or a bookmark. */
export type SetBack = { time: number } | { bookmark: string }

/** Tells whether rows are set back; `undo` is the bookmark that reverts it. */
export type SetBackAnswer = { kind: 'set_back'; undo: string } | { kind: 'refused'; reason: string }

export type LedgerRules = {
  /** Limits the nonces in use at a time, counted from the chain's next nonce. */
  maxInFlight: number
  /** Sets for how many blocks a settled payment is watched. */
  watchBlocks: number
  /** Limits the age of facts that change slowly. */
  accountStateMs: number
  /** Sets how long a nonce stays unused that a foreign transaction has. */
  displacedMs: number
  /** Limits the transactions that carry a payment without effect; then it only waits to expire. */
  maxAttempts: number
  /** Sets how long a session's answer is stored: at least the forwarder's 7 days. */
  retentionMs: number
  /** Sets how long a finding must be gone before its alert is cleared. */
  alertEndMs: number
  /** Sets how long a settled payment's outcome is kept; longer than its row. */
  historyMs: number
}

export const ledgerRules = {
  // RSKj's pool drops a transaction after 650 s: by then unknown ones are in a block or gone.
  displacedMs: 15 * 60 * 1000,
  maxAttempts: 8,
  // The forwarder refuses a spent id for 7 days; a day more covers clocks and pauses.
  retentionMs: 8 * 24 * 60 * 60 * 1000,
  historyMs: 90 * 24 * 60 * 60 * 1000,
  alertEndMs: poolRules.rootstock.alertEndMs,
} as const

/**
 * Identifies the deployment that rows belong to, by the variables of its environment: fingerprints
 * of secrets, and addresses. The relayer's key and the forwarder may change while nothing is open;
 * the account secret only to one that a drain has named.
 */
export type Identity = { chainId: number; fingerprints: Readonly<Record<string, string>> }

/** Lists the variables that may change while nothing is open. */
export const movableIdentity: readonly string[] = ['FORWARDER_ADDRESS', 'RELAYER_MNEMONIC']

/** Maps accounts to those of numbers' former forms; the last call has `kept`, the total. */
export type Renumbering = {
  id: string
  numbering: string
  accounts: readonly (readonly [present: Address, former: Address])[]
  kept?: number | undefined
}

export type Renumbered =
  /** `refused` lists accounts that have paid, or have another former account already. */
  | { kind: 'renumbered'; refused: Address[] }
  /** Means that the ledger uses this table now, and has to be paused first. */
  | { kind: 'serving' }

export type Identified = { kind: 'same' } | { kind: 'different'; names: string[] }

/** Identifies a step of a session by its account and digests of session and input, not by words. */
export type StepKey = { session: string; input: string; account: Address }

/** Holds a named value in JSON, with neither typed text nor a phone number. */
export type FirstValue = StepKey & { name: string; value: string }

export type Shown = { kind: 'shown'; value: string }

/** Names the first value of a step that asked for a payment's last answer. */
export const askedName = 'asked'

/** Holds what a caller is shown, by any gateway. After `ask` the session continues. */
export type Screen = { kind: 'ask' | 'end'; lines: readonly string[] }

/** Tells how a session was decided, as far as one step may know. */
export type Decided =
  /**
   * Has the answer of this very step, and how long ago it was decided. If `paid` is set, the chain
   * executed another request than the screen says.
   */
  | { kind: 'answered'; screen: Screen; ageMs: number; paid?: Paid | undefined }
  /** Has the answer of this very step, whose payment has failed since. */
  | { kind: 'failed'; screen: Screen }
  /** Means that another step has paid, or that the ledger lost the answer. */
  | { kind: 'ended' }
  /** Means that another step was refused: the session has paid nothing, and never will. */
  | { kind: 'closed' }

/** Holds the call that the chain executed for a session, and its transaction. */
export type Paid = { data: Hex; hash: Hex }

/** Limits an account's open payments: a new one is simulated after all of them. */
export const maxOpenPayments = 16

export type Undecided = {
  kind: 'undecided'
  /** Lists payments without a known outcome, the oldest first, at most {@link maxOpenPayments}. */
  open: SignedRequest[]
  /** Lists those executed a moment ago, the oldest first: a node may not know them yet. */
  executed: SignedRequest[]
  /** Counts the account's payments. An offer repeats it, to show on which state it is based. */
  version: number
  usage: Usage
  /** Is set if the account has a till: other limits may apply. */
  isAgent?: true
  /** Is set if lost rows may hold a payment: a refusal has to tell whether its intent is spent. */
  isDoubtful?: true
  /** Holds what is known of the chain; `now` is the ledger's time, to compare clocks. */
  observations: Observations
  now: number
}

/** Counts open payments: `accountOpenCount` those of one account, the others those of all. */
export type Usage = {
  accountOpenCount: number
  /** Counts payments with a nonce whose transactions are in no block. */
  carried: number
  /** Counts payments that wait for a nonce. */
  waiting: number
}

/** Limits the open payments of an account and of all, and those that wait, the new one included. */
export type Capacity = { accountOpenCount: number; open: number; waiting: number }

/** Limits what an account sends in 24 hours, in payments and in wei; undefined without a limit. */
export type DayLimits = { transfersADay: number | undefined; sentADayWei: bigint | undefined }

/** Refuses a payment beyond the limits of a day. Nothing has changed. */
export type DayLimitRefusal = RefusalOf<'too_many_today' | 'too_much_today'>

/** Asks to confirm a payment: an equal one was accepted this many minutes ago. */
export type Equal = { kind: 'equal'; minutes: number }

/** Names the step whose question a paying answer answers, and how long the question holds. */
export type AskedQuestion = { input: string; holdsMs: number }

/** Holds what is compared to find an equal payment. */
export type PaymentCall = Pick<SignedRequest, 'data'>

/** Refuses a payment, because it exceeds a limit of open payments. Nothing has changed. */
export type Full = { kind: 'full'; usage: Usage }

/** Holds the last obstacle: when it was met, logged, and ended (Unix times in ms). */
export type RecordedObstacle = {
  kind: ObstacleKind
  at: number
  toldAt: number
  endedAt?: number | undefined
}

export type EventCounts = Readonly<Record<string, number>>

/**
 * Describes the first nonce that is in no block, by its last transaction. `since` is when it began
 * to wait; `failures` counts the sends in a row that no node took.
 */
export type FirstOpenNonce = { nonce: number; since: number; gasPriceWei: string; failures: number }

/** Tells the state of a ledger, and of the chain as rounds saw it. Times are Unix times in ms. */
export type Vitals = {
  now: number
  schema: string
  /** Tells whether the ledger has the given identity; undefined if none was given. */
  identity: Identified | undefined
  observations: Observations
  intake: Intake
  /** Names rows that others name, and that are missing: payments wait until an operator resumes. */
  missing: readonly string[]
  /** Tells when an unknown transaction of the key showed that rows may be lost, for a day. */
  possibleLossAt: number | undefined
  alerts: readonly ActiveAlert[]
  /** Tells when the next alert notice is due; undefined if all were delivered. */
  nextNoticeAt: number | undefined
  /** Tells when a transaction was last seen in a block. */
  lastMinedAt: number | undefined
  /** Counts `<kind>.<event>`, `refused.<reason>` (`own`: ended without a payment) and gateways'. */
  counts: EventCounts
  /** Counts the same events of about the last hour, and of the day (UTC). */
  lately: Readonly<Record<'hour' | 'today', { since: number; counts: EventCounts }>>
  /** Counts what each gateway delivered in each of the last hours. */
  gateways: GatewayHours
  /** Tells when a bad request or a wrong secret was counted last, by `<gateway>/<event>`. */
  gatewayFaults: Readonly<Record<string, number>>
  obstacle: RecordedObstacle | undefined
  rate: KnownRate | undefined
  /** Tells when a caller was last refused whose number is in no numbering plan. */
  unlistedAt: number | undefined
  nextNonce: number
  /** Lists the last followed blocks, the latest first. */
  blocks: readonly FollowedBlock[]
  front: FirstOpenNonce | undefined
  /** Counts payments of nonces in use, as in {@link Usage}. */
  carried: number
  waiting: number
  /** Tells when the oldest payment of each open phase was accepted. */
  oldest: Readonly<Record<OpenPhase, number | undefined>>
}

/** Counts what each gateway delivered in each hour (Unix time in hours). */
export type GatewayHours = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Counts `<gateway>/<event>` since the serving process's last report. */
export type GatewayCounts = Readonly<Record<string, number>>

/**
 * Tells whether new payments are accepted; open ones continue. `since` is a Unix time in ms,
 * `nextAccountKey` the fingerprint of the account secret that may come next.
 */
export type Intake =
  | { kind: 'open' }
  | { kind: 'paused' | 'draining'; since: number; nextAccountKey?: string | undefined }

export type IntakeSetting = 'open' | 'paused' | 'draining'

/** Records an operator's action and its time (Unix time in ms). */
export type AuditEntry = {
  id: string
  at: number
  action: string
  detail: Readonly<Record<string, string>>
}

/** Holds an account's state for operators. Times are Unix times in ms. */
export type AccountStanding = {
  heldAt: number | undefined
  /** Lists the last refusals, the newest first, with the screens that are still stored. */
  refusals: { reason: string; at: number; screen: Screen | undefined }[]
  /** Counts its payments without a known outcome. */
  open: number
  /** Sums up what counts toward the limits of a day. */
  today: { transfers: number; sentWei: bigint }
  /** Holds its last loan, as far as the loan book was read. */
  loan: BookedLoan | undefined
}

/** Is the short number of an account that hands out cash, or takes payments with a reference. */
export type Till = { till: string; account: Address; name: string; kind: TillKind }

export type TillKind = (typeof tillKinds)[number]

/** Assigns a till number if it is free, or removes it if there is no `to`. */
export type TillChange = { id: string; till: string; to?: Omit<Till, 'till'> | undefined }

/** Offers the price of a coin in millionths; `isAgreed` if a second feed has the same. */
export type OfferedRate = {
  currency: string
  micros: bigint
  maxChangePercent: number
  isAgreed: boolean
}

/** Holds the price from which changes are counted, and since when offers are refused. */
export type KnownRate = {
  currency: string
  micros: string
  at: number
  refused?: { micros: string; at: number } | undefined
}

/** Describes a session's change of a wallet: it adds that of a code, or cancels a replacement. */
export type WalletChange = {
  /** Names the change; the message is sealed under this name in the place of a session. */
  id: string
  action: 'redeem-wallet' | 'cancel-wallet'
  account: Address
  wallet: Address
  /** Holds the message to the account's phone, sealed; undefined if none is sent. */
  sealed?: string | undefined
}

/** Sums up the day (UTC) of an account with a till: what it received for good, and sent. */
export type Takings = { inWei: bigint; outWei: bigint; last: Taking[] }

/** Describes a payment to an account with a till. */
export type Taking = {
  intentId: Hex
  amountWei: bigint
  state: PaymentState
  reference: string | undefined
  /** Tells when the agent said that its cash was paid out, and in which session. */
  paidOut?: { at: number; by: string } | undefined
}

/** Describes a withdrawal of cash at a till. */
export type Withdrawal = Omit<Taking, 'reference'>

/** Tells where a page begins: at a score (`from`) of the list with the index `part`. */
export type PagePosition = { part: number; from: number }

/** Holds a page of what only operators know; `next` is undefined on the last one. */
export type KeptPage = KeptRows & { next: PagePosition | undefined }

/** Counts the rows that were missing, and lists tills and accounts that this ledger refuses. */
export type KeptImport = { kind: 'imported'; added: number; refused: string[] } | { kind: 'open' }

/** Asks for all that is stored about an account, and its loan of a contract. */
export type PersonQuery = { account: Address; contract: Address; position: PagePosition }

/** Holds a page of what is stored about an account; `next` is undefined on the last one. */
export type PersonPage = {
  payments: PaymentTrace[]
  /** Lists payments that were settled longer ago. */
  archived: PaymentRecord[]
  /** Lists sessions without a payment. */
  sessions: SessionTrace[]
  audit: AuditEntry[]
  /** Lists what the account's payments of bills were for. */
  references: { intentId: Hex; reference: string }[]
  tills: Till[]
  loan: BookedLoan | undefined
  next: PagePosition | undefined
}

/** Asks to erase an account. The search of past payments begins at `from`. */
export type ErasureRequest = { id: string; account: Address; contract: Address; from: number }

/** Counts what one step deleted, and what stays. If `next` is set, another step begins there. */
export type Erased = {
  gone: Record<'archived' | 'messages' | 'refusals' | 'loans', number>
  kept: Record<'payments' | 'open' | 'loans' | 'holds', number> & {
    /** Tells when the last of its sessions is deleted (Unix time in ms), if nothing is open. */
    until: number
  }
  next: number | undefined
}

/** Sums up a contract's loans; `next` is the first block that was not read. */
export type LoanBook = { next: number | undefined; sums: LoanSums }

/** Holds all events from block `from`, the book's `next`, up to the block before the new `next`. */
export type LoanBooking = {
  contract: Address
  from: number | undefined
  next: number
  logs: readonly LoanLog[]
}

export type LoanQuery = { contract: Address; state: BookedLoan['state']; limit: number }

/**
 * Tells how a session was decided: a payment has its intent, a refusal its reason. `ended` was
 * refused too, by a ledger whose lost rows may hold a payment of it.
 */
export type SessionTrace = {
  state: 'refused' | 'ended' | 'accepted'
  screen: Screen
  decidedAt: number
  intentId: Hex | undefined
  reason: string | undefined
}

/** Tells a person what is wrong, and how to mend it. */
export type Finding = { name: string; says: string }

/** Tells when an alert was raised, and since when it is not found any more (Unix times in ms). */
export type ActiveAlert = Finding & { raisedAt: number; calmSince?: number | undefined }

export type AlertChange = { raised: ActiveAlert[]; cleared: ActiveAlert[] }

/** Reports that an alert was raised or cleared. Each attempt to deliver it has the same id. */
export type AlertNotice = ActiveAlert & { id: string; kind: 'raised' | 'cleared'; at: number }

/** Holds a message's recipient and content, sealed for its session and party. */
export type HeldSms = { party: SmsParty; sealed: string }

export type SmsParty = (typeof smsParties)[number]

/** Names a message and the attempt to send it: the fate of an earlier attempt is ignored. */
export type SmsName = { session: string; party: SmsParty; attempts: number }

/** Holds a message whose payment has ended, with the outcome; or one that tells of a wallet. */
export type DueSms = SmsName & {
  sealed: string
  /** Is what the chain executed, if that is another call than the one that was accepted. */
  executed?: { data: Hex; isToOther: boolean } | undefined
  /** Names the change of a wallet that it tells of, if it tells of no payment. */
  intentId: string
  acceptedAt: number
  state: 'confirmed' | 'reverted' | 'expired'
  /** Tells why it failed; empty if it expired. */
  reason: string
}

/** Holds what an account owes on the chain, and until when (Unix time in s). */
export type LoanDebt = { account: Address; owedWei: bigint; dueAt: number }

/** Holds a loan reminder, with the borrower's sealed number. */
export type DueReminder = LoanDebt & { kind: (typeof reminderKinds)[number]; sealed: string }

/** Tells what became of a message; `later` and `untried` are due again. */
export type SmsFate = 'sent' | 'unknown' | 'refused' | 'known' | 'later' | 'untried'

/** Selects payments. Times are Unix times in ms. */
export type PaymentQuery = {
  state?: PaymentState | undefined
  kind?: PaymentKind | undefined
  outcome?: Execution['outcome'] | undefined
  intent?: Hex | undefined
  /** Selects by any transaction signed for them, even a replaced one. */
  hash?: Hex | undefined
  account?: string | undefined
  /** Selects archived payments, of which only the outcome is kept. */
  archived?: boolean
  /** Compares the acceptance time, or for settled payments the settlement time. */
  since?: number | undefined
  before?: number | undefined
  limit: number
}

/** Holds at most `limit` payments, maybe none; `next` is the time before which a page follows. */
export type PaymentPage = { payments: PaymentRecord[]; next: number | undefined }

/** Shows operators a payment. Wei are decimal digits. */
export type PaymentRecord = {
  intentId: Hex
  state: PaymentState
  kind: PaymentKind
  account: string
  /** Is the account or wallet that it pays; null if it pays nobody, or if that is deleted. */
  recipient: string | null
  /** Holds the digits that caller and agent compare; null for other payments. */
  code: string | null
  /** Tells when the agent said that the cash of a withdrawal was paid out. */
  paidOutAt: number | null
  spendsWei: string
  acceptedAt: number
  history: readonly (readonly [PaymentState, number])[]
  relayer: string | null
  nonce: number | null
  attempts: number
  hash: Hex | null
  block: number | null
  outcome: 'executed' | 'failed' | null
  reason: string | null
  /**
   * Gives the inner call's gas, and the deadline (Unix time in s); null if the request is deleted.
   */
  gas: number | null
  deadline: number | null
}

/** Adds the transactions of the payment's nonce, the highest price first. */
export type PaymentTrace = PaymentRecord & {
  /** Is its session's answer; null if that is deleted. */
  screen: Screen | null
  /** Lists the intents that its nonce carries, in the order of the batch. */
  batch: Hex[]
  /** Lists its messages that were not sent yet. */
  messages: Pick<Row<'sms'>, 'party' | 'state' | 'at' | 'attempts'>[]
  transactions: {
    hash: Hex
    nonce: number
    gasPriceWei: string
    recordedAt: number
    sentAt: number | null
    failures: number
  }[]
}

export type SessionRefusal = StepKey & {
  answerCount: number
  screen: Screen
  /** Names why a requested payment is refused (`unlisted`: the number is in no numbering plan). */
  reason?: string | undefined
  /** Names what stops the payments of all accounts; undefined if only this one is refused. */
  obstacle?: ObstacleKind | undefined
  observations?: ObservationReport | undefined
  traces?: Traces | undefined
}

/** Holds what the chain and a pool show of payments whose rows were lost. */
export type Traces = NextNonces & {
  /** Tells whether the session's intent is spent in a block; undefined if that is not known. */
  isSpent?: boolean | undefined
  /** Names that block's number. */
  block?: number | undefined
}

/** Counts the relayer's transactions in the chain's blocks, and with those of a node's pool. */
export type NextNonces = { chain: number; pool: number }

/** Tells whether a session is closed; `unsure`: it is not, as lost rows may have paid for it. */
export type Refused = ({ kind: 'refused' } | { kind: 'unsure' }) & {
  /** Asks to log the obstacle: it is new, or was logged over a minute ago. */
  isNews?: true
}

/** Offers a payment, with all that is needed to judge it. */
export type PaymentOffer = StepKey & {
  /** Counts the answers that the caller has given. */
  answerCount: number
  order: Order
  screens: Screens
  pace: Pace
  /** Counts the relayer's transactions in blocks, as read a moment ago. */
  chainNonce: number
  /** Counts also those in the pool: one may carry a payment whose rows were lost. */
  poolNonce: number
  gasPriceWei: bigint
  /** Repeats the account's `version`; if that is another now, the decision is `changed`. */
  version: number | undefined
  /** Limits open payments; beyond it the decision is {@link Full}. */
  capacity?: Capacity | undefined
  /** Limits a day; beyond it the decision is a {@link DayLimitRefusal}. */
  day?: DayLimits | undefined
  /** Asks for {@link Equal} if an equal payment was accepted a moment ago. */
  unlessEqual?: boolean
  /** Asks for the decision `late` if this question does not hold any more. */
  question?: AskedQuestion | undefined
  /** Reports what was read from the chain for it. */
  observations?: ObservationReport | undefined
  /** Identifies the relay that offers; if the ledger has another, the decision is `paused`. */
  identity?: Identity | undefined
  /** Gives what was left at a block; if it is too little, the decision is `none_left`. */
  lendable?: Lendable | undefined
}

/** Holds a recorded transaction that has to be sent now, and the payments that it carries. */
export type TransactionToSend = {
  nonce: number
  transaction: SignedTransaction
  /** Maps each session to its signed request. */
  requests: ReadonlyMap<string, SignedRequest>
  /** Is true if nothing was signed for the nonce before. */
  isFirst: boolean
}

/** Answers an offer. Of offers that share a transaction, one has `sending`. */
export type OfferAnswer = OfferDecision & { sending?: TransactionToSend | undefined }

/** Accepts a payment and makes it durable, or tells why it may not begin. */
export type AcceptPayment = (offer: PaymentOffer) => Promise<OfferAnswer>

/** Holds the screens of acceptance; each has a placeholder for what is not known yet. */
export type Screens = { carried: Screen; queued: Screen }

/** Stands in a queued payment's screen for the minutes that it waits. */
export const minutesPlaceholder = '####'

/** Tells how many payments a block is expected to take, and how often blocks come. */
export type Pace = { paymentsInBlock: number; blockMs: number }

/** Stands in a screen for the start of a transaction's hash. No other text contains it. */
export const hashPlaceholder = '0x##########'

/** Tells the decision on an offer. */
export type OfferDecision =
  | Decided
  /** Has the recorded screen. If `isCarried`, the transaction carries it; else it is queued. */
  | { kind: 'accepted'; screen: Screen; isCarried: boolean }
  | Full
  | DayLimitRefusal
  | Equal
  | RefusalOf<'none_left' | 'paused' | 'held'>
  /** Asks the question again: it was asked, or first answered, longer ago than it holds. */
  | { kind: 'late' }
  /** Asks to look the account up again, because its payments have changed. */
  | { kind: 'changed' }

/** Lists the indexes of offers that may begin, and their nonce; they are queued without one. */
export type Proposal = { slot: Slot | undefined; accepted: number[] }

/** Holds a transaction and the indexes of the offers that it carries, in this order. */
export type CarryingTransaction = SignedTransaction & { nonce: number; accepted: readonly number[] }

/** Gives what a payment takes of the pool, of the day's loan cap and of the withdrawal limit. */
export type ReservedAmounts = { poolWei: bigint; capWei: bigint; outWei?: bigint | undefined }

/** Gives what was left at a block, at least of the amounts that the payment takes. */
export type Lendable = ReservedAmounts & { block: number }

export type Slot = {
  nonce: number
  /** Holds the transaction with the highest price, which a new one replaces. */
  pending: SignedTransaction | undefined
}

/** Tells whether a transaction was recorded, or the nonce or a payment has changed before. */
export type Filled = { kind: 'recorded' } | { kind: 'changed' }

/** Holds what the caller signed, and what is recorded with it. */
export type Order = {
  request: SignedRequest
  kind: PaymentKind
  /** Is what leaves the account's balance; 0 for other calls. */
  spendsWei: bigint
  reserves?: ReservedAmounts | undefined
  /** Names the account with a till that receives it, the reference, and the payment's code. */
  till?: { account: Address; reference?: string | undefined; code?: string } | undefined
  /** Lists messages that are due once the outcome is final. */
  sms?: readonly HeldSms[] | undefined
  /** Holds the borrower's sealed number if loan reminders are sent. */
  reminder?: string | undefined
}

export type SignedTransaction = { hash: Hex; raw: Hex; gasPriceWei: bigint }

/** Names bytes that a process is about to send; `mayLeave` is false if they pay no wallet. */
export type FirstSend = { nonce: number; hash: Hex; mayLeave: boolean }

/** Tells whether bytes are to be sent. `withheld`: they never left, and are gone. */
export type SendBegun = { kind: 'begun' } | { kind: 'withheld'; moved: Transition[] }

export type SignedNonce = { hash: Hex; nonce: number }

export type BlockId = { number: number; hash: Hex }

/** Holds a followed block. Up to it, blocks hold our transactions of all nonces below `count`. */
export type FollowedBlock = BlockId & {
  count: number
  /** Unix time in seconds. */
  timestampSeconds?: number | undefined
  /** Gives the used share of its gas, from 0 to 1. */
  fullness?: number | undefined
  /** Counts the hashes that mined it; undefined if that is not proved or not needed. */
  difficulty?: Hex | undefined
  /** Counts the fewest hashes for which a block on top of it is believed. */
  floor?: Hex | undefined
}

/** Holds facts that change slowly. One that is missing is unknown or outdated. */
export type AccountState = {
  /** Is the relayer's next nonce after the blocks that rounds have followed. */
  chainNonce?: number
  /** Is the next nonce as a node last reported it, because others may have used the key. */
  reportedNonce?: number
  gasPriceWei?: bigint
  /** Gives the balance of the relayer's key. */
  balanceWei?: bigint
}

/** Names a fact that rounds read in turn. */
export type FactReading = (typeof readingTurns)[number]

/** Tells what the chain did with a request, and where. */
export type Execution = {
  outcome: 'executed' | 'failed'
  /** Says why it failed; empty when executed. */
  reason: string
  hash: Hex
  block: BlockId
}

export type Adoption = StepKey & {
  answerCount: number
  screen: Screen
  /** Is what the text asks for now. Amount and recipient are those of what was executed. */
  order: Order
  execution: IntentExecution
}

/** Asks to fill a nonce with queued payments, in this order; without any it closes a gap. */
export type NonceFill = { nonce: number; chainNonce: number; sessions: readonly string[] }

export type Replacement = { nonce: number; replacedHash: Hex; transaction: SignedTransaction }

/** Adds the signed request that was executed. After lost rows it may be another of the session. */
export type IntentExecution = Execution & { executed: SignedRequest }

/** Adds the signature of the payment's request, as it was when the execution was read. */
export type RequestExecution = IntentExecution & Pick<SignedRequest, 'signature'>

export type MinedReport = {
  nonce: number
  /** Lists the payments that it carried when read. If it carries others now, nothing is written. */
  sessions: readonly string[]
  hash: Hex
  block: BlockId
  /** Maps sessions to executions. A payment without one is queued again. */
  executions: Readonly<Record<string, RequestExecution>>
  /** Makes outcomes final if the block is above the last head; a round does that for others. */
  isFinal?: boolean
}

export type Payment = {
  session: string
  state: PaymentState
  order: Order
  nonce: number | undefined
  /** Counts the transactions that carried it without effect. */
  attempts: number
  execution: Execution | undefined
  /** Tells why it failed, if it did. */
  reason: string
  acceptedAt: number
}

export type Transition = {
  intentId: Hex
  kind: PaymentKind
  from: PaymentState | 'none'
  to: PaymentState
  hash: Hex | undefined
  reason: string
}

export type OpenNonce = {
  nonce: number
  /** Lists the payments that it carries, in the order of their requests. */
  sessions: readonly string[]
  /** Lists all transactions ever recorded for it, the highest price first. */
  transactions: (SignedTransaction & {
    recordedAt: number
    sentAt: number | undefined
    /** Counts the sends in a row that no node took. */
    failures: number
  })[]
}

export type Work = {
  now: number
  head: BlockId | undefined
  /** Lists blocks that follow each other by their parents' hashes, the head first. */
  followedBlocks: readonly FollowedBlock[]
  /** Holds facts at most {@link LedgerRules.accountStateMs} old; `nextReading` is read next. */
  accountState: AccountState
  nextReading: FactReading
  /** Tells since when the chain has been behind `head` (Unix time in ms). */
  behindSince: number | undefined
  nextNonce: number
  nonces: OpenNonce[]
  /** Lists payments that wait for a nonce, the oldest first. */
  queued: Payment[]
  /** Lists payments that only wait for their deadline, the oldest first. */
  stuck: Payment[]
  carried: Payment[]
  /** Lists payments in a block that are not final. */
  mined: Payment[]
  /**
   * Tells whether a recent block holds our transactions: it may still leave the chain. Is also true
   * once a final block may end the doubt of {@link Work.possibleLossAt}.
   */
  watching: boolean
  /**
   * Tells when rows may have been lost (Unix time in ms), until all that they may have signed has
   * expired. A payment accepted since may be executed by another request, signed before.
   */
  possibleLossAt?: number | undefined
  /** Names the values in which the given identity differs; undefined if none was given. */
  differences?: readonly string[] | undefined
}

type WorkList = (typeof phaseRules)[OpenPhase]['list']

/** Creates the lists of {@link Work}, one for each open phase. */
export const workLists = (
  paymentsIn: (phase: OpenPhase) => Payment[],
): Record<WorkList, Payment[]> =>
  Object.fromEntries(
    openPhases.map((phase) => [phaseRules[phase].list, paymentsIn(phase)]),
  ) as Record<WorkList, Payment[]>

/** Returns the payments of these phases, one phase after the other. */
export const listPayments = (work: Work, phases: readonly OpenPhase[] = openPhases): Payment[] =>
  phases.flatMap((phase) => work[phaseRules[phase].list])

export const isOpen = (work: Work): boolean =>
  work.nonces.length > 0 || listPayments(work).length > 0
