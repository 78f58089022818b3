import type { Address, Hex } from 'viem'
import { poolRules } from '../../chain/chains.ts'
import type { SendRefusal } from '../../chain/refusals.ts'
import type { PaymentKind } from '../../loan/kinds.ts'
import type { SignedRequest } from '../forwarder/requests.ts'
import type { ObstacleKind, RefusalOf } from '../refusal.ts'
import type { ExportEntry, ExportHead, ExportPage, ExportPlace } from './copies/export-format.ts'
import type { smsParties } from './rows.ts'
import type { Seen, Sight, turns } from './sight.ts'
import { type OpenPhase, openPhases, type PaymentState, phaseRules } from './transitions.ts'

export type { PaymentState } from './transitions.ts'

/**
 * The memory of one deployment on its chain: which sessions were decided and how, which nonce carries
 * what, and every transaction's bytes before they leave. Each method is one atomic step, and each transition is
 * compare-and-set: called twice, or too late, it changes nothing. STORAGE.md tells what a row promises.
 *
 * No method waits for the network. Times are those of the ledger's own clock.
 */
export type Ledger = SessionLedger &
  PaymentLedger &
  NonceLedger &
  ChainLedger &
  OperatorLedger &
  BackupLedger

/** What sessions were shown and answered. */
export type SessionLedger = {
  /** Refuses to go on with other secrets or another chain than the ledger was begun with. */
  identify(identity: Identity): Promise<Identified>
  /** The account that a number has since its former form, by that of its present one. Undefined: it has this one. */
  formerAccount(account: Address): Promise<Address | undefined>
  /** Has accounts of former forms stay those of their numbers, and goes on with another table of forms. */
  renumber(renumbering: Renumbering): Promise<Renumbered>
  /** What this session's question was answered with, or else what its account has under way. */
  lookup(question: Question): Promise<Decided | Undecided>
  /**
   * Keeps what a question of a session shows, or was judged by, so that each later delivery goes by the same: what
   * is kept first stays, and is the answer. Of a session that is decided nothing more is kept.
   */
  show(showing: Showing): Promise<Shown | Decided>
  /** What a question showed under this name. Undefined: nothing that was kept. */
  shown(question: Question, name: string): Promise<string | undefined>
  /**
   * How many minutes before this question its account paid by an equal call; undefined where it did not lately.
   * What is found once is kept as in {@link SessionLedger.show}.
   */
  equal(question: Question, call: PaymentCall): Promise<number | undefined>
  /**
   * Closes a session without a payment: its screen is shown from now on, whatever the chain does, and no
   * other question of the session is paid.
   */
  refuse(refusal: Refusing): Promise<Decided | Refused>
  /** Judges what is offered, and finds the nonce for those payments that may begin. Nothing has changed. */
  propose(offers: readonly PaymentOffer[]): Promise<Proposal>
  /**
   * Makes signed requests, screens and the transaction that carries them durable, each judged as the one after
   * those before it. Without a transaction those that may begin are queued. `changed`: other payments than those
   * of the transaction may begin by now, or its nonce is not free: then nothing was written.
   */
  record(
    offers: readonly PaymentOffer[],
    transaction?: Carrying,
  ): Promise<{ kind: 'recorded'; verdicts: Verdict[] } | { kind: 'changed' }>
  /** Accepts a session whose intent the chain has already spent: a ledger that lost its rows learns. */
  adopt(adoption: Adoption): Promise<Decided | { kind: 'adopted' }>
}

/** What becomes of payments. */
export type PaymentLedger = {
  /** Everything that is not settled, for the round that tends it. */
  work(identity?: Identity): Promise<Work>
  /** One payment, by the session that made it. */
  payment(session: string): Promise<Payment | undefined>
  /** An account's last payments, the newest first. */
  payments(account: Address, limit: number): Promise<Payment[]>
  /** Queues a payment again that no nonce carries any more, since the ledger lost the row. */
  requeue(session: string): Promise<Transition[]>
  /** Settles a queued payment by an event of another transaction. */
  settle(session: string, execution: Execution): Promise<Transition[]>
  /** Makes the outcome in this block final. */
  confirm(session: string, blockHash: Hex): Promise<Transition[]>
  /** Declares a payment dead whose deadline has passed unspent. Its nonce is left to be filled. */
  expire(session: string): Promise<Transition[]>
  /**
   * Takes messages that are due, at most so many, and says when the next one is (Unix time in ms). Who takes one
   * may send it once, and no one else ever may, unless it is noted that nothing was sent.
   */
  takeSms(limit: number): Promise<{ taken: DueSms[]; next: number | undefined }>
  /** What became of a message that was taken. */
  noteSms(name: SmsName, fate: SmsFate): Promise<void>
}

