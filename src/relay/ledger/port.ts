import type { Address, Hex } from 'viem'
import { poolRules } from '../../chain/chains.ts'
import type { SendRefusal } from '../../chain/refusals.ts'
import type { PaymentKind } from '../../loan/kinds.ts'
import type { BookedLoan, LoanLog, LoanSums } from '../../loan/loan-book.ts'
import type { SignedRequest } from '../forwarder/requests.ts'
import type { ObstacleKind, RefusalOf } from '../refusal.ts'
import type { ExportEntry, ExportHead, ExportPage, ExportPlace } from './backup/export-format.ts'
import type { Observations, Seen, turns } from './observations.ts'
import type { Row, reminderKinds, smsParties, tillKinds } from './rows.ts'
import { type OpenPhase, openPhases, type PaymentState, phaseRules } from './transitions.ts'

export type { PaymentState } from './transitions.ts'

/**
 * Remembers for one deployment which sessions were decided and how, which nonce carries what, and
 * every transaction's bytes before they leave. Each method is one atomic step by the ledger's own
 * clock; called twice or too late, it changes nothing. STORAGE.md tells what a row promises.
 */
export type Ledger = SessionLedger &
  PaymentLedger &
  NonceLedger &
  ChainLedger &
  OperatorLedger &
  BackupLedger

export type SessionLedger = {
  /** Goes on with these secrets and this chain; refuses others than the ledger began with. */
  identify(identity: Identity, counted?: GatewayCounts): Promise<Identified>
  /** Returns the account of a number's former form by that of its present one, if one is kept. */
  formerAccount(account: Address): Promise<Address | undefined>
  /** Keeps accounts of former forms for their numbers, and goes on with another table of forms. */
  renumber(renumbering: Renumbering): Promise<Renumbered>
  /** Returns a session's decision, or else what its account has under way. */
  lookup(question: Question): Promise<Decided | Undecided>
  /** Keeps the first value that a question shows, so that later deliveries go by the same. */
  rememberFirst(showing: Showing): Promise<Shown | Decided>
  /** Returns what a question keeps under this name, if anything. */
  recall(question: Question, name: string): Promise<string | undefined>
  /** Returns how many minutes ago the account made an equal call, if lately, and keeps that. */
  findEqual(question: Question, call: PaymentCall): Promise<number | undefined>
  /** Tells why one more payment of the account would be refused, whatever the chain says. */
  knownRefusal(
    account: Address,
    limits: DayLimits,
    payment: Pick<Order, 'kind' | 'spendsWei'>,
  ): Promise<OverDay | RefusalOf<'paused' | 'held'> | undefined>
  /** Returns whose a till number is; undefined: nobody's now. */
  findTill(number: string): Promise<Till | undefined>
  /** Returns what came to an account with a till, the newest first; undefined: it has none. */
  listTakings(account: Address, limit: number): Promise<Takings | undefined>
  /** Closes a session without a payment: this screen stays, and no other question is paid. */
  refuse(refusal: Refusing): Promise<Decided | Refused>
  /** Judges offers and finds the nonce for the payments that may begin; changes nothing. */
  propose(offers: readonly PaymentOffer[]): Promise<Proposal>
  /**
   * Records requests, screens and the transaction that carries them (none: they are queued), each
   * judged as the one after those before it. `changed`: other payments may begin by now, or the
   * nonce is not free; nothing was written.
   */
  record(
    offers: readonly PaymentOffer[],
    transaction?: Carrying,
  ): Promise<{ kind: 'recorded'; verdicts: Verdict[] } | { kind: 'changed' }>
  /** Accepts a session whose intent the chain has already spent: the ledger lost its rows. */
  adopt(adoption: Adoption): Promise<Decided | { kind: 'adopted' }>
}

