import { encodeAbiParameters, encodeEventTopics, type Hex, numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { poolRules } from '../../../../src/chain/chains.ts'
import { createNode } from '../../../../src/chain/node.ts'
import { createNodeService } from '../../../../src/node/service.ts'
import { relayForwarderAbi } from '../../../../src/relay/forwarder/abi.ts'
import { buildBatch, type Relayer } from '../../../../src/relay/relayer.ts'
import { getDifficultyFloor } from '../../../../src/relay/rounds/follow.ts'
import { runRound } from '../../../../src/relay/rounds/round.ts'
import { account, openMemoryRelayer } from '../../../ports/ledger-memory.ts'
import { fillNonce, offerOf, queue, requestOf } from '../../../ports/payments.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import {
  type Forged,
  type ForgeOptions,
  forge,
  type Sent,
  showing,
} from '../../../support/rskj-node/forge.ts'

const rules = { ...poolRules.rootstock, confirmations: 3, watchBlocks: 6 }
const mining = { minDifficulty: 1n, from: 1 }
const session = 'session'
const request = requestOf(1)
const { from, intentId } = request

/** Creates the forwarder's result for the payment. */
function toldBy(outcome: 'executed' | 'failed'): Sent['logs'] {
  const eventName = outcome === 'executed' ? 'RequestProcessed' : 'RequestFailed'
  const args = { intentId, from }
  const topics = encodeEventTopics({ abi: relayForwarderAbi, eventName, args }) as Hex[]
  const data =
    outcome === 'executed'
      ? encodeAbiParameters([{ type: 'uint8' }], [0])
      : encodeAbiParameters([{ type: 'bytes' }], ['0x'])
  return [{ address: account.address.toLowerCase(), topics, data }]
}

/** Adds blocks on top, of which the first has the transactions. */
function onTop(below: readonly Forged[], count: number, options: Partial<ForgeOptions>): Forged[] {
  const blocks = [...below]
  for (let made = 0; made < count; made += 1) {
    const sent = (made === 0 && options.sent) || []
    blocks.push(forge(blocks.at(-1), { ...options, sent }))
  }
  return blocks
}

type Answers = Record<string, (params: readonly unknown[]) => unknown>

/** Starts a relay with a sent payment, before nodes that each show another chain. */
async function open({ count = 1, isProving = true, over = {} as Answers, confirmations = 3 } = {}) {
  const proofs = isProving ? mining : undefined
  const chains: (readonly Forged[])[] = Array.from({ length: count }, () => [])
  const clock = createHandClock()
  const [events, asked]: [string[], string[]] = [[], []]
  const log: Relayer['log'] = ({ event }) => void events.push(event)
  const nodes = chains.map((_, place) => showing(() => chains[place] ?? [], over))
  const urls = chains.map((_, place) => `http://node-${place}/`)
  const fetch: typeof globalThis.fetch = (input, init) => {
    asked.push(...[JSON.parse(`${init?.body}`)].flat().map(({ method }) => method))
    return (nodes[urls.indexOf(`${input}`)] as typeof fetch)(input, init)
  }
  const shared = { clock, log, waitUntil: () => {} }
  const service = createNodeService({ chainId: 31, urls, fetch, mining: proofs, ...shared })
  const time = { now: 1_000 }
  const { ledger, relayer } = openMemoryRelayer({
    ...{ node: createNode(service.request), rules: { ...rules, confirmations }, proofs, log },
    ...{ now: () => time.now, limits: { watchBlocks: rules.watchBlocks } },
  })
  const order = { request, kind: 'transfer' as const, spendsWei: 1n }
  await queue(ledger, offerOf(session, from, { order }))
  const content = buildBatch(relayer, [request])
  const signed = relayer.signer.sign({ nonce: 0, gasPriceWei: 1n, ...content })
  await fillNonce(ledger, { nonce: 0, chainNonce: 0, sessions: [session] }, signed)
  await ledger.recordSend(signed.hash, 'taken')
  const sentWith = (outcome: 'executed' | 'failed'): Sent => ({
    ...{ hash: signed.hash, raw: signed.raw, from: account.address },
    ...{ status: '0x1', logs: toldBy(outcome) },
  })
  return {
    ...{ relayer, ledger, events, asked, service, signed, sentWith, chains },
    /** Has nodes show these blocks, and rounds look at them. */
    async look(...shown: (readonly Forged[])[]) {
      for (const [place, blocks] of shown.entries()) chains[place] = blocks
      for (let round = 0; round < 3; round += 1) {
        time.now += 60_000
        clock.forward(60_000)
        await runRound(relayer).catch(() => events.push('round.failed'))
      }
      return (await ledger.findPayment(session))?.state
    },
  }
}