/** What the relayer's nonces carry. */
export type NonceLedger = {
  /** What was signed for the nonces in use, and for the last ones, whatever became of them. */
  signed(): Promise<SignedNonce[]>
  /**
   * Returns a nonce that may carry queued payments, or close a gap (no sessions), with what was signed for it
   * before. A displaced nonce is free again after `displacedMs`. Undefined: it may not.
   */
  slot(filling: NonceFill): Promise<Slot | undefined>
  /** Makes the transaction durable that was signed for such a nonce, where it still may carry these payments. */
  fill(
    filling: NonceFill & { over: Hex | undefined; transaction: SignedTransaction },
  ): Promise<Filled>
  /** Makes a transaction of the same requests durable for a nonce, over the one that is named. */
  replace(replacement: Replacement): Promise<Filled>
  /** Gives up nonces whose rows were lost and that the chain has passed. */
  release(chainNonce: number): Promise<void>
  /** Notes that the bytes went out at this time, and what the node said. A price that was too low is read again. */
  sent(hash: Hex, verdict: SendVerdict): Promise<Transition[]>
  /** Notes the block of a nonce and what became of each of its payments there. */
  mined(report: MinedReport): Promise<Transition[]>
  /** Notes that a nonce of ours holds something that we do not know. Its payments are queued again. */
  displaced(nonce: number): Promise<Transition[]>
  /** Takes back a nonce too far ahead of the chain to be reached. Its payments are queued again. */
  abandon(nonce: number): Promise<Transition[]>
}

/** What was seen of the chain. */
export type ChainLedger = {
  /** Notes what was seen of the chain. */
  saw(seen: Seen): Promise<void>
  /** Blocks above this height that hold something of ours, the highest first. */
  blocks(above: number): Promise<BlockId[]>
  /** Takes back what a block had settled that is no longer in the chain. */
  reopen(blockHash: Hex): Promise<Transition[]>
  /**
   * Remembers the head that everything was checked against with what was followed up to it, the head first,
   * and the account's count where the node told it; or that the head went missing (`undefined`).
   */
  sawHead(trail: readonly FollowedBlock[] | undefined, toldCount?: number): Promise<void>
  /**
   * Remembers what the chain says that changes slowly, each over what was known of it, and which of it was
   * asked for in its turn. No count where `head`, that of the round that read it, is not the last that was
   * noted: a round that is late would have what the chain has lost counted until that is asked again.
   */
  sawMeans(head: Hex, means: Means, asked?: Turn): Promise<void>
}

/** What those who run the service see and set. */
export type OperatorLedger = {
  /**
   * What those who run the service go by. With an identity: whether the ledger was begun with it, which
   * it is not by this. With `probes` a row is written now and then, so that an answer says that rows can
   * be written.
   */
  vitals(asked?: { identity?: Identity; probes?: boolean }): Promise<Vitals>
  /**
   * Whether new payments are taken from now on; an audit's entry of this id says that it was set. While they are
   * draining, the account secret of this fingerprint may come in the former one's place.
   */
  setIntake(kind: IntakeWish, id: string, nextAccountKey?: string): Promise<Intake>
  /** Writes down what an operator did, once for each id. Never holds a phone number. */
  note(entry: Omit<AuditEntry, 'at'>): Promise<void>
  /** What operators did, the newest first. */
  audit(limit: number): Promise<AuditEntry[]>
  /**
   * Raises what is found now and was not, and clears what is over. With `isTold` a notice of each is kept
   * until it was delivered.
   */
  alert(found: readonly Finding[], told: { isTold: boolean }): Promise<AlertChange>
  /** Notices that are due. Who takes them tells them: they are due again later, until they are {@link OperatorLedger.told}. */
  takeNotices(limit: number): Promise<AlertNotice[]>
  /** A notice was delivered. */
  told(id: string): Promise<void>
  /** Payments as an operator looks for them, the newest first. */
  page(query: PaymentQuery): Promise<PaymentPage>
  /** Everything that is known of one payment. */
  tracePayment(intentId: Hex): Promise<PaymentTrace | undefined>
  /** Forgets payments settled for longer than the retention time, then their sessions. */
  prune(): Promise<void>
}