export type PaymentLedger = {
  /** Returns everything that is not settled, for a round. */
  readWork(identity?: Identity): Promise<Work>
  findPayment(session: string): Promise<Payment | undefined>
  /** Returns an account's last payments, the newest first. */
  listPayments(account: Address, limit: number): Promise<Payment[]>
  /** Queues a payment again whose nonce no longer carries it, since the row was lost. */
  requeue(session: string): Promise<Transition[]>
  /** Settles a queued payment, by its request's signature, by what else spent its intent. */
  settle(session: string, signature: Hex, execution: Execution): Promise<Transition[]>
  /** Makes the outcome in this block final. */
  confirm(session: string, blockHash: Hex): Promise<Transition[]>
  /** Ends an unspent payment whose deadline is before `seconds`. Its nonce is left to be filled. */
  expire(session: string, seconds: number): Promise<Transition[]>
  /** Takes due messages, and tells when the next is due (Unix time in ms); a taker sends once. */
  takeSms(limit: number): Promise<{ taken: DueSms[]; next: number | undefined }>
  noteSms(name: SmsName, fate: SmsFate): Promise<void>
  /** Lists the accounts whose loan is to be looked at for a reminder. */
  dueReminders(limit: number): Promise<Address[]>
  /** Takes a reminder that is due by what the chain says of a loan; a taker sends once. */
  takeReminder(debt: LoanDebt): Promise<DueReminder | undefined>
  noteReminder(reminder: DueReminder, fate: SmsFate): Promise<void>
}

export type NonceLedger = {
  /** Returns what was signed for the nonces in use and for the last ones, in any state. */
  listSigned(): Promise<SignedNonce[]>
  /** Returns a nonce that may carry queued payments, or close a gap (no sessions). */
  findSlot(filling: NonceFill): Promise<Slot | undefined>
  /** Records the transaction for such a nonce where it still may carry these payments. */
  fill(
    filling: NonceFill & { over: Hex | undefined; transaction: SignedTransaction },
  ): Promise<Filled>
  /** Records a transaction of the same requests for a nonce, over the one that is named. */
  replace(replacement: Replacement): Promise<Filled>
  /** Gives up nonces whose rows were lost and that the chain has passed. */
  release(chainNonce: number): Promise<void>
  /** Notes that the bytes went out and what the node said; a price too low is read again. */
  recordSend(hash: Hex, verdict: SendVerdict): Promise<void>
  /** Notes the block of a nonce and what became of each of its payments there. */
  recordMined(report: MinedReport): Promise<Transition[]>
  /** Marks a nonce as foreign: unknown bytes hold it. Its payments are queued again. */
  recordDisplaced(nonce: number): Promise<Transition[]>
  /** Takes back a nonce too far ahead of the chain. Its payments are queued again. */
  abandon(nonce: number): Promise<Transition[]>
}

export type ChainLedger = {
  recordObservations(version: Seen): Promise<void>
  /** Returns the blocks above this height that hold something of ours, the highest first. */
  listBlocks(above: number): Promise<BlockId[]>
  /** Takes back what a block had settled that is no longer in the chain. */
  reopen(blockHash: Hex): Promise<Transition[]>
  /** Notes the followed blocks, the head first, and the told count; undefined: the head is gone. */
  recordHead(
    followedBlocks: readonly FollowedBlock[] | undefined,
    toldCount?: number,
  ): Promise<void>
  /** Notes what changes slowly on the chain; counts only as of the last noted head. */
  recordMeans(head: Hex, means: Means, asked?: Turn): Promise<void>
}

