import type { Address, Hex } from 'viem'
import type { SharedLimit } from '../../loan/kinds.ts'
import type { TargetCheck } from '../forwarder/target.ts'
import type { AcceptPayment, Screens } from '../ledger/acceptance.ts'
import type { Paid } from '../ledger/decisions.ts'
import type { ObservationReport } from '../ledger/observations.ts'
import type { Lendable } from '../ledger/payments/reserves.ts'
import type { EarlierPayment } from '../ledger/records/earlier.ts'
import type { AskedQuestion } from '../ledger/records/first-values.ts'
import type { Traces } from '../ledger/records/possible-loss.ts'
import type { Holdings } from '../ledger/records/recalls.ts'
import type { Order, Screen, StepKey } from '../ledger/values.ts'
import type { IntentName } from '../outcome/spent.ts'
import type { Refusal, RefusalOf } from '../refusal.ts'
import type { Relayer } from '../relayer.ts'
import type { AccountLimits } from './admission.ts'

/** Describes a step of a session that asks to pay. A session pays at most once. */
export type PayingStep = {
  /** Tells when the delivery arrived (Unix time in ms): its answer is due some seconds later. */
  since: number
  stepKey: StepKey
  /** Counts the answers that the caller has given. */
  answerCount: number
  /** Names what the session's payment spends on the chain. */
  intent: IntentName
  /** Names the payment that it gives back, if it does. */
  returns?: Hex | undefined
  /** Names the question that was answered, unless a late answer pays too. */
  question?: AskedQuestion | undefined
  /** Builds what is to be paid, once, if nothing is decided. It may read the chain. */
  createOrder: () => Promise<PreparedOrder>
  /** Tells why the caller may not pay at this moment; undefined if nothing speaks against it. */
  findDenial: () => Promise<RefusalOf<'not_authorized'> | undefined>
  texts: PaymentTexts
}

/** Holds a signed order, and what belongs to it before it is accepted. */
export type PreparedOrder = {
  order: Order
  /**
   * Writes the screens of its acceptance. They may tell what is left only if the payment `isAlone`:
   * no other of the account is open, or unknown to a node that lags, and nothing is held back.
   */
  writeScreens: (isAlone: boolean) => Promise<Screens>
  /** Holds a recipient that was typed or saved, which may be nobody's wallet. */
  payee?: Address | undefined
}

/** Writes the screens of a step that asks to pay. */
export type PaymentTexts = {
  /** Asks whether to repeat an equal payment. */
  repeat?: ((earlier: EarlierPayment) => Screen) | undefined
  /** Tells what the chain executed, whatever the text asks for now. */
  paid: (paid: Paid) => Promise<Screen>
  refusal: (refusal: Refusal) => Screen
}

/** Begins to track the state of a delivery. */
export const createProgress = () => ({
  /** Is true once the caller has an answer: unfinished work must not pay or close. */
  isAnswered: false,
  /** Is true once the intent is spent on the chain: no screen may say that nothing was sent. */
  isSpent: false,
  /** Holds the screen that is recorded with the payment. */
  screen: undefined as Screen | undefined,
  /** Is the ledger's time of the last look-up. */
  asOf: undefined as number | undefined,
  /** Is true while the node is asked: if the time ends then, the node has not answered. */
  isWaitingForNode: false,
  /** Holds what the chain shows of lost rows, once that is read. */
  traces: undefined as Traces | undefined,
  /** Is true if lost rows may hold a payment of the session. */
  isDoubtful: true,
  /** Holds what is to be paid, once it is built. */
  prepared: undefined as PreparedOrder | undefined,
  /** Collects observations of the chain for the next ledger call. */
  observed: { facts: {}, node: undefined, round: undefined } as ObservationReport,
})

export type Delivery = {
  relayer: Relayer
  options: PayOptions
  step: PayingStep
  progress: ReturnType<typeof createProgress>
}

export type PayOptions = {
  /** Returns whether the forwarder calls the contract that screens are read from. */
  checkTarget: TargetCheck
  /** Simulates each call first, and refuses one that would revert. */
  preflight: boolean
  limits: AccountLimits
  /** Reads what is left of the limits that all accounts share. */
  readLimits: Readonly<Record<Exclude<SharedLimit, 'nothing'>, () => Promise<Lendable>>>
  /** Reads what an account has and owes. @throws {Error} no node tells */
  readHoldings: (account: Address) => Promise<Holdings>
  /** Limits what is final at once: each payment, and all that the operator backs. */
  finalAtOnce: { eachWei: bigint; limitWei: bigint }
  /** Returns whether an account may ask again now; a redelivered question counts once. */
  mayDial: (stepKey: StepKey) => boolean
  accept: AcceptPayment
  /** Keeps work alive after the reply. */
  waitUntil: (work: Promise<void>) => void
}
