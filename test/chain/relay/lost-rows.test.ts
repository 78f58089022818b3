import { createPublicClient, formatEther, http } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { opened } from '../../support/opened.ts'
import { startSmsServer } from '../../support/sms-server.ts'
import { dial, give, openOperated } from '../operator/operating.ts'

const chain = opened(() => startChain())
const provider = opened(startSmsServer)
const recipient = '0x00000000000000000000000010000000000a11Ce'
const feed = 'https://feed.invalid/price'

let callers = 0

/** Opens a lender that sends messages, takes amounts in shillings, and can lose its rows. */
async function openLender() {
  callers += 1
  const phone = `+25470002${`${callers}`.padStart(4, '0')}`
  const account = await give(chain, phone)
  const memory = createMemoryStore()
  const changes = {
    ...{ PROFILE: 'lender', PIN: 'off', MAX_SENT_A_DAY_WEI: `${10n ** 18n}` },
    ...{ LOCAL_CURRENCY: 'KES', RATE_FEED_URL: feed },
    ...provider.variables,
  }
  onTestFinished(async () => void (await chain.anvil.ask('evm_setAutomine', [true])))
  let shillings = 1_000
  const open = () =>
    openOperated(chain, changes, {
      memory: () => memory,
      fetch: async (input, init) => {
        if (`${input}` !== feed) return fetch(input, init)
        const last_updated_at = Math.floor(Date.now() / 1000)
        return Response.json({ rootstock: { kes: shillings, last_updated_at } })
      },
    })
  let relay = open()
  let sessions = 0
  const client = createPublicClient({ transport: http(chain.anvil.url), cacheTime: 0 })
  return {
    dial: (sessionId: string, text: string) => dial(relay, { phone, sessionId, text }),
    /** Begins an empty ledger, after the price of a coin has changed. */
    lose(shillingsNow: number) {
      shillings = shillingsNow
      relay = open()
    },
    allDone: () => relay.allDone(),
    async activity() {
      sessions += 1
      return await dial(relay, { phone, sessionId: `looks ${sessions}`, text: '5' })
    },
    balance: async () => formatEther(await loanAt(client, chain.loan).getBalance([account])),
    texts: async () => {
      await relay.round()
      await relay.settled()
      return provider.asked.filter(({ to }) => to === phone).map(({ text }) => text)
    },
    async holdBlocks() {
      await chain.anvil.ask('evm_setAutomine', [false])
    },
    async mine() {
      await chain.anvil.ask('evm_mine', [])
      await chain.anvil.ask('evm_setAutomine', [true])
    },
    async sent(count: number) {
      await until(async () => {
        const pool = await chain.anvil.ask('txpool_status', [])
        return Number((pool as { pending: string }).pending) === count
      })
    },
  }
}

describe('rows that a ledger has lost', () => {
  test.for([
    ['in a currency whose rate has changed', '250', 'KES 250', '0.25', '0.75'],
    ['of all that there is', 'all', undefined, '1', '0'],
  ] as const)(
    'after their payment %s was mined: it is told and listed as it was executed, in the unit alone',
    async ([, typed, local, amount, left]) => {
      const caller = await openLender()
      const text = `7*${recipient}*${typed}*1`
      // No screen tells what all of a balance is worth.
      const agreed = local === undefined ? `${amount} tRBTC` : `${local} (${amount} tRBTC)`
      const told = await caller.dial('paid', text)
      expect(told).toMatch(`Amount: ${agreed}`)
      await caller.allDone()
      expect(await caller.activity()).toContain(`Cashed out ${agreed}`)
      expect(await caller.balance()).toBe(left)
      caller.lose(4_000)
      const toldNow = withoutBalance(told.replace(agreed, `${amount} tRBTC`))
      expect(await caller.dial('paid', text)).toBe(toldNow)
      await caller.allDone()
      expect(await caller.dial('paid', text)).toBe(toldNow)
      expect(await caller.activity()).toMatch(`Cashed out ${amount} tRBTC`)
      expect(await caller.balance()).toBe(left)
    },
  )

  test('while their payment waits in the pool: one is made, and told as it was', async () => {
    const caller = await openLender()
    const text = `7*${recipient}*250*1`
    await caller.holdBlocks()
    const told = await caller.dial('waits', text)
    await caller.sent(1)
    caller.lose(4_000)
    // The same text asks for another amount now, under the same intent.
    expect(await caller.dial('waits', text)).toContain('Amount: KES 250 (0.0625 tRBTC)')
    await caller.sent(2)
    await caller.mine()
    await caller.allDone()
    const toldNow = withoutBalance(told.replace('KES 250 (0.25 tRBTC)', '0.25 tRBTC'))
    expect(await caller.dial('waits', text)).toBe(toldNow)
    expect(await caller.activity()).toMatch('Cashed out 0.25 tRBTC')
    expect(await caller.balance()).toBe('0.75')
    const texts = await caller.texts()
    expect(texts.join('\n')).toMatch('Cashed out 0.25 tRBTC')
    expect(texts.join('\n')).not.toMatch(/0\.0625|KES/)
  })

  test('while their payment waits in the pool: no refusal says that nothing was sent', async () => {
    const caller = await openLender()
    const text = `7*${recipient}*250*1`
    await caller.holdBlocks()
    const told = await caller.dial('refused', text)
    await caller.sent(1)
    // The text asks for more than the balance now.
    caller.lose(100)
    expect(await caller.dial('refused', text)).toMatch('END It is not known yet whether')
    expect(await caller.dial('refused', 'x*x*x')).toMatch('END It is not known yet whether')
    await caller.mine()
    const toldNow = withoutBalance(told.replace('KES 250 (0.25 tRBTC)', '0.25 tRBTC'))
    expect(await caller.dial('refused', text)).toBe(toldNow)
    await caller.allDone()
    expect(await caller.activity()).toMatch('Cashed out 0.25 tRBTC')
    expect(await caller.balance()).toBe('0.75')
  })
})

/** Leaves out what only the lost rows told: about what was left after the payment. */
const withoutBalance = (receipt: string) =>
  receipt.replace(/\n(Balance after|You then owe): .*/g, '')