export type OperatorLedger = {
  /** Returns what operators go by; with `probes` it writes a row to prove that it can. */
  readVitals(asked?: {
    identity?: Identity
    probes?: boolean
    /** Counts what came of gateways since the asker told of it last. */
    counted?: GatewayCounts | undefined
  }): Promise<Vitals>
  /** Sets whether new payments are taken; a drain may name the next account secret. */
  setIntake(kind: IntakeWish, id: string, nextAccountKey?: string): Promise<Intake>
  /** Records what an operator did, once for each id. Never holds a phone number. */
  recordAction(entry: Omit<AuditEntry, 'at'>): Promise<void>
  /** Returns what operators did, the newest first. */
  listAudit(limit: number): Promise<AuditEntry[]>
  /** Holds an account or lets it go, and records that once: while held it begins no payment. */
  setHold(account: Address, isHeld: boolean, id: string): Promise<AccountStanding>
  /** Gives a number to an account, or takes it away, and records that; returns whose it is. */
  setTill(change: TillChange): Promise<Till | undefined>
  /** Returns all tills, the oldest first. */
  listTills(): Promise<Till[]>
  /** Returns what a person who helps an account's caller asks. */
  readStanding(account: Address): Promise<AccountStanding>
  /** Returns a page of what there is of an account, payments that are kept in full first. */
  readPerson(query: PersonQuery): Promise<PersonPage>
  /** Forgets of an account what guards nothing, records that once, and tells what stays. */
  erase(erasing: Erasing): Promise<Erased>
  /** Returns how a session was decided; undefined: it was not, or longer ago than rows are kept. */
  traceSession(session: string): Promise<SessionTrace | undefined>
  /** Returns how far the events of a loan contract were read, and the sums until there. */
  readLoanBook(contract: Address): Promise<LoanBook>
  /** Notes the events of blocks that follow those; of any other it notes nothing. */
  bookLoans(booking: LoanBooking): Promise<LoanBook>
  /** Returns loans of a contract, those first that are due first. */
  listLoans(query: LoanQuery): Promise<BookedLoan[]>
  /** Returns the last alerts that were cleared, the latest first. */
  listPastAlerts(): Promise<ActiveAlert[]>
  /** Raises new findings and clears old ones; with `isTold` keeps a notice of each to deliver. */
  alert(found: readonly Finding[], told: { isTold: boolean }): Promise<AlertChange>
  /**
   * Takes due notices. They are due again later, until they are {@link OperatorLedger.endNotice}.
   */
  takeNotices(limit: number): Promise<AlertNotice[]>
  /** Ends a notice that was delivered. */
  endNotice(id: string): Promise<void>
  /** Returns the payments that match a query, the newest first. */
  readPage(query: PaymentQuery): Promise<PaymentPage>
  tracePayment(intentId: Hex): Promise<PaymentTrace | undefined>
  /** Forgets payments settled for longer than the retention time, then their sessions. */
  prune(): Promise<void>
}

export type BackupLedger = {
  /** Returns a page of what a restore needs. */
  exportPage(identity: Identity, place: ExportPlace): Promise<ExportPage>
  /** Begins a restore: until it ends, no session is decided and rounds do nothing. */
  beginRestore(restoring: Restoring): Promise<RestoreBegun>
  /** Adds what an export has and the ledger has not; changes nothing that is there. */
  restore(exportedAt: number, entries: readonly ExportEntry[]): Promise<RestoreAnswer>
  /** Ends a restore, and takes payments again if that was so before it. */
  endRestore(exportedAt: number): Promise<RestoreAnswer>
}

/** Names a time of the last 30 days (Unix time in ms), or a bookmark that was told. */
export type SetBack = { time: number } | { bookmark: string }

/** Tells whether rows are set back; `undo` is the bookmark that takes it back. */
export type SetBackAnswer = { kind: 'set_back'; undo: string } | { kind: 'refused'; reason: string }

export type LedgerRules = {
  /** Limits the nonces in use at a time, from the chain's count on. */
  maxInFlight: number
  /** Counts the blocks for which a settled payment stays watched. */
  watchBlocks: number
  /** Limits how long what changes slowly on the chain is taken as it was read. */
  meansMs: number
  /** Tells how long a nonce is left alone that holds foreign bytes. */
  displacedMs: number
  /** Limits transactions that carry a payment in vain before it is left to its deadline. */
  maxAttempts: number
  /** Tells how long a session stays answered; at least the forwarder's 7 days. */
  retentionMs: number
  /** Tells how long an alert has to be over until it is cleared. */
  calmMs: number
  /** Tells how long a settled payment's outcome is kept; longer than its own row. */
  historyMs: number
}

export const ledgerRules = {
  // RSKj's pool drops what has waited for 650 s: what is unknown is in a block by then, or gone.
  displacedMs: 15 * 60 * 1000,
  maxAttempts: 8,
  // The forwarder refuses a spent id for 7 days; a day more covers clocks and pauses.
  retentionMs: 8 * 24 * 60 * 60 * 1000,
  historyMs: 90 * 24 * 60 * 60 * 1000,
  calmMs: poolRules.rootstock.calmMs,
} as const

/**
 * Names the configuration of the rows by variable: fingerprints of secrets, the key's address. Key
 * and forwarder may change while nothing is open; the account secret only to one that a drain
 * names.
 */
export type Identity = { chainId: number; fingerprints: Readonly<Record<string, string>> }

/** Lists what may change while nothing is open. */
export const movableIdentity: readonly string[] = ['FORWARDER_ADDRESS', 'RELAYER_MNEMONIC']

/** Maps accounts of present to former forms; with `kept`, how many in all, it is in force. */
export type Renumbering = {
  id: string
  numbering: string
  accounts: readonly (readonly [present: Address, former: Address])[]
  kept?: number | undefined
}