/** What is exported and restored. */
export type BackupLedger = {
  /** A page of what a restore needs. */
  exported(identity: Identity, place: ExportPlace): Promise<ExportPage>
  /** Until it has ended no session is decided, and rounds do nothing. */
  beginRestore(restoring: Restoring): Promise<RestoreBegun>
  /** Adds what an export has and the ledger has not, and changes nothing that is there. */
  restore(exportedAt: number, entries: readonly ExportEntry[]): Promise<RestoreAnswer>
  /** Payments are taken again, where they were before the restore. */
  endRestore(exportedAt: number): Promise<RestoreAnswer>
}

/** A time of the last 30 days (Unix time in ms), or a bookmark that was told. */
export type SetBack = { time: number } | { bookmark: string }

/** `undo`: the bookmark that takes it back. */
export type SetBackAnswer = { kind: 'set_back'; undo: string } | { kind: 'refused'; reason: string }

/** What a ledger is told once. */
export type LedgerRules = {
  /** Nonces from the chain's count on that may be in use at a time. */
  maxInFlight: number
  /** Blocks that a settled payment stays watched. */
  watchBlocks: number
  /** How long what changes slowly of the chain is taken as it was read. */
  meansMs: number
  /** How long a nonce is left alone that holds a transaction of another sender. */
  displacedMs: number
  /** Transactions that may carry a payment in vain before it is left to its deadline. */
  maxAttempts: number
  /** How long a session stays answered after it was decided; at least the chain's 7 days. */
  retentionMs: number
  /** How long an alert has to be over until it is cleared. */
  calmMs: number
  /** How long after its settlement it is kept what became of a payment; longer than its own row. */
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
 * Configuration that the rows were made with, by the names of its variables. Of these the relayer's key
 * and the forwarder may change, once nothing is open: a new deployment of the contracts is moved to
 * that way. The key is named by its address. The account secret changes only to one that a drain names.
 */
export type Identity = { chainId: number; fingerprints: Readonly<Record<string, string>> }

/** What may change while nothing is open. */
export const movableIdentity: readonly string[] = ['FORWARDER_ADDRESS', 'RELAYER_MNEMONIC']

/**
 * Accounts of present forms, each with the one that its number was opened under. `numbering` is the fingerprint of the
 * table of forms; with `kept`, how many are kept in all, the ledger goes on with it, and the audit says so.
 */
export type Renumbering = {
  id: string
  numbering: string
  accounts: readonly (readonly [present: Address, former: Address])[]
  kept?: number | undefined
}

export type Renumbered =
  /** But for these, which have paid, or are kept for another account. */
  | { kind: 'renumbered'; refused: Address[] }
  /** The ledger serves with this table: it has to be paused first. */
  | { kind: 'serving' }

export type Identified = { kind: 'same' } | { kind: 'different'; names: string[] }

/** Keyed digests of the session and of what was typed in it, never the words; and whose it is. */
export type Question = { session: string; input: string; account: Address }

/** A fact by its name. `value` is JSON, and holds neither what was typed nor a phone number. */
export type Showing = Question & { name: string; value: string }

export type Shown = { kind: 'shown'; value: string }

/** What a caller is shown, whatever gateway carries it. With `ask` the session goes on. */
export type Screen = { kind: 'ask' | 'end'; lines: readonly string[] }

/** What stands in the way of another answer. */
export type Decided =
  /** A restore may still tell of the session; ask again. */
  | { kind: 'pending' }
  /** This very question has this answer. */
  | { kind: 'answered'; screen: Screen }
  /** This very question was answered so, and the payment is known to have failed since. */
  | { kind: 'failed'; screen: Screen }
  /** The session has paid by another question, or the ledger lost what it was answered with. */
  | { kind: 'ended' }
  /** The session was refused by another question: it has paid nothing, and never will. */
  | { kind: 'closed' }

/** Open payments of an account that a new one is checked against. An account with more has to wait. */
export const maxOpen = 16

export type Undecided = {
  kind: 'undecided'
  /** The account's payments whose outcome is not known yet, the oldest first, at most {@link maxOpen}. */
  open: SignedRequest[]
  /**
   * And those that a block has executed lately, the oldest first: a node that is behind does not know
   * them. With the open ones at most {@link maxOpen}.
   */
  executed: SignedRequest[]
  /** How many payments of the account the ledger has seen: an offer made on this view names it. */
  seen: number
  load: Load
  /** What is known of the chain, and the time of the ledger: how old it is, and how far a process' clock is off. */
  sight: Sight
  now: number
}

/** What is open in the whole ledger: what one more payment waits behind, and what the key pays for besides. */
export type Load = {
  /** Payments of the account. */
  ofAccount: number
  /** Payments of nonces in use, whose bytes no block has. */
  carried: number
  /** Payments that wait for a nonce. */
  waiting: number
}

/** The most that may be open of the account and in all, and that may wait, with one payment more. */
export type Room = { ofAccount: number; open: number; waiting: number }

/** What an account may send in any 24 hours, in payments and in wei. Undefined: as much as it likes. */
export type DayLimits = { transfersADay: number | undefined; sentADayWei: bigint | undefined }

/** An account has sent what it may in a day. Nothing has changed. */
export type OverDay = RefusalOf<'too_many_today' | 'too_much_today'>

/** An equal payment was accepted so many minutes ago: whether another one is meant is to be asked. */
export type Equal = { kind: 'equal'; minutes: number }

/** What two payments are equal by. */
export type PaymentCall = Pick<SignedRequest, 'data'>

/** There is no room for one payment more. Nothing has changed. */
export type Full = { kind: 'full'; load: Load }

/** What payments were refused for last, when it was told in the log, and since when they are taken (Unix times in ms). */
export type NotedObstacle = { kind: ObstacleKind; at: number; toldAt: number; endedAt?: number }

/** The state of a ledger, and of the chain as rounds have seen it. Times are Unix times in ms. */
export type Vitals = {
  now: number
  /** The layout of the rows. */
  schema: string
  /** Undefined: no identity was asked about. */
  identity: Identified | undefined
  sight: Sight
  intake: Intake
  alerts: readonly ActiveAlert[]
  /** When the next notice of an alert is due; undefined where all were delivered. */
  untoldFrom: number | undefined
  /** When a transaction was last seen in a block. */
  lastMinedAt: number | undefined
  /**
   * How often something happened since the ledger was begun: `<kind>.<event>` of payments, and
   * `refused.<obstacle>`, or `refused.own` where a payment was to blame itself.
   */
  counts: Readonly<Record<string, number>>
  obstacle: NotedObstacle | undefined
  /** When a caller was last refused for a number that is in no numbering plan (Unix time in ms). */
  unlistedAt: number | undefined
  /** One above the highest nonce that was used. */
  nextNonce: number
  /** Payments of nonces in use, as in {@link Load}. */
  carried: number
  /** Payments that wait for a nonce. */
  waiting: number
  /** When the oldest payment of each open phase was accepted. */
  oldest: Readonly<Record<OpenPhase, number | undefined>>
}

/**
 * Whether new payments are taken. While they are not, what is open goes on; a drain
 * is meant to last until nothing is. `since` is a Unix time in ms, `nextAccountKey` the fingerprint of the account
 * secret that the rows may go on with.
 */
export type Intake =
  | { kind: 'open' }
  | { kind: 'paused' | 'draining'; since: number; nextAccountKey?: string }
  /** Of an export of this time. Whatever is not decided waits, since it may be in what is still to come. */
  | { kind: 'restoring'; since: number; exportedAt: number; after: IntakeWish }

/** What an operator may have it be. */
export type IntakeWish = 'open' | 'paused' | 'draining'

/** A restore that begins. `adds`: also to a ledger that is newer than the export, or has something open. */
export type Restoring = { id: string; head: ExportHead; identity: Identity; adds: boolean }

export type RestoreBegun =
  /** Or goes on, where it had begun. */
  | { kind: 'begun' }
  | { kind: 'other_schema'; schema: string }
  /** The export, or the ledger, is of other values of these. */
  | { kind: 'other_ledger'; names: string[] }
  /** Another export is being restored. */
  | { kind: 'other_restore' }
  | { kind: 'in_use'; isOpen: boolean; isNewer: boolean }

export type RestoreAnswer =
  /** How many entries were added, and in place of how many the ledger's own were kept. */
  { kind: 'restored'; added: number; kept: number } | { kind: 'not_begun' }

/** What an operator did, when (Unix time in ms). */
export type AuditEntry = {
  id: string
  at: number
  action: string
  detail: Readonly<Record<string, string>>
}

/** Something that a person has to look at, and what mends it. */
export type Finding = { name: string; says: string }

/** One that is raised, since when, and since when it is not found any more (Unix times in ms). */
export type ActiveAlert = Finding & { raisedAt: number; calmSince?: number | undefined }

export type AlertChange = { raised: ActiveAlert[]; cleared: ActiveAlert[] }

/** What is to be told of an alert, and of when (Unix time in ms). Its id is the same at each attempt. */
export type AlertNotice = ActiveAlert & { id: string; kind: 'raised' | 'cleared'; at: number }

/** To whom a message goes and what about, sealed for its session and party. */
export type HeldSms = { party: SmsParty; sealed: string }

export type SmsParty = (typeof smsParties)[number]

/** Which message, and the how manieth attempt at it: what comes late is nobody's any more. */
export type SmsName = { session: string; party: SmsParty; attempts: number }

/** A message whose payment has come to its end, and what that was. */
export type DueSms = SmsName & {
  sealed: string
  intentId: Hex
  acceptedAt: number
  state: 'confirmed' | 'reverted' | 'expired'
  /** Of a failure; empty where it came too late. */
  reason: string
}

/**
 * `unknown`: it may have been sent, and is not sent again. `refused`: it never can be. `known`: it was
 * sent before. `later`: it is known that nothing was sent; `untried`: it was not even asked for. Those two are due again.
 */
export type SmsFate = 'sent' | 'unknown' | 'refused' | 'known' | 'later' | 'untried'

/** Which payments. By an intent there is one at most. Times are Unix times in ms. */
export type PaymentQuery = {
  state?: PaymentState | undefined
  intent?: Hex | undefined
  /** Those that a transaction of ours was signed for: what was shown may have been replaced. */
  hash?: Hex | undefined
  account?: string | undefined
  /** Those that are settled for so long that only what became of them is kept. */
  archived?: boolean
  /** By the time of acceptance, but of settled ones that of settlement. */
  since?: number | undefined
  before?: number | undefined
  limit: number
}

/** A page may hold fewer than its limit, or none, and still have a next one: its `before`. */
export type PaymentPage = { payments: PaymentRecord[]; next: number | undefined }

/** What a ledger has of a payment, for those who run the service. Wei are decimal digits. */
export type PaymentRecord = {
  intentId: Hex
  state: PaymentState
  kind: PaymentKind
  account: string
  spendsWei: string
  acceptedAt: number
  /** Each state that it came to, and when. */
  history: readonly (readonly [PaymentState, number])[]
  relayer: string | null
  nonce: number | null
  attempts: number
  hash: Hex | null
  block: number | null
  outcome: 'executed' | 'failed' | null
  reason: string | null
  /** Of the inner call; null where the request is not kept any more, as is the deadline (Unix time in s). */
  gas: number | null
  deadline: number | null
}

/** With what was signed for the nonce that carries it, the highest-priced first. */
export type PaymentTrace = PaymentRecord & {
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
  steps: number
  screen: Screen
  /** Undefined: the refusal is the payment's own. */
  obstacle?: ObstacleKind | undefined
  /** The caller's number is in no numbering plan, which is noted for those who run the service. */
  isUnlisted?: boolean | undefined
  saw?: Seen | undefined
}

export type Refused = {
  kind: 'refused'
  /** Its obstacle is another one than lately, or was last noted a minute ago: worth a line in the log. */
  isNews?: true
}

/** A payment that a session asks for, with all that it is judged by. */
export type PaymentOffer = Question & {
  /** How many answers the caller had given. */
  steps: number
  order: Order
  screens: Screens
  /** The relayer's transaction count on the chain, as lately seen. */
  chainNonce: number
  /**
   * The same with what waits in the pool. What that holds beyond the ledger's own is unknown bytes, a
   * payment perhaps whose rows were lost: a new one begins above them and never bumps them.
   */
  poolNonce: number
  /** What the node asks for a unit of gas. */
  gasPriceWei: bigint
  /**
   * The view of the account that the payment was checked against. On an older view the verdict is `changed`,
   * so that two sessions cannot both pass on one balance. Undefined: unchecked.
   */
  seen: number | undefined
  /** Beyond it the verdict is {@link Full}. Undefined: unchecked. */
  room?: Room | undefined
  /** What its account may send in a day: beyond it the verdict is {@link OverDay}. Undefined: unchecked. */
  day?: DayLimits | undefined
  /** Where an equal payment was accepted a moment ago the verdict is {@link Equal}. */
  unlessEqual?: boolean
  /** What was seen of the chain for it. */
  saw?: Seen | undefined
  /** Whose key and forwarder it goes by: with others than the ledger's it is `paused`. Undefined: unchecked. */
  identity?: Identity | undefined
  /**
   * What the chain had at a block of what the order reserves: with less than that and all that is reserved
   * and that the block does not show, the verdict is `none_left`. Undefined: unchecked.
   */
  lendable?: Lendable | undefined
}

/** A transaction that was recorded and has to be sent, with the payments that it carries. */
export type Sending = {
  nonce: number
  transaction: SignedTransaction
  /** The signed requests, by the session of each. */
  requests: ReadonlyMap<string, SignedRequest>
  /** Nothing was signed for the nonce before. */
  isFirst: boolean
}

/** What becomes of an offer. `sending` goes to one of those whose payments share a transaction. */
export type OfferAnswer = Verdict & { sending?: Sending | undefined }

/** Accepts a payment, or tells why it may not begin. What is accepted is durable. */
export type AcceptPayment = (offer: PaymentOffer) => Promise<OfferAnswer>

/** What is shown of an accepted payment: with {@link hashPlace} where its transaction's hash stands, or queued. */
export type Screens = { carried: Screen; queued: Screen }

/** Stands in a screen for as much of a transaction's hash as is shown. No other text has it. */
export const hashPlace = '0x##########'

/** What becomes of an offer. */
export type Verdict =
  | Decided
  /** Its screen is recorded; `isCarried`: in the transaction that was signed for it. */
  | { kind: 'accepted'; screen: Screen; isCarried: boolean }
  | Full
  | OverDay
  | Equal
  | RefusalOf<'none_left' | 'paused'>
  /** The account has been paid from since it was looked at. */
  | { kind: 'changed' }

/**
 * The places of the offers whose payments may begin, one a session, and the nonce for them. Undefined: none is free,
 * and they are to be queued.
 */
export type Proposal = { slot: Slot | undefined; accepted: number[] }

/** A transaction that carries the payments of the offers in these places, in this order. */
export type Carrying = SignedTransaction & { nonce: number; accepted: readonly number[] }

/**
 * What a payment takes of what all accounts share, in wei: of the pool of loans, of the day's cap on them,
 * and of the day's limit of withdrawals (left out: nothing).
 */
export type Shares = { poolWei: bigint; capWei: bigint; outWei?: bigint | undefined }

/** What the chain had of it at a block; of what a payment does not take it need not tell. */
export type Lendable = Shares & { block: number }

/** A nonce that may be signed for. */
export type Slot = {
  nonce: number
  /** The highest-priced bytes that were signed for it, which new ones have to outbid; `raw` undefined: they are lost. */
  prior: { hash: Hex; gasPriceWei: bigint; raw: Hex | undefined } | undefined
}

/** `fenced`: the nonce, or one of the payments, is another's by now, and nothing has changed. */
export type Filled = { kind: 'recorded' } | { kind: 'fenced' }

/** What the caller signed and what is told of it. */
export type Order = {
  request: SignedRequest
  kind: PaymentKind
  /** What leaves the account's balance; 0 for what does not. */
  spendsWei: bigint
  /** Undefined: nothing that is shared. */
  reserves?: Shares | undefined
  /** Messages that are due once its outcome is final. */
  sms?: readonly HeldSms[] | undefined
}

/** What a node said of a transaction's bytes; `unknown` is a transport error. */
export type SendVerdict = 'taken' | 'unknown' | Exclude<SendRefusal, 'known'>

export type SignedTransaction = { hash: Hex; raw: Hex; gasPriceWei: bigint }

/** A transaction that was recorded for a nonce. */
export type SignedNonce = { hash: Hex; nonce: number }

export type BlockId = { number: number; hash: Hex }

/** A block whose parent is the next one. It, or a block below it, holds bytes of ours for the nonce below `count`. */
export type FollowedBlock = BlockId & { count: number }

/** What is read of the chain now and then and changes slowly. What is missing is unknown, or was read too long ago. */
export type Means = {
  /** Transactions of the relayer's account in the chain, as far as rounds have followed it. */
  count?: number
  /** The same as the node told it last, however long ago: others may have used the key. */
  toldCount?: number
  /** What the node asks for a unit of gas. */
  gasPriceWei?: bigint
  /** What the relayer's key has for gas. */
  balanceWei?: bigint
}

/** Which of it the node is asked for, one after the other. */
export type Turn = (typeof turns)[number]

/** What the chain did with a request, and where. */
export type Execution = {
  outcome: 'executed' | 'failed'
  /** In words; empty when executed. */
  reason: string
  hash: Hex
  block: BlockId
}

export type Adoption = Question & {
  steps: number
  screen: Screen
  order: Order
  execution: Execution
}

/** Queued payments for a nonce, in the order of their requests; none: its transaction carries nothing. */
export type NonceFill = { nonce: number; chainNonce: number; sessions: readonly string[] }

export type Replacement = { nonce: number; over: Hex; transaction: SignedTransaction }

export type MinedReport = {
  nonce: number
  /** Whose nonce it was when it was looked at. A nonce that has changed hands since keeps its state. */
  sessions: readonly string[]
  hash: Hex
  block: BlockId
  /** By the session. A payment that the transaction did nothing for has none, and is queued again. */
  executions: Readonly<Record<string, Execution>>
  /** Being in a block is enough for an outcome to be final. */
  isFinal?: boolean
}

export type Payment = {
  session: string
  state: PaymentState
  order: Order
  nonce: number | undefined
  /** How often a transaction carried it in vain. */
  attempts: number
  execution: Execution | undefined
  acceptedAt: number
}

/** One change of a payment's state. */
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
  /** The payments that it carries, in the order of their requests. */
  sessions: readonly string[]
  /** All bytes ever recorded for it, the highest-priced first. */
  transactions: (SignedTransaction & {
    recordedAt: number
    sentAt: number | undefined
    /** How often in a row no node said that it has them. */
    failures: number
  })[]
}

