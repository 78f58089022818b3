import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { ask, dial, newSession, untilBalance } from '../support/caller.ts'
import { accountOf, fund, processed } from '../support/ground-truth.ts'

type Line = { event: string; message: string; level: string; method: string; hash?: string }

const lines: Line[] = []

beforeEach(() => {
  lines.length = 0
  for (const method of ['log', 'warn', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((line: string) => {
      lines.push({ ...JSON.parse(line), method })
    })
  }
})
afterEach(() => {
  vi.restoreAllMocks()
})

const messages = () => lines.map(({ message }) => message)

async function hashOfLast(phone: string): Promise<string> {
  const account = await accountOf(phone)
  await until(async () => (await processed(account)).length > 0)
  const last = (await processed(account)).at(-1)
  return `${last?.hash}`
}

describe('settlement', () => {
  test('has the whole hash of a transfer in the log, and in no screen', async () => {
    const [caller, session] = ['+254700000305', newSession()]
    await fund(caller, '0.5')
    const deliver = async (text: string) => (await dial(caller, text, session)).text
    const paid = await deliver('2*0700000304*0.001')
    const hash = await hashOfLast(caller)
    await until(async () => messages().includes(`Transfer confirmed: ${hash}`))
    const screens = [paid, await deliver('2*0700000304*0.001'), await deliver('1')]
    expect(paid).toContain(`\nTx: ${hash.slice(0, 12)}...\n`)
    for (const screen of screens) expect(screen).not.toMatch(/0x[0-9a-f]{11}/)
    // Nobody mines the blocks of a local chain.
    const proof = await ask(`/proof/${hash}`)
    expect(await proof.json()).toMatchObject({ isProved: false })
    expect((await ask(`/proof/0x${'00'.repeat(32)}`)).status).toBe(404)
  })

  test('broadcasts a second loan with PREFLIGHT off, and logs once what became of each', async () => {
    const caller = '+254700000302'
    await dial(caller, '3')
    const confirmed = `Loan confirmed: ${await hashOfLast(caller)}`
    await until(async () => messages().includes(confirmed))
    const again = await dial(caller, '3', newSession(), { PREFLIGHT: 'off' })
    expect(again.text).toMatch(/^END Loan Requested/)
    await until(async () => messages().includes('Loan failed on-chain: Existing loan active'))
    expect(messages().filter((message) => message === confirmed)).toHaveLength(1)
    const reverted = lines.find(({ event }) => event === 'payment.reverted')
    // Alerts of the platform go by the console's method.
    expect(reverted).toMatchObject({ level: 'warn', method: 'warn' })
    // The intent is spent and nothing was lent.
    expect((await processed(await accountOf(caller))).at(-1)?.status).toBe('failed')
    await untilBalance(caller, '0.01')
  })

  test('logs nothing about a person', async () => {
    const [caller, friend] = ['+254700000303', '+254700000304']
    await dial(caller, '3')
    await untilBalance(caller, '0.01')
    const typed = '2*0700000304*0.00123'
    await dial(caller, typed)
    await dial(caller, '2*0700000304*77777')
    await dial(caller, '2*nobody*0700000304*much')
    const hash = await hashOfLast(caller)
    await until(async () => messages().includes(`Transfer confirmed: ${hash}`))
    const everything = JSON.stringify(lines)
    const personal = [caller.slice(1), friend.slice(1), '0700000304', typed, '77777', 'nobody']
    expect(personal.filter((word) => everything.includes(word))).toEqual([])
  })
})
