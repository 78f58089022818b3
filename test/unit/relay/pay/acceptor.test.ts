import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { poolRules } from '../../../../src/chain/chains.ts'
import { ledgerRules } from '../../../../src/relay/ledger/port.ts'
import { createAcceptor } from '../../../../src/relay/pay/acceptor.ts'
import { answerWithinMs } from '../../../../src/relay/pay/answers.ts'
import { createSigner } from '../../../../src/relay/signer.ts'
import { systemClock } from '../../../../src/runtime/clock.ts'
import { createMemoryLedger } from '../../../ports/ledger-memory.ts'
import { offerOf } from '../../../ports/payments.ts'

const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)

/** Offers a payment, and the others while the ledger is asked about that one for so long. */
async function offerAll(first: string, others: readonly string[], tookMs: number) {
  const clock = { ...systemClock, now: () => now }
  const rules = { ...poolRules.rootstock, maxInBatch: 1 }
  let now = 1_700_000_000_000
  const { ledger } = createMemoryLedger({
    ...{ rules: { ...ledgerRules, ...rules }, relayer: account.address, now: clock.now },
  })
  const [isAsked, isAnswered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const taken: string[] = []
  const accept = createAcceptor({
    ledger: {
      ...ledger,
      async propose(offers) {
        taken.push(...offers.map(({ session }) => session))
        isAsked.resolve()
        await isAnswered.promise
        return await ledger.propose(offers)
      },
    },
    ...{ signer: createSigner(account, 31), forwarder: { chainId: 31, address: account.address } },
    ...{ rules, fees: { minWei: 0n, maxWei: 100n }, clock },
  })
  const offer = (session: string) => accept(offerOf(session, account.address, { poolNonce: 1_000 }))
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

test('where more come than are taken, the newest are accepted: the oldest are answered without that', async () => {
  expect(await offerAll('a', ['b', 'c', 'd'], answerWithinMs / 2 + 1)).toBe('a d c b')
})