const usual = { difficulty: '0x40' } as const
const base = onTop([], 4, usual)

/** Four blocks on the base, of which the first has the payment. */
const paid = (sent: Sent, options: Partial<ForgeOptions> = usual) =>
  onTop(base, 4, { ...options, sent: [sent] })

/** Returns the blocks under other hashes, as with headers of an unknown form. */
function rehash(blocks: readonly Forged[]): Forged[] {
  const rename = (text: string, { hash }: Forged) =>
    text.replaceAll(hash, hash.replace(/..$/, '00'))
  return JSON.parse(blocks.reduce(rename, JSON.stringify(blocks)))
}

test('an outcome is final by a receipt, headers that were mined, and enough work on them', async () => {
  const { look, sentWith, events, ledger } = await open()
  expect(await look(base)).toBe('signed')
  const blocks = paid(sentWith('executed'))
  expect(await look(blocks.slice(0, 5))).toBe('mined')
  expect(await look(blocks.slice(0, 6))).toBe('mined')
  expect(await look(blocks)).toBe('confirmed')
  expect(events).not.toContain('payment.unproved')
  expect((await ledger.readVitals()).observations.unproved).toBeUndefined()
})

describe.each([
  ['no work', { difficulty: '0x40', mines: false }, 'signed'],
  ['work of a lower difficulty than its network has', { difficulty: '0x0' }, 'signed'],
  ['less work than half of what was followed before', { difficulty: '0x1' }, 'mined'],
] as const)(
  'a liar with matching receipts, roots, headers and hashes, with %s',
  (_, options, state) => {
    test('confirms no false payment as the only node', async () => {
      const { look, sentWith, events } = await open()
      await look(base)
      expect(await look(paid(sentWith('executed'), options))).toBe(state)
      expect(events).not.toContain('payment.confirmed')
    })

    test('nor with a head far above the followed blocks', async () => {
      const { look, sentWith, events } = await open()
      await look(base)
      const blocks = paid(sentWith('executed'), options)
      await look(blocks)
      expect(await look(onTop(blocks, 9, options))).toBe(state)
      expect(events).not.toContain('payment.confirmed')
    })

    test.for([0, 1, 2])('nor as node %i of three', async (place) => {
      const { look, sentWith, events } = await open({ count: 3 })
      const honest = onTop(base, 4, usual)
      await look(base, base, base)
      const shown = [honest, honest, honest].with(place, paid(sentWith('executed'), options))
      await look(...shown)
      expect(events).not.toContain('payment.confirmed')
      expect(await look(...shown.with(place, honest))).toBe('signed')
    })
  },
)

test('a lying node with a head above a gap needs as much work as without one', async () => {
  const over: Answers = {}
  const { look, sentWith, events } = await open({ over })
  await look(base)
  const low = { difficulty: '0x1' } as const
  const blocks = onTop(onTop(base, 3, low), 5, { ...low, sent: [sentWith('executed')] })
  over.eth_getTransactionCount = () => '0x1'
  expect(await look(blocks)).toBe('mined')
  expect(await look(onTop(blocks, 1, low))).toBe('mined')
  expect(events).not.toContain('payment.confirmed')
})

test('blocks whose difficulty falls as fast as allowed have enough work', () => {
  let difficulty = 10n ** 22n
  const followed: { number: number; floor: Hex }[] = []
  for (let number = 1; number < 1_000; number += 1) {
    difficulty -= difficulty / 400n
    const floor = getDifficultyFloor(followed.at(-1), number, numberToHex(difficulty))
    followed.push({ number, floor })
    expect(followed.slice(-50).every((one) => BigInt(one.floor) < difficulty)).toBe(true)
  }
})

