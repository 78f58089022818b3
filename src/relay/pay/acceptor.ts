import type { AcceptPayment, OfferAnswer, OpenSlot, PaymentOffer } from '../ledger/acceptance.ts'
import type { SignedTransaction } from '../ledger/values.ts'
import { buildBatch, computeGasPrice, type Relayer, signFor } from '../relayer.ts'
import { answerWithinMs } from './answers.ts'

export type AcceptorOptions = Pick<
  Relayer,
  'ledger' | 'signer' | 'forwarder' | 'rules' | 'fees' | 'clock'
>

/** Sets after how many ms an offer is late. The newest offers then go first, to be in time. */
const lateAfterMs = answerWithinMs / 2

type WaitingOffer = {
  offer: PaymentOffer
  arrivedAt: number
  resolve: (answer: OfferAnswer) => void
  reject: (error: unknown) => void
}

/** Creates a function that accepts offers in batches. Offers wait while one is accepted. */
export function createAcceptor(options: AcceptorOptions): AcceptPayment {
  const { ledger, rules, clock } = options
  const openSlot = createSlotOpener(options)
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
      const answers = await ledger.acceptOffers(offers, openSlot)
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

/**
 * Returns a function that signs for a ledger's step. It keeps the last transaction, because a store
 * may run its step again on what it has loaded.
 */
function createSlotOpener(options: AcceptorOptions): OpenSlot {
  let last: { key: string; transaction: SignedTransaction } | undefined
  return (slot) => {
    const { nonce, pending } = slot
    if (computeGasPrice(options, 0n, pending?.gasPriceWei) === undefined) return undefined
    return (offers) => {
      let highestWei = 0n
      for (const { gasPriceWei } of offers) if (gasPriceWei > highestWei) highestWei = gasPriceWei
      const requests = offers.map(({ order }) => order.request)
      const signatures = requests.map(({ signature }) => signature)
      const key = `${nonce} ${pending?.hash} ${highestWei} ${signatures}`
      if (last?.key === key) return last.transaction
      const transaction = signFor(options, slot, highestWei, buildBatch(options, requests))
      if (transaction === undefined) throw new Error('a slot was opened that may not be outbid')
      last = { key, transaction }
      return transaction
    }
  }
}