export type Renumbered =
  /** Lists accounts that have paid, or are kept for another account. */
  | { kind: 'renumbered'; refused: Address[] }
  /** The ledger serves with this table: it has to be paused first. */
  | { kind: 'serving' }

export type Identified = { kind: 'same' } | { kind: 'different'; names: string[] }

/** Names a question by keyed digests of session and input, never the words, and its account. */
export type Question = { session: string; input: string; account: Address }

/** Names a fact. `value` is JSON, and holds neither what was typed nor a phone number. */
export type Showing = Question & { name: string; value: string }

export type Shown = { kind: 'shown'; value: string }

/** Holds what a caller is shown, on any gateway. With `ask` the session goes on. */
export type Screen = { kind: 'ask' | 'end'; lines: readonly string[] }

/** Tells what stands in the way of another answer. */
export type Decided =
  /** A restore may still tell of the session: ask again. */
  | { kind: 'pending' }
  /** This very question has this answer. */
  | { kind: 'answered'; screen: Screen }
  /** This very question was answered so, and its payment has failed since. */
  | { kind: 'failed'; screen: Screen }
  /** Another question has paid, or the ledger lost the answer. */
  | { kind: 'ended' }
  /** Another question was refused: the session has paid nothing, and never will. */
  | { kind: 'closed' }

/** Limits the open payments that a new one is checked against. With more, an account waits. */
export const maxOpen = 16

export type Undecided = {
  kind: 'undecided'
  /** Lists payments without a known outcome, the oldest first, at most {@link maxOpen}. */
  open: SignedRequest[]
  /** Lists those a block executed lately, the oldest first: a node may not know them yet. */
  executed: SignedRequest[]
  /** Counts the account's payments; an offer made on this view names it. */
  version: number
  usage: Usage
  /** Tells that the account has a till: other limits may be for it. */
  isAgent?: true
  /** Tells what is known of the chain; `now` is the ledger's time, to compare clocks by. */
  observations: Observations
  now: number
}

/** Counts what is open in the whole ledger, which one more payment waits behind. */
export type Usage = {
  ofAccount: number
  /** Counts payments of nonces in use, whose bytes no block has. */
  carried: number
  /** Counts payments that wait for a nonce. */
  waiting: number
}

/** Limits payments of the account, in all and waiting, the new one included. */
export type Capacity = { ofAccount: number; open: number; waiting: number }

/** Limits what an account sends in any 24 hours, in payments and in wei; undefined: not at all. */
export type DayLimits = { transfersADay: number | undefined; sentADayWei: bigint | undefined }

/** Refuses what is beyond the limits of a day. Nothing has changed. */
export type OverDay = RefusalOf<'too_many_today' | 'too_much_today'>

/** Asks whether another payment is meant: an equal one was accepted so many minutes ago. */
export type Equal = { kind: 'equal'; minutes: number }

/** Holds what two payments are equal by. */
export type PaymentCall = Pick<SignedRequest, 'data'>

/** Refuses a payment for want of room. Nothing has changed. */
export type Full = { kind: 'full'; usage: Usage }

/** Notes what payments were refused for last, when the log told it, and when it ended (ms). */
export type NotedObstacle = { kind: ObstacleKind; at: number; toldAt: number; endedAt?: number }

export type EventCounts = Readonly<Record<string, number>>

/**
 * Describes a nonce by its last bytes; `failures` of its offers no node has taken since one did.
 */
export type FrontNonce = { nonce: number; since: number; gasPriceWei: string; failures: number }

/** Tells the state of a ledger, and of the chain as rounds saw it. Times are Unix times in ms. */
export type Vitals = {
  now: number
  schema: string
  /** Undefined: no identity was asked about. */
  identity: Identified | undefined
  observations: Observations
  intake: Intake
  alerts: readonly ActiveAlert[]
  /** When the next notice of an alert is due; undefined where all were delivered. */
  untoldFrom: number | undefined
  /** When a transaction was last seen in a block. */
  lastMinedAt: number | undefined
  /** Counts `<kind>.<event>`, `refused.<reason>` (`own`: ended without a payment) and gateways'. */
  counts: EventCounts
  /** Counts the same since about an hour ago, and since the day (UTC) began. */
  lately: Readonly<Record<'hour' | 'today', { since: number; counts: EventCounts }>>
  /** Counts what each gateway delivered in each of the last hours. */
  gateways: GatewayHours
  /** Tells when a bad request or a wrong secret was counted last, by `<gateway>/<event>`. */
  gatewayFaults: Readonly<Record<string, number>>
  obstacle: NotedObstacle | undefined
  /** When a caller was last refused for a number that is in no numbering plan. */
  unlistedAt: number | undefined
  nextNonce: number
  /** Lists the last followed blocks, the latest first. */
  blocks: readonly FollowedBlock[]
  /** Tells of the first nonce that no block has; `since`: it was signed, or taken back. */
  front: FrontNonce | undefined
  /** Counts payments of nonces in use, as in {@link Usage}. */
  carried: number
  waiting: number
  /** When the oldest payment of each open phase was accepted. */
  oldest: Readonly<Record<OpenPhase, number | undefined>>
}