describe('nodes that cannot prove an outcome are trusted, with an alert,', () => {
  const untyped = (blocks: readonly Forged[]): Forged[] =>
    blocks.map(({ transactions, ...block }) => ({
      ...block,
      transactions: transactions.map((one) => ({ ...one, type: '0x5' })),
    }))

  test.for([
    ['headers are of a form that is not known', rehash, 3],
    ['that is so, and being in a block is enough', rehash, 1],
    ['the last header is', (all: Forged[]) => [...all.slice(0, 6), ...rehash(all.slice(6, 7))], 3],
    ['a transaction in the block is of a type that is not known', untyped, 3],
  ] as const)('where %s', async ([, change, confirmations]) => {
    const { look, sentWith, events, ledger } = await open({ confirmations })
    await look(base)
    expect(await look(change(paid(sentWith('executed'))))).toBe('confirmed')
    expect(events).toContain('payment.unproved')
    expect((await ledger.readVitals()).observations.unproved).toMatchObject({ block: 5 })
  })

  test.for([0, 1])('but not if node %i of two alone tells it', async (place) => {
    const { look, sentWith, events } = await open({ count: 2 })
    await look(base, base)
    const told = untyped(paid(sentWith('executed')))
    const untold: Forged[] = told.map((block) => ({ ...block, receipts: [] }))
    expect(await look(...[untold, untold].with(place, told))).toBe('mined')
    expect(events).not.toContain('payment.confirmed')
    expect(await look(told, told)).toBe('confirmed')
    expect(events).toContain('payment.unproved')
  })

  test.for([
    ['have no receipt any more', null],
    ['refuse to show it', undefined],
  ] as const)('where they %s', async ([, answer]) => {
    const over: Answers = {}
    const { look, sentWith, events } = await open({ over })
    const blocks = paid(sentWith('executed'))
    expect(await look(base)).toBe('signed')
    expect(await look(blocks.slice(0, 5))).toBe('mined')
    over.eth_getTransactionReceipt = () => answer
    expect(await look(blocks)).toBe('confirmed')
    expect(events).toContain('payment.unproved')
  })
})

test('missing answers are requested again', async () => {
  const over: Answers = {}
  const { look, sentWith, events } = await open({ over })
  const blocks = paid(sentWith('executed'))
  await look(base)
  await look(blocks.slice(0, 5))
  over.eth_getTransactionReceipt = () => 'no receipt'
  expect(await look(blocks)).toBe('mined')
  delete over.eth_getTransactionReceipt
  expect(await look(blocks)).toBe('confirmed')
  expect(events).not.toContain('payment.unproved')
})

test('an unproved outcome is corrected by a receipt that is proved later', async () => {
  const { look, sentWith, events, chains } = await open()
  await look(base)
  const [lie, truth] = [paid(sentWith('executed')), paid(sentWith('failed'))]
  // Under the hash of the block that was mined stands a header of no form, with another receipt.
  const [block, told] = [truth[4], lie[4]] as [Forged, Forged]
  const receipts = JSON.parse(JSON.stringify(told.receipts).replaceAll(told.hash, block.hash))
  const untold = { ...block, stateRoot: block.receiptsRoot, receipts }
  expect(await look([...base, untold])).toBe('mined')
  expect(await look(truth)).toBe('reverted')
  expect(events).not.toContain('payment.confirmed')
  expect(chains[0]).toBe(truth)
})

test('a payment below the followed blocks is proved by the blocks above it', async () => {
  const { look, sentWith, events } = await open()
  const blocks = paid(sentWith('executed'))
  await look(base)
  expect(await look(blocks.slice(0, 5))).toBe('mined')
  expect(await look(onTop(blocks, 9, usual))).toBe('confirmed')
  expect(events).not.toContain('payment.unproved')
})

test('blocks that were followed without proofs are read again', async () => {
  const { look, sentWith, events, relayer } = await open()
  const blocks = paid(sentWith('executed'))
  relayer.proofs = undefined
  await look(base)
  expect(await look(blocks.slice(0, 6))).toBe('mined')
  relayer.proofs = mining
  expect(await look(blocks)).toBe('confirmed')
  expect(events).not.toContain('payment.unproved')
})

test('without proofs nodes are trusted, and asked nothing more', async () => {
  const { look, sentWith, events, asked } = await open({ isProving: false })
  await look(base)
  const blocks = paid(sentWith('executed'), { mines: false })
  expect(await look(blocks.slice(0, 6))).toBe('mined')
  const before = asked.filter((method) => method === 'eth_getTransactionReceipt').length
  expect(await look(blocks)).toBe('confirmed')
  expect(asked.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(before)
  expect(events).not.toContain('payment.unproved')
})
