import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../scripts/dev/faults/fault-proxy.ts'
import { readClaim } from '../../../scripts/dev/relays/oracle.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { openRig } from '../../support/faults/open-rig.ts'
import { sampleOf } from '../../support/sample.ts'

/** Lists a payment's node calls before and after its reply. */
const before = ['eth_call', 'eth_getTransactionCount', 'eth_gasPrice'] as const
const after = [
  'eth_sendRawTransaction',
  'eth_getTransactionReceipt',
  'eth_getBlockByNumber',
] as const

const faults: { name: string; fault: Fault }[] = [
  { name: 'its request is lost', fault: { kind: 'drop_request' } },
  { name: 'its answer is lost', fault: { kind: 'drop_reply' } },
  { name: 'its request is late', fault: { kind: 'delay_request', ms: 400 } },
  { name: 'its answer is late', fault: { kind: 'delay_reply', ms: 400 } },
  { name: 'a gateway says 429', fault: { kind: 'status', status: 429 } },
  { name: 'a gateway says 500', fault: { kind: 'status', status: 500 } },
  { name: 'a gateway shows a page', fault: { kind: 'html' } },
  { name: 'its answer is cut in half', fault: { kind: 'truncated' } },
  { name: 'a replica behind answers', fault: { kind: 'lagging', blocks: 3 } },
  { name: 'connections are refused for a while', fault: { kind: 'refuse', ms: 300 } },
]

/** Lists calls whose answers the ledger stores for seconds; an empty ledger makes them at once. */
const remembered: ReadonlySet<string> = new Set(['eth_getTransactionCount', 'eth_gasPrice'])

/** Faults after which an answer comes all the same. */
const harmless = new Set(['delay_request', 'delay_reply', 'lagging'])

// One payment under each fault at each question that it asks of its node: a run of every day makes
// a sample, under some faults one at a question before the reply and one after it.
const rig = openRig()

/**
 * Delivers one payment three times at once while a rule is in force, twice more when it has ended,
 * and once more when everything is settled. The rig judges everything that was ever told.
 */
async function payUnder(rule: {
  fault: Fault
  methods: string[]
  times?: number
  every?: number
  /** The ledger is empty, and no round of it has asked before the rule was in force. */
  isAnew?: boolean
}): Promise<Set<string>> {
  const delivery = rig.newPayment()
  const deliver = (times: number) =>
    Promise.all(Array.from({ length: times }, () => rig.deliver(delivery)))
  const scripted = rig.faults.script(rule)
  if (rule.isAnew) await rig.beginAnew()
  const replies = await deliver(3)
  // What is asked in the background is asked at the latest in a round of the ledger.
  await until(() => scripted.hits() > 0, { everyMs: 10 })
  scripted.end()
  await rig.faults.accept()
  replies.push(...(await deliver(2)))
  while (readClaim(replies.at(-1)) === 'uncertain') replies.push(...(await deliver(1)))
  await rig.settle()
  replies.push(await rig.deliver(delivery))
  return new Set(replies.map(({ text }) => text))
}

const claimsOf = (texts: Set<string>) => [...texts].map((text) => readClaim({ status: 200, text }))

describe.for(sampleOf(4, faults, 'kinds'))('a payment while $name', ({ name, fault }) => {
  const methods = [before, after].flatMap((part: readonly string[], index) =>
    sampleOf(1, part, `${name} ${index}`),
  )
  const isChosen = (method: string) => methods.includes(method)

  test.for(after.filter(isChosen))('at %s is submitted once, in the same words', async (method) => {
    const pay = () => payUnder({ fault, methods: [method], times: 1 })
    let told = await pay()
    // Refused connections strike every question. Where a round asked first, nothing was sent.
    for (let again = 0; fault.kind === 'refuse' && again < 4; again += 1) {
      if (!claimsOf(told).includes('refused')) break
      told = await pay()
    }
    expect(claimsOf(told)).toEqual(['submitted'])
  })

  test.for(before.filter(isChosen))('at %s is submitted or nothing was sent', async (method) => {
    const told = await payUnder({ fault, methods: [method], isAnew: remembered.has(method) })
    // Without the key's nonces an empty ledger does not know what it has lost: it closes nothing.
    const isUnknown =
      method === 'eth_getTransactionCount' || (remembered.has(method) && fault.kind === 'refuse')
    const claims = claimsOf(told)
    if (isUnknown && !harmless.has(fault.kind)) {
      expect(claims).toEqual(['uncertain', 'submitted'])
      return
    }
    // On a busy machine a delivery may give up and not know; if all three do, the next one decides,
    // without the fault.
    const decided = claims.filter((claim) => claim !== 'uncertain')
    const others = claims[0] === 'uncertain' ? ['submitted'] : []
    expect(harmless.has(fault.kind) ? ['submitted'] : ['refused', ...others]).toContain(decided[0])
    expect(decided).toHaveLength(1)
  })
})

describe('a payment while every second request fails', () => {
  const kinds: Fault[] = [
    { kind: 'drop_request' },
    { kind: 'drop_reply' },
    { kind: 'status', status: 500 },
    { kind: 'truncated' },
  ]

  test.for(sampleOf(2, [...before, ...after], 'every second'))('at %s', async (method) => {
    if (remembered.has(method)) await rig.beginAnew()
    const told = await payUnder({ fault: { kind: 'drop_reply' }, methods: [method], every: 2 })
    // Which of the deliveries' questions fail is theirs to race for: before anything is recorded
    // they may all be told that nothing was sent, and one that gave up may not know.
    const decided = claimsOf(told).filter((claim) => claim !== 'uncertain')
    expect(
      before.some((early) => early === method) ? ['submitted', 'refused'] : ['submitted'],
    ).toContain(decided[0])
    expect(decided).toHaveLength(1)
  })

  test.for(sampleOf(1, kinds, 'by kind'))('at any method, by $kind', async (fault) => {
    const methods = [...before, ...after]
    const told = await payUnder({ fault, methods, every: 2 })
    expect(claimsOf(told).filter((claim) => claim !== 'uncertain')).toHaveLength(1)
  })
})
