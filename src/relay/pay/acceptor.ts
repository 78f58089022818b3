import type {
  AcceptPayment,
  OfferAnswer,
  OfferDecision,
  PaymentOffer,
  TransactionToSend,
} from '../ledger/acceptance.ts'
import type { Slot } from '../ledger/payments/nonces.ts'
import type { SignedTransaction } from '../ledger/values.ts'
import { buildBatch, type Relayer, signFor } from '../relayer.ts'
import { answerWithinMs } from './answers.ts'

export type AcceptorOptions = Pick<
  Relayer,
  'ledger' | 'signer' | 'forwarder' | 'rules' | 'fees' | 'clock'
>

/** Limits how often a batch is signed. It is signed again if its nonce or payments have changed. */
const maxSignAttempts = 3

/** Sets after how many ms an offer is late. The newest offers then go first, to be in time. */
const lateAfterMs = answerWithinMs / 2

type WaitingOffer = {
  offer: PaymentOffer
  arrivedAt: number
  resolve: (answer: OfferAnswer) => void
  reject: (error: unknown) => void
}

/** Creates a function that accepts offers in batches. Offers wait while a batch is signed. */
export function createAcceptor(options: AcceptorOptions): AcceptPayment {
  const { rules, clock } = options
  const waiting: WaitingOffer[] = []
  let isAccepting = false

  async function acceptWaiting(): Promise<void> {
    isAccepting = true
    try {
      while (waiting[0] !== undefined) {
        // Lets offers of the same moment join the batch.
        await clock.sleep(0)
        const isLate = clock.now() - waiting[0].arrivedAt > lateAfterMs
        // A negative index counts from the end, where the newest offers are.
        const start = isLate ? -rules.maxInBatch : 0
        await acceptBatch(waiting.splice(start, rules.maxInBatch))
      }
    } catch (error) {
      // The platform may refuse to set a timer. The next offer tries again.
      for (const { reject } of waiting.splice(0)) reject(error)
    }
    isAccepting = false
  }

  async function acceptBatch(batch: readonly WaitingOffer[]): Promise<void> {
    try {
      const offers = batch.map(({ offer }) => offer)
      const answers = await signAndRecord(options, offers)
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as OfferAnswer)
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      // Accepts each offer by itself, so that a failing offer does not fail the others.
      else for (const offer of batch) await acceptBatch([offer])
    }
  }

  return (offer) =>
    new Promise((resolve, reject) => {
      waiting.push({ offer, arrivedAt: clock.now(), resolve, reject })
      if (!isAccepting) void acceptWaiting()
    })
}

/** Records the offers that may begin, with one transaction for all of them if it can be signed. */
async function signAndRecord(
  options: AcceptorOptions,
  offers: readonly PaymentOffer[],
): Promise<OfferAnswer[]> {
  const { ledger } = options
  for (let attempt = 0; attempt < maxSignAttempts; attempt += 1) {
    const { slot, accepted } = await ledger.propose(offers)
    const carriedOffers = accepted.flatMap((index) => offers[index] ?? [])
    const transaction = slot && (await sign(options, slot, carriedOffers))
    // No offer was accepted, no nonce is free, or a transaction would cost too much.
    if (slot === undefined || transaction === undefined) break
    const { nonce, pending } = slot
    const recorded = await ledger.record(offers, { ...transaction, nonce, accepted })
    if (recorded.kind === 'changed') continue
    const requests = new Map(carriedOffers.map(({ session, order }) => [session, order.request]))
    const isFirst = pending === undefined
    return attachTransaction(recorded.decisions, { nonce, transaction, requests, isFirst })
  }
  // Queues what is accepted: a later round sends it in a transaction.
  const recorded = await ledger.record(offers)
  if (recorded.kind === 'changed')
    throw new Error('the ledger reported a changed transaction, but was given none')
  return recorded.decisions
}

/** Signs a transaction for offers. Returns undefined for none, or if the gas price is too high. */
async function sign(
  options: AcceptorOptions,
  slot: Slot,
  offers: readonly PaymentOffer[],
): Promise<SignedTransaction | undefined> {
  if (offers.length === 0) return undefined
  let highestWei = 0n
  for (const { gasPriceWei } of offers) if (gasPriceWei > highestWei) highestWei = gasPriceWei
  const requests = offers.map(({ order }) => order.request)
  return signFor(options, slot, highestWei, buildBatch(options, requests))
}

/** Adds the transaction to the answer of the first carried payment, whose caller then sends it. */
function attachTransaction(
  decisions: readonly OfferDecision[],
  sending: TransactionToSend,
): OfferAnswer[] {
  const first = decisions.findIndex((item) => item.kind === 'accepted' && item.isCarried)
  return decisions.map((decision, index) => (index === first ? { ...decision, sending } : decision))
}
