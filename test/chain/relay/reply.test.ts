import { beforeAll, expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { opened } from '../../support/opened.ts'
import { dial, give, openOperated } from '../operator/operating.ts'

const chain = opened(() => startChain())
const [phone, friend] = ['+254700000071', '+254700000072']
beforeAll(async () => void (await give(chain, phone)))

test.for([
  ['demo', {}, ''],
  ['lender', { PROFILE: 'lender', PIN: 'off' }, '*1'],
] as const)(
  'a payment under %s waits only for its simulation and for calls beside it',
  async ([name, changes, confirmed]) => {
    const waiting: { methods: string[]; answer: () => void }[] = []
    let isHeld = false
    // By these rules what a round has read holds for 100 s.
    const rules = { POOL_RULES: 'rootstock', MAX_GAS_PRICE_WEI: `${10n ** 11n}` }
    const hold: typeof fetch = async (input, init) => {
      const asked = [JSON.parse(`${init?.body}`)].flat() as { method: string }[]
      const methods = asked.map(({ method }) => method)
      if (isHeld) await new Promise<void>((answer) => waiting.push({ methods, answer }))
      return fetch(input, init)
    }
    const deployment = openOperated(chain, { ...changes, ...rules }, { fetch: hold })
    const pay = (amount: string) => {
      const text = `2*${friend}*${amount}${confirmed}`
      return dial(deployment, { phone, sessionId: `${name} ${amount}`, text })
    }
    expect(await pay('0.01')).toContain('END Transfer Submitted')
    await deployment.round()
    isHeld = true
    const reply = pay('0.02')
    const asked = () => waiting.flatMap(({ methods }) => methods).sort()
    await until(() => asked().length >= 2)
    expect(asked()).toEqual(['eth_call', 'eth_getTransactionCount'])
    for (const { answer } of waiting) answer()
    expect(await reply).toContain('END Transfer Submitted')
    // Only now, and not before the reply, the transaction goes out.
    await until(() => asked().length === 3)
    expect(asked()).toContain('eth_sendRawTransaction')
    isHeld = false
    for (const { answer } of waiting) answer()
  },
)