/** Counts what each gateway delivered in each hour (Unix time in hours). */
export type GatewayHours = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Counts `<gateway>/<event>` since the process that serves it told of it last. */
export type GatewayCounts = Readonly<Record<string, number>>

/**
 * Tells whether new payments are taken; what is open goes on. `since` is a Unix time in ms,
 * `nextAccountKey` the fingerprint of the account secret that may come next.
 */
export type Intake =
  | { kind: 'open' }
  | { kind: 'paused' | 'draining'; since: number; nextAccountKey?: string }
  /** From an export of this time. What is not decided waits: it may still be to come. */
  | { kind: 'restoring'; since: number; exportedAt: number; after: IntakeWish }

export type IntakeWish = 'open' | 'paused' | 'draining'

/** Begins a restore. `adds`: even if the ledger is newer than the export, or has something open. */
export type Restoring = { id: string; head: ExportHead; identity: Identity; adds: boolean }

export type RestoreBegun =
  /** It goes on where it had begun before. */
  | { kind: 'begun' }
  | { kind: 'other_schema'; schema: string }
  /** The export, or the ledger, has other values of these. */
  | { kind: 'other_ledger'; names: string[] }
  | { kind: 'other_restore' }
  | { kind: 'in_use'; isOpen: boolean; isNewer: boolean }

export type RestoreAnswer =
  /** Counts the entries that were added, and those for which the ledger's own were kept. */
  { kind: 'restored'; added: number; kept: number } | { kind: 'not_begun' }

/** Records what an operator did, and when (Unix time in ms). */
export type AuditEntry = {
  id: string
  at: number
  action: string
  detail: Readonly<Record<string, string>>
}

/** Tells how an account stands with the ledger. Times are Unix times in ms. */
export type AccountStanding = {
  heldAt: number | undefined
  /** Lists what was refused last, the newest first, with the screens that are still kept. */
  refusals: { reason: string; at: number; screen: Screen | undefined }[]
  /** Counts its payments without a known outcome. */
  open: number
  /** Tells what counts toward the limits of a day. */
  today: { transfers: number; sentWei: bigint }
}

/** Is the short number of an account that hands out cash, or takes payments with a reference. */
export type Till = { till: string; account: Address; name: string; kind: TillKind }

export type TillKind = (typeof tillKinds)[number]

/** Names to whom a number goes: only a free one does. Undefined: it is taken away. */
export type TillChange = { id: string; till: string; to?: Omit<Till, 'till'> | undefined }

/** Sums up the day (UTC) of an account with a till, as far as outcomes are final. */
export type Takings = { inWei: bigint; outWei: bigint; last: Taking[] }

/** Tells of a payment to an account with a till. */
export type Taking = {
  intentId: Hex
  amountWei: bigint
  state: PaymentState
  reference: string | undefined
}

/** Asks what there is of an account, and of its loan of a contract. */
export type PersonQuery = { account: Address; contract: Address; place: ExportPlace }

/** Holds a part of what there is of an account; `next` is undefined after the last one. */
export type PersonPage = {
  payments: PaymentTrace[]
  /** Lists payments that were settled longer ago. */
  archived: PaymentRecord[]
  /** Lists sessions without a payment. */
  sessions: SessionTrace[]
  audit: AuditEntry[]
  loan: BookedLoan | undefined
  next: ExportPlace | undefined
}

/** Asks to forget an account; `from` is where the search of past payments begins. */
export type Erasing = { id: string; account: Address; contract: Address; from: number }

/**
 * Counts what is gone by a step, and what stays; with `next`, more is to be searched from there.
 */
