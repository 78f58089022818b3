import type {
  AcceptPayment,
  OfferAnswer,
  PaymentOffer,
  Sending,
  SignedTransaction,
  Slot,
  Verdict,
} from '../ledger/port.ts'
import { carry, type Relayer, signFor } from '../relayer.ts'
import { answerWithinMs } from './answers.ts'

export type AcceptorOptions = Pick<
  Relayer,
  'ledger' | 'signer' | 'forwarder' | 'rules' | 'fees' | 'clock'
>

/** Limits how often a transaction is signed again after its nonce or payments were taken. */
const signAttempts = 3

/** Has waited too long to be answered in time where more come than are taken: newer ones may be. */
const lateMs = answerWithinMs / 2

type Waiting = {
  offer: PaymentOffer
  since: number
  resolve: (accepted: OfferAnswer) => void
  reject: (error: unknown) => void
}

/** Makes one transaction of the payments that come while another is signed. */
export function createAcceptor(options: AcceptorOptions): AcceptPayment {
  const { rules, clock } = options
  const waiting: Waiting[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      // Offers that have arrived by now come along.
      await clock.sleep(0)
      const isLate = clock.now() - first.since > lateMs
      await answer(waiting.splice(isLate ? -rules.maxInBatch : 0, rules.maxInBatch))
    }
    isRunning = false
  }

  async function answer(batch: readonly Waiting[]): Promise<void> {
    try {
      const accepted = await acceptAll(
        options,
        batch.map(({ offer }) => offer),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(accepted[index] as OfferAnswer)
    } catch (error) {
      // One that fails keeps no other from being accepted.
      if (batch.length > 1) for (const one of batch) await answer([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  return (offer) =>
    new Promise((resolve, reject) => {
      waiting.push({ offer, since: clock.now(), resolve, reject })
      if (!isRunning) void run()
    })
}

async function acceptAll(
  options: AcceptorOptions,
  offers: readonly PaymentOffer[],
): Promise<OfferAnswer[]> {
  const { ledger } = options
  for (let attempt = 0; attempt < signAttempts; attempt += 1) {
    const { slot, accepted } = await ledger.propose(offers)
    const carried = accepted.flatMap((place) => offers[place] ?? [])
    const transaction = slot && (await sign(options, slot, carried))
    // If no allowed price outbids the nonce's older bytes, a round finds the payments another
    // nonce.
    if (slot === undefined || transaction === undefined) break
    const { nonce, prior } = slot
    const recorded = await ledger.record(offers, { ...transaction, nonce, accepted })
    if (recorded.kind === 'changed') continue
    const requests = new Map(carried.map(({ session, order }) => [session, order.request]))
    const isFirst = prior === undefined
    return withSending(recorded.verdicts, { nonce, transaction, requests, isFirst })
  }
  const recorded = await ledger.record(offers)
  if (recorded.kind === 'changed') throw new Error('nothing was signed that could have changed')
  return recorded.verdicts
}

/** Signs the transaction of these payments; undefined for none, or where the limit forbids it. */
async function sign(
  options: AcceptorOptions,
  slot: Slot,
  carried: readonly PaymentOffer[],
): Promise<SignedTransaction | undefined> {
  if (carried.length === 0) return undefined
  let highestWei = 0n
  for (const { gasPriceWei } of carried) if (gasPriceWei > highestWei) highestWei = gasPriceWei
  const requests = carried.map(({ order }) => order.request)
  return signFor(options, slot, highestWei, carry(options, requests))
}

/** Has the first carried payment send the transaction of all. */
function withSending(verdicts: readonly Verdict[], sending: Sending): OfferAnswer[] {
  const first = verdicts.findIndex((verdict) => verdict.kind === 'accepted' && verdict.isCarried)
  return verdicts.map((verdict, index) => (index === first ? { ...verdict, sending } : verdict))
}
