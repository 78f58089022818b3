import type {
  AcceptPayment,
  OfferAnswer,
  PaymentOffer,
  Sending,
  SignedTransaction,
  Slot,
  Verdict,
} from '../ledger/port.ts'
import { buildBatch, type Relayer, signFor } from '../relayer.ts'
import { answerWithinMs } from './answers.ts'

export type AcceptorOptions = Pick<
  Relayer,
  'ledger' | 'signer' | 'forwarder' | 'rules' | 'fees' | 'clock'
>

/** Limits how often a batch is signed: its nonce or payments may change before it is recorded. */
const maxSignAttempts = 3

/** Gives the age in ms from which an offer is late: newer ones, which have time left, go first. */
const lateMs = answerWithinMs / 2

type WaitingOffer = {
  offer: PaymentOffer
  since: number
  resolve: (answer: OfferAnswer) => void
  reject: (error: unknown) => void
}

/** Accepts offers in batches; offers that arrive while a batch is signed form the next one. */
export function createAcceptor(options: AcceptorOptions): AcceptPayment {
  const { rules, clock } = options
  const waiting: WaitingOffer[] = []
  let isRunning = false

  async function drainQueue(): Promise<void> {
    isRunning = true
    try {
      for (let [first] = waiting; first !== undefined; [first] = waiting) {
        // Lets offers of the same moment join the batch.
        await clock.sleep(0)
        const isLate = clock.now() - first.since > lateMs
        // A negative start takes the newest offers.
        await acceptBatch(waiting.splice(isLate ? -rules.maxInBatch : 0, rules.maxInBatch))
      }
    } catch (error) {
      // When a platform refuses a timer, the waiting offers fail, and the next offer starts again.
      for (const { reject } of waiting.splice(0)) reject(error)
    }
    isRunning = false
  }

  async function acceptBatch(batch: readonly WaitingOffer[]): Promise<void> {
    try {
      const answers = await signAndRecord(
        options,
        batch.map(({ offer }) => offer),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as OfferAnswer)
    } catch (error) {
      // Accepts each offer by itself, so that a failing offer does not fail the others.
      if (batch.length > 1) for (const offer of batch) await acceptBatch([offer])
      else for (const { reject } of batch) reject(error)
    }
  }

  return (offer) =>
    new Promise((resolve, reject) => {
      waiting.push({ offer, since: clock.now(), resolve, reject })
      if (!isRunning) void drainQueue()
    })
}

async function signAndRecord(
  options: AcceptorOptions,
  offers: readonly PaymentOffer[],
): Promise<OfferAnswer[]> {
  const { ledger } = options
  for (let attempt = 0; attempt < maxSignAttempts; attempt += 1) {
    const { slot, accepted } = await ledger.propose(offers)
    const carried = accepted.flatMap((index) => offers[index] ?? [])
    const transaction = slot && (await sign(options, slot, carried))
    // Without a transaction the payments are only recorded, and a round carries them: no nonce is
    // free, or replacing its older transaction would cost more than the limit.
    if (slot === undefined || transaction === undefined) break
    const { nonce, prior } = slot
    const recorded = await ledger.record(offers, { ...transaction, nonce, accepted })
    if (recorded.kind === 'changed') continue
    const requests = new Map(carried.map(({ session, order }) => [session, order.request]))
    const isFirst = prior === undefined
    return withSending(recorded.verdicts, { nonce, transaction, requests, isFirst })
  }
  const recorded = await ledger.record(offers)
  if (recorded.kind === 'changed')
    throw new Error('the ledger reported a changed batch for offers that no transaction carries')
  return recorded.verdicts
}

/** Signs one transaction for these payments; undefined without any, or above the price limit. */
async function sign(
  options: AcceptorOptions,
  slot: Slot,
  carried: readonly PaymentOffer[],
): Promise<SignedTransaction | undefined> {
  if (carried.length === 0) return undefined
  let highestWei = 0n
  for (const { gasPriceWei } of carried) if (gasPriceWei > highestWei) highestWei = gasPriceWei
  const requests = carried.map(({ order }) => order.request)
  return signFor(options, slot, highestWei, buildBatch(options, requests))
}

/** Attaches the transaction to the first carried payment, whose request then sends it. */
function withSending(verdicts: readonly Verdict[], sending: Sending): OfferAnswer[] {
  const first = verdicts.findIndex((verdict) => verdict.kind === 'accepted' && verdict.isCarried)
  return verdicts.map((verdict, index) => (index === first ? { ...verdict, sending } : verdict))
}