export type Erased = {
  gone: Record<'archived' | 'messages' | 'refusals' | 'loans', number>
  kept: Record<'payments' | 'open' | 'loans' | 'holds', number> & {
    /** Tells when the last of its sessions goes (Unix time in ms), where nothing is open. */
    until: number
  }
  next: number | undefined
}

/** Tells what is known of a contract's loans; `next` is the first block that was not read. */
export type LoanBook = { next: number | undefined; sums: LoanSums }

/** Holds all events of the blocks from the book's `next` to before this one's. */
export type LoanBooking = {
  contract: Address
  from: number | undefined
  next: number
  logs: readonly LoanLog[]
}

export type LoanQuery = { contract: Address; state: BookedLoan['state']; limit: number }

/** Tells how a session was decided; a payment's has its intent, a refused one its reason. */
export type SessionTrace = {
  state: 'refused' | 'accepted'
  screen: Screen
  decidedAt: number
  intentId: Hex | undefined
  reason: string | undefined
}

/** Tells a person what to look at, and what mends it. */
export type Finding = { name: string; says: string }

/** Tells since when an alert is raised, and since when not found any more (Unix times in ms). */
export type ActiveAlert = Finding & { raisedAt: number; calmSince?: number | undefined }

export type AlertChange = { raised: ActiveAlert[]; cleared: ActiveAlert[] }

/** Tells of an alert, and when (Unix time in ms). Each attempt has the same id. */
export type AlertNotice = ActiveAlert & { id: string; kind: 'raised' | 'cleared'; at: number }

/** Holds a message's recipient and content, sealed for its session and party. */
export type HeldSms = { party: SmsParty; sealed: string }

export type SmsParty = (typeof smsParties)[number]

/** Names a message and the attempt at it: a note of an earlier attempt changes nothing. */
export type SmsName = { session: string; party: SmsParty; attempts: number }

/** Holds a message whose payment has ended, and how. */
export type DueSms = SmsName & {
  sealed: string
  intentId: Hex
  acceptedAt: number
  state: 'confirmed' | 'reverted' | 'expired'
  /** Tells why it failed; empty where it came too late. */
  reason: string
}

/** Tells what an account owes on the chain, and until when (Unix time in s). */
export type LoanDebt = { account: Address; owedWei: bigint; dueAt: number }

/** Holds a reminder of a loan, with the borrower's number, sealed. */
export type DueReminder = LoanDebt & { kind: (typeof reminderKinds)[number]; sealed: string }

/** Tells what became of a message: `later` and `untried` are due again. */
export type SmsFate = 'sent' | 'unknown' | 'refused' | 'known' | 'later' | 'untried'

/** Selects payments. Times are Unix times in ms. */
export type PaymentQuery = {
  state?: PaymentState | undefined
  kind?: PaymentKind | undefined
  outcome?: Execution['outcome'] | undefined
  intent?: Hex | undefined
  /** Selects by any transaction that was signed for them, even one that was replaced. */
  hash?: Hex | undefined
  account?: string | undefined
  /** Selects those of which only what became of them is kept. */
  archived?: boolean
  /** Compares the time of acceptance, or of settlement where they are settled. */
  since?: number | undefined
  before?: number | undefined
  limit: number
}

/** Holds at most `limit` payments, even none; with `next`, a page follows before that time. */
export type PaymentPage = { payments: PaymentRecord[]; next: number | undefined }

/** Shows operators what a ledger has of a payment. Wei are decimal digits. */
export type PaymentRecord = {
  intentId: Hex
  state: PaymentState
  kind: PaymentKind
  account: string
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
  /** Gas of the inner call, and deadline (Unix time in s); null where the request is gone. */
  gas: number | null
  deadline: number | null
}

