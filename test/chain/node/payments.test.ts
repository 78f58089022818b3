import { type Address, createPublicClient, http, parseEther } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { type Caller, createCallers, deposit } from '../../../scripts/dev/relays/callers.ts'
import { postDelivery } from '../../../scripts/dev/relays/relay-workers.ts'
import { exchange } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { inTime } from '../../support/in-time.ts'
import { opened } from '../../support/opened.ts'
import { lieAboutHeight, startProxyNode } from './support/proxy-node.ts'
import { startRealWorker } from './support/real-worker.ts'

const account = `0x${'ab'.repeat(20)}`
const limitMs = 8_000
const callersEach = 4

const chain = opened(() => startChain())
let callers: Caller[]
const nodes = [0, 1, 2].map(() => opened(() => startProxyNode(chain.anvil.url)))
const worker = opened(() =>
  startRealWorker([], { ...chain.bindings, NODE_URL: nodes.map(({ url }) => url).join(',') }),
)

beforeAll(async () => {
  callers = await createCallers(chain, callersEach)
  const accounts = callers.map(({ account }) => account.address)
  await deposit(chain, accounts, parseEther('1'))
})

const ahead = (height: number): number => height + 1_000
const behind = (height: number): number => Math.max(0, height - 3)

// Which of the three is frozen, which one lies, and how: the preferred node comes first.
const cases = [
  { frozen: 0, liar: 1, words: 'the first frozen, the second ahead', lie: ahead },
  { frozen: 0, liar: 1, words: 'the first frozen, the second behind', lie: behind },
  { frozen: 1, liar: 0, words: 'the second frozen, the first ahead', lie: ahead },
  { frozen: 1, liar: 0, words: 'the second frozen, the first behind', lie: behind },
  { frozen: 2, liar: 0, words: 'the last frozen, the first ahead', lie: ahead },
]

for (const [index, { frozen, liar, words, lie }] of cases.entries()) {
  test(`payments and reads go on within 8 s: ${words}`, async () => {
    const recipient: Address = `0x${`${index + 1}`.repeat(40)}`
    nodes[liar]?.lie(lieAboutHeight(lie))
    nodes[frozen]?.freeze()
    try {
      const payments = callers.map(async ({ phone }, which) => {
        const text = `2*${recipient}*0.01`
        const session = `pay-${index}-${which}`
        const paid = await dialUntilPaid(phone, session, text)
        const again = await inTime(limitMs, () => dial(phone, paid.session, text))
        expect(again).toBe(paid.screen)
        const read = await inTime(limitMs, () => dial(phone, `read-${index}-${which}`, '1'))
        expect(read).toMatch(/^END Your Balance: /)
        return paid.ms
      })
      const asked: [string, unknown[]][] = [
        ['eth_blockNumber', []],
        ['eth_getBlockByNumber', ['latest', false]],
        ['eth_getBalance', [account, 'latest']],
        ['eth_call', [{ to: account }, 'latest']],
        ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]],
      ]
      const reads = asked.map(async ([method, params]) => {
        const { answer } = await inTime(limitMs, () => exchange(worker.rpcUrl, method, params))
        expect(answer, method).not.toHaveProperty('error')
      })
      await Promise.all(reads)
      // A machine that is busy with something else makes some of them late; nodes make all of them
      // so.
      expect(Math.min(...(await Promise.all(payments)))).toBeLessThan(limitMs)
      await until(async () => (await balanceOf(recipient)) >= parseEther('0.01') * 4n)
      expect(await balanceOf(recipient)).toBe(parseEther('0.01') * BigInt(callersEach))
    } finally {
      nodes[liar]?.lie(undefined)
      nodes[frozen]?.thaw()
    }
  })
}

test('each of these payments is confirmed exactly once', async () => {
  const confirmed = (): number =>
    worker.lines.filter((line) => line.includes('Transfer confirmed: ')).length
  await until(async () => confirmed() >= cases.length * callersEach)
  expect(confirmed()).toBe(cases.length * callersEach)
  for (const caller of callers) {
    const left = parseEther('1') - parseEther('0.01') * BigInt(cases.length)
    expect(await balanceOf(caller.account.address)).toBe(left)
  }
})

async function dial(phone: string, sessionId: string, text: string): Promise<string> {
  return (await postDelivery(worker.origin, { phone, sessionId, text })).text
}

/** Reads past everything under test. */
const balanceOf = (owner: Address): Promise<bigint> =>
  loanAt(createPublicClient({ transport: http(chain.anvil.url) }), chain.loan).getBalance([owner])

/** Dials anew while a busy machine leaves no time: nothing was sent then, as she is told. */
async function dialUntilPaid(phone: string, name: string, text: string) {
  for (let turn = 0; turn < 10; turn += 1) {
    const session = `${name}-${turn}`
    const since = performance.now()
    const screen = await dial(phone, session, text)
    const ms = performance.now() - since
    if (screen.startsWith('END Transfer Submitted\n')) return { session, screen, ms }
    expect(screen).toBe('END Service not available. Nothing was sent. Please try again later.')
  }
  throw new Error('nodes leave no time for a payment')
}
