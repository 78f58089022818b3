import { expect, test } from 'vitest'
import { poolRules } from '../../../../src/chain/chains.ts'
import { createAcceptor } from '../../../../src/relay/pay/acceptor.ts'
import { answerWithinMs } from '../../../../src/relay/pay/answers.ts'
import { systemClock } from '../../../../src/runtime/clock.ts'
import { openMemoryRelayer } from '../../../ports/ledger-memory.ts'
import { alice, offerOf } from '../../../ports/payments.ts'

/** Offers a payment, and the others while the ledger is asked about that one for so long. */
async function offerAll(first: string, others: readonly string[], tookMs: number) {
  const clock = { ...systemClock, now: () => now }
  const rules = { ...poolRules.rootstock, maxInBatch: 1 }
  let now = 1_700_000_000_000
  const { ledger, relayer } = openMemoryRelayer({ rules, clock, now: clock.now, limits: rules })
  const [isAsked, isAnswered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const taken: string[] = []
  const accept = createAcceptor({
    ...relayer,
    ledger: {
      ...ledger,
      async acceptOffers(offers, openSlot) {
        taken.push(...offers.map(({ session }) => session))
        isAsked.resolve()
        await isAnswered.promise
        return await ledger.acceptOffers(offers, openSlot)
      },
    },
  })
  const offer = (session: string) => accept(offerOf(session, alice, { poolNonce: 1_000 }))
  const answers = [offer(first)]
  await isAsked.promise
  answers.push(...others.map(offer))
  now += tookMs
  isAnswered.resolve()
  await Promise.all(answers)
  return taken.join(' ')
}

test('payments are accepted in the order in which they came, while all of them can be answered in time', async () => {
  expect(await offerAll('a', ['b', 'c', 'd'], answerWithinMs / 2)).toBe('a b c d')
})

test('under overload the newest are accepted, and the oldest are answered without acceptance', async () => {
  expect(await offerAll('a', ['b', 'c', 'd'], answerWithinMs / 2 + 1)).toBe('a d c b')
})

test('a timer that the platform refuses fails only the offers that wait for it', async () => {
  let refusals = 1
  const clock = {
    ...systemClock,
    async sleep(ms: number) {
      if (refusals-- > 0) throw new Error('too many timers')
      return systemClock.sleep(ms)
    },
  }
  const { relayer } = openMemoryRelayer({ clock, now: clock.now })
  const accept = createAcceptor(relayer)
  const offer = (session: string) => accept(offerOf(session, alice, { poolNonce: 1_000 }))
  const [a, b] = await Promise.allSettled([offer('a'), offer('b')])
  expect([a?.status, b?.status]).toEqual(['rejected', 'rejected'])
  expect((await offer('c')).kind).toBe('accepted')
})