export type Work = {
  now: number
  head: BlockId | undefined
  /** The head and the blocks below it, as far as they were followed from one to the next; the head first. */
  trail: readonly FollowedBlock[]
  /** What was read of the chain within {@link LedgerRules.meansMs}, and which of it is asked for next. */
  means: Means
  nextMeans: Turn
  /** Since when the chain has been behind `head`. */
  behindSince: number | undefined
  /** One above the highest nonce that was used. */
  nextNonce: number
  nonces: OpenNonce[]
  /** Waiting for a nonce, the oldest first. */
  queued: Payment[]
  /** Waiting for no nonce any more, but for their deadline, the oldest first. */
  stuck: Payment[]
  /** Carried by a recorded transaction. */
  carried: Payment[]
  /** In a block, not yet final. */
  mined: Payment[]
  /** Whether a block that holds something of ours is still watched for a reorganization. */
  watching: boolean
  /** What the ledger goes on with other values of than who asks. Undefined: it was not asked for. */
  differences?: readonly string[] | undefined
}

type WorkList = (typeof phaseRules)[OpenPhase]['list']

/** The lists of {@link Work}, by what is in the phase of each. */
export const workLists = (
  paymentsIn: (phase: OpenPhase) => Payment[],
): Record<WorkList, Payment[]> =>
  Object.fromEntries(
    openPhases.map((phase) => [phaseRules[phase].list, paymentsIn(phase)]),
  ) as Record<WorkList, Payment[]>

/** Its payments of these phases, one phase after the other. */
export const paymentsOf = (work: Work, phases: readonly OpenPhase[] = openPhases): Payment[] =>
  phases.flatMap((phase) => work[phaseRules[phase].list])

/** Whether anything is not settled. */
export const isOpen = (work: Work): boolean => work.nonces.length > 0 || paymentsOf(work).length > 0