/** Adds what was signed for the nonce that carries it, the highest price first. */
export type PaymentTrace = PaymentRecord & {
  /** Is what its session was answered with; null where that is forgotten. */
  screen: Screen | null
  /** Lists the intents that its nonce carries, in the order of the batch. */
  batch: Hex[]
  /** Lists its messages that have not left yet. */
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

export type Refusing = Question & {
  answerCount: number
  screen: Screen
  /** Names why nothing is paid (`unlisted`: the number is in no numbering plan), if asked for. */
  reason?: string | undefined
  /** Undefined: the payment itself is to blame. */
  obstacle?: ObstacleKind | undefined
  recordObservations?: Seen | undefined
}

export type Refused = {
  kind: 'refused'
  /** Asks for a line in the log: the obstacle is another one, or was told a minute ago. */
  isNews?: true
}

/** Offers a payment that a session asks for, with all that it is judged by. */
export type PaymentOffer = Question & {
  /** Counts the answers that the caller had given. */
  answerCount: number
  order: Order
  screens: Screens
  pace: Pace
  /** Counts the relayer's transactions on the chain, as lately seen. */
  chainNonce: number
  /** Counts the pool's as well: unknown bytes there may be a payment whose rows were lost. */
  poolNonce: number
  gasPriceWei: bigint
  /** Names the account's view: on an older one the verdict is `changed`. Undefined: unchecked. */
  version: number | undefined
  /** Beyond it the verdict is {@link Full}. Undefined: unchecked. */
  capacity?: Capacity | undefined
  /** Beyond it the verdict is {@link OverDay}. Undefined: unchecked. */
  day?: DayLimits | undefined
  /** Asks for {@link Equal} where an equal payment was accepted a moment ago. */
  unlessEqual?: boolean
  /** Tells what was seen of the chain for it. */
  recordObservations?: Seen | undefined
  /** With another key or forwarder than the ledger's it is `paused`. Undefined: unchecked. */
  identity?: Identity | undefined
  /** Tells what could be lent at a block; too little is `none_left`. Undefined: unchecked. */
  lendable?: Lendable | undefined
}

/** Holds a recorded transaction that has to be sent, and the payments that it carries. */
export type Sending = {
  nonce: number
  transaction: SignedTransaction
  /** Maps each session to its signed request. */
  requests: ReadonlyMap<string, SignedRequest>
  /** Tells that nothing was signed for the nonce before. */
  isFirst: boolean
}

/** Answers an offer. `sending` goes to one of those whose payments share a transaction. */
export type OfferAnswer = Verdict & { sending?: Sending | undefined }

/** Accepts a payment and makes it durable, or tells why it may not begin. */
export type AcceptPayment = (offer: PaymentOffer) => Promise<OfferAnswer>

/**
 * Shows an accepted payment: carried, with {@link hashPlace}, or queued, with {@link minutesPlace}.
 */
export type Screens = { carried: Screen; queued: Screen }

/** Stands in the screen of a queued payment for about how many minutes it waits. */
export const minutesPlace = '####'

/** Tells how many payments a block takes, to be counted on, and how often blocks come. */
export type Pace = { paymentsInBlock: number; blockMs: number }

/** Stands in a screen for the start of a transaction's hash. No other text has it. */
export const hashPlace = '0x##########'

/** Tells what becomes of an offer. */
export type Verdict =
  | Decided
  /** Its screen is recorded; `isCarried`: in the transaction that was signed for it. */
  | { kind: 'accepted'; screen: Screen; isCarried: boolean }
  | Full
  | OverDay
  | Equal
  | RefusalOf<'none_left' | 'paused' | 'held'>
  /** The account has paid since it was looked at. */
  | { kind: 'changed' }

/** Lists the places of payments that may begin, and their nonce. Undefined: they are queued. */
export type Proposal = { slot: Slot | undefined; accepted: number[] }

/** A transaction that carries the payments of the offers in these places, in this order. */
export type Carrying = SignedTransaction & { nonce: number; accepted: readonly number[] }

/** Counts in wei what a payment takes of the pool, of the day's cap and of withdrawals. */
export type Shares = { poolWei: bigint; capWei: bigint; outWei?: bigint | undefined }

/** Tells what the chain had at a block, at least of what the payment takes. */
export type Lendable = Shares & { block: number }

export type Slot = {
  nonce: number
  /** The highest-priced bytes, which new ones have to outbid; `raw` undefined: they are lost. */
  prior: { hash: Hex; gasPriceWei: bigint; raw: Hex | undefined } | undefined
}

/** Tells whether bytes were recorded; `fenced`: the nonce or a payment is another's by now. */
export type Filled = { kind: 'recorded' } | { kind: 'fenced' }

/** Holds what the caller signed, and what is told of it. */
export type Order = {
  request: SignedRequest
  kind: PaymentKind
  /** What leaves the account's balance; 0 for what does not. */
  spendsWei: bigint
  reserves?: Shares | undefined
  /** Names the account with a till that it goes to, and what it is for. */
  till?: { account: Address; reference?: string | undefined } | undefined
  /** Messages that are due once its outcome is final. */
  sms?: readonly HeldSms[] | undefined
  /** Is the borrower's number, sealed, where reminders of a loan are sent. */
  reminder?: string | undefined
}

/** Tells what a node said of a transaction's bytes; `unknown` is a transport error. */
export type SendVerdict = 'taken' | 'unknown' | Exclude<SendRefusal, 'known'>

export type SignedTransaction = { hash: Hex; raw: Hex; gasPriceWei: bigint }

export type SignedNonce = { hash: Hex; nonce: number }

export type BlockId = { number: number; hash: Hex }

/** Names a followed block: it, or one below it, holds our bytes for the nonce below `count`. */
export type FollowedBlock = BlockId & {
  count: number
  /** Unix time in seconds. */
  timestampSeconds?: number
  /** Tells which share of its gas is used, from 0 to 1. */
  fullness?: number | undefined
  /** Counts the hashes that mining it took; undefined: not proved, or not asked. */
  difficulty?: Hex | undefined
  /** Counts the hashes that a block on it takes at least to be believed. */
  floor?: Hex | undefined
}

/** Holds facts that change slowly; what is missing is unknown, or was read too long ago. */
export type Means = {
  /** Counts the relayer's transactions in the chain, as far as rounds have followed it. */
  count?: number
  /** Counts them as the node told it last, however long ago: others may have used the key. */
  toldCount?: number
  gasPriceWei?: bigint
  /** Balance of the relayer's key. */
  balanceWei?: bigint
}

/** Names a fact that the node is asked for in turn. */
export type Turn = (typeof turns)[number]

/** Tells what the chain did with a request, and where. */
export type Execution = {
  outcome: 'executed' | 'failed'
  /** Says why it failed; empty when executed. */
  reason: string
  hash: Hex
  block: BlockId
}

export type Adoption = Question & {
  answerCount: number
  screen: Screen
  order: Order
  execution: Execution
}

/** Fills a nonce with queued payments, in this order; without any, to close a gap. */
export type NonceFill = { nonce: number; chainNonce: number; sessions: readonly string[] }

export type Replacement = { nonce: number; over: Hex; transaction: SignedTransaction }

/** Adds whose execution it is: the signature of the payment's request that it was read for. */
export type RequestExecution = Execution & Pick<SignedRequest, 'signature'>

export type MinedReport = {
  nonce: number
  /** Lists what it carried when it was looked at: a nonce with others by now keeps its state. */
  sessions: readonly string[]
  hash: Hex
  block: BlockId
  /** Has nothing for a payment that the transaction did nothing for: it is queued again. */
  executions: Readonly<Record<string, RequestExecution>>
  /** Makes outcomes final if the block is above the last head, which rounds then compare. */
  isFinal?: boolean
}

export type Payment = {
  session: string
  state: PaymentState
  order: Order
  nonce: number | undefined
  /** Counts the transactions that carried it in vain. */
  attempts: number
  execution: Execution | undefined
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
  /** Lists all bytes ever recorded for it, the highest price first. */
  transactions: (SignedTransaction & {
    recordedAt: number
    sentAt: number | undefined
    /** Counts in a row the times that no node took them. */
    failures: number
  })[]
}

export type Work = {
  now: number
  head: BlockId | undefined
  /** Lists the blocks that were followed from one to the next, the head first. */
  followedBlocks: readonly FollowedBlock[]
  /** Read within {@link LedgerRules.meansMs}; `nextMeans` is asked for next. */
  means: Means
  nextMeans: Turn
  /** Since when the chain has been behind `head` (Unix time in ms). */
  behindSince: number | undefined
  nextNonce: number
  nonces: OpenNonce[]
  /** Lists those that wait for a nonce, the oldest first. */
  queued: Payment[]
  /** Lists those that only wait for their deadline, the oldest first. */
  stuck: Payment[]
  carried: Payment[]
  /** Lists those in a block, not yet final. */
  mined: Payment[]
  /** Whether a block that holds something of ours is still watched for a reorganization. */
  watching: boolean
  /** Names what the asker has other values of than the ledger; undefined: not asked. */
  differences?: readonly string[] | undefined
}

type WorkList = (typeof phaseRules)[OpenPhase]['list']

/** Makes the lists of {@link Work}, one for each open phase. */
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
