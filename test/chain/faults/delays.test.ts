import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { claimOf } from '../../support/faults/oracle.ts'
import { type Rig, startRig, stranger } from '../../support/faults/rig.ts'

/** In this time a caller is answered, whatever the node does. */
const ANSWERED_WITHIN_MS = 8_000

let rig: Rig

beforeAll(async () => {
  rig = await startRig({ blockMs: 100, callers: 20 })
})

afterEach(async () => {
  rig.faults.clear()
  await rig.faults.accept()
})

afterAll(() => rig.stop())

const pay = (phone: string) => ({
  phone,
  sessionId: 'pays',
  text: `2*${stranger}*0.25`,
})

async function timed<Result>(work: Promise<Result>): Promise<{ result: Result; ms: number }> {
  const started = performance.now()
  return { result: await work, ms: performance.now() - started }
}

async function judged(): Promise<string[]> {
  await rig.settle()
  return (await rig.judge()).faults
}

describe('a node that takes longer than anybody waits', () => {
  test.for(['eth_call', 'eth_getTransactionCount', 'eth_gasPrice'])(
    'for %s leaves time to say that nothing was sent',
    async (method, { expect }) => {
      await rig.relay.restart('kept')
      const caller = rig.nextCaller()
      const scripted = rig.faults.script({
        fault: { kind: 'delay_request', ms: 9_000 },
        methods: [method],
      })
      const { result, ms } = await timed(rig.deliver(pay(caller.phone)))
      expect(claimOf(result)).toBe('refused')
      expect(ms).toBeLessThan(ANSWERED_WITHIN_MS)
      expect(scripted.hits()).toBeGreaterThan(0)
      scripted.end()
      expect(await rig.deliver(pay(caller.phone))).toEqual(result)
      expect(await judged()).toEqual([])
    },
  )

  test.for(['delay_request', 'delay_reply'] as const)(
    'for the transaction itself leaves "submitted" true (%s)',
    async (kind, { expect }) => {
      const caller = rig.nextCaller()
      const scripted = rig.faults.script({
        fault: { kind, ms: 9_000 },
        methods: ['eth_sendRawTransaction'],
      })
      const { result, ms } = await timed(rig.deliver(pay(caller.phone)))
      expect(claimOf(result)).toBe('submitted')
      expect(ms).toBeLessThan(ANSWERED_WITHIN_MS)
      expect(scripted.hits()).toBeGreaterThan(0)
      scripted.end()
      expect(await judged()).toEqual([])
    },
  )

  test('for everything, to many callers at once', async ({ expect }) => {
    await rig.relay.restart('kept')
    const callers = Array.from({ length: 8 }, () => rig.nextCaller())
    rig.faults.script({ fault: { kind: 'delay_reply', ms: 9_000 } })
    const answers = await Promise.all(callers.map(({ phone }) => timed(rig.deliver(pay(phone)))))
    for (const { result, ms } of answers) {
      expect(claimOf(result)).toBe('refused')
      expect(ms).toBeLessThan(ANSWERED_WITHIN_MS)
    }
    rig.faults.clear()
    expect(await judged()).toEqual([])
  })
})

describe('a node that is not there', () => {
  test('is told at once, and the same way when it is back', async ({ expect }) => {
    await rig.faults.refuse()
    const caller = rig.nextCaller()
    const { result, ms } = await timed(rig.deliver(pay(caller.phone)))
    expect(claimOf(result)).toBe('refused')
    expect(ms).toBeLessThan(2_000)
    await rig.faults.accept()
    expect(await rig.deliver(pay(caller.phone))).toEqual(result)
    expect(claimOf(await rig.deliver(pay(rig.nextCaller().phone)))).toBe('submitted')
    expect(await judged()).toEqual([])
  })

  test('from the moment of the broadcast on holds a payment up and loses none', async ({
    expect,
  }) => {
    const caller = rig.nextCaller()
    rig.faults.script({
      fault: { kind: 'refuse', ms: 3_000 },
      methods: ['eth_sendRawTransaction'],
      times: 1,
    })
    const { result } = await timed(rig.deliver(pay(caller.phone)))
    expect(claimOf(result)).toBe('submitted')
    expect(await judged()).toEqual([])
  })
})
