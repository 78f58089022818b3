import { type Hex, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { TransportError } from '../../../../src/chain/rpc.ts'
import { encodeCall } from '../../../../src/loan/calls.ts'
import { decodeRequests } from '../../../../src/relay/forwarder/requests.ts'
import type { Order } from '../../../../src/relay/ledger/values.ts'
import { broadcast } from '../../../../src/relay/outcome/broadcast.ts'
import { createAcceptor } from '../../../../src/relay/pay/acceptor.ts'
import { runRound } from '../../../../src/relay/rounds/round.ts'
import { openMemoryRelayer } from '../../../ports/ledger-memory.ts'
import { offerOf, queue, requestOf } from '../../../ports/payments.ts'

const walletOf = (number: number) => numberToHex(0xca_0000_0000_00n + BigInt(number), { size: 20 })
const word = (value: number) => numberToHex(value, { size: 32 })
const contract = '0x00'

/** A relayer over a ledger in memory; what stands at wallets, or `at` one, may change. */
function open() {
  const world = {
    ...{ now: 1_000, seconds: 1, nonce: 0, height: 0x10 },
    code: '0x' as Hex | undefined,
    at: undefined as number | undefined,
  }
  const answers = {
    eth_getBlockByNumber: ([selector]: readonly unknown[]) => {
      const number = selector === 'latest' ? world.height : Number(selector)
      return {
        ...{ number: numberToHex(number), hash: word(number), parentHash: word(number - 1) },
        ...{ timestamp: numberToHex(world.seconds), transactions: [] },
      }
    },
    eth_getTransactionCount: () => numberToHex(world.nonce),
    eth_getTransactionReceipt: () => null,
    eth_gasPrice: () => '0x1',
    eth_getBalance: () => '0x1',
    eth_call: () => numberToHex(0, { size: 64 }),
    eth_getLogs: () => [],
    eth_sendRawTransaction: () => word(0),
    eth_getCode([wallet]: readonly unknown[]) {
      if (world.at !== undefined && Number(wallet) !== Number(walletOf(world.at))) return '0x'
      if (world.code === undefined) throw new TransportError('the node does not answer')
      return world.code
    },
  }
  const events: string[] = []
  const log = ({ event }: { event: string }) => void events.push(event)
  const opened = openMemoryRelayer({ answers, log, now: () => world.now })
  const { relayer, ledger, asked } = opened

  const orderOf = (number: number, isCashOut: boolean): Order => {
    const kind = isCashOut ? 'cashOut' : 'transfer'
    const data = encodeCall({ kind, to: walletOf(number), amountWei: 1n })
    return { request: requestOf(number, data), kind, spendsWei: 1n }
  }
  const offerFor = (session: string, number: number) => {
    const order = orderOf(number, session.startsWith('out'))
    return offerOf(session, order.request.from, { order, gasPriceWei: 1n })
  }
  const rawsSent = () =>
    asked.flatMap(({ method, params }) =>
      method === 'eth_sendRawTransaction' ? [params[0] as Hex] : [],
    )
  return {
    ...{ world, relayer, ledger, events, asked },
    /** Accepts payments in one transaction, which it does not send. */
    async accept(...sessions: string[]) {
      const accept = createAcceptor(relayer)
      const offered = sessions.map((session, index) => accept(offerFor(session, index + 1)))
      const [first] = await Promise.all(offered)
      const { sending } = first as { sending?: Parameters<typeof send>[0] }
      if (sending === undefined) throw new Error('nothing is to be sent')
      return sending
    },
    enqueue: (session: string, number: number) => queue(ledger, offerFor(session, number)),
    send,
    async roundAfter(ms: number) {
      world.now += ms
      asked.length = 0
      await runRound(relayer)
      return sessionsSent()
    },
    sessionsSent,
    stateOf: async (session: string) => (await ledger.findPayment(session))?.state,
  }

  type Sending = Omit<Parameters<typeof broadcast>[1], 'isUnsent'>

  function send(sending: Sending, over: Partial<typeof relayer> = {}) {
    return broadcast({ ...relayer, ...over }, { ...sending, isUnsent: true }, 1_000)
  }

  /** Lists the ids of the intents in each transaction that left. */
  function sessionsSent(): number[][] {
    return rawsSent().map((raw) => {
      const { data } = relayer.signer.readContent({ hash: '0x', raw, gasPriceWei: 0n })
      return decodeRequests(data).map(({ intentId }) => Number(intentId))
    })
  }
}

test('a cash-out leaves in a batch while its recipient is a wallet', async () => {
  const { accept, send, sessionsSent, stateOf } = open()
  expect(await send(await accept('out', 'other'))).toBe('taken')
  expect(sessionsSent()).toEqual([[1, 2]])
  expect([await stateOf('out'), await stateOf('other')]).toEqual(['signed', 'signed'])
})

test.for(['the delivery', 'a round'] as const)(
  'code that appears before the first send ends the cash-out, and others go on: seen by %s',
  async (by) => {
    const { world, accept, send, roundAfter, sessionsSent, stateOf, ledger, events } = open()
    const sending = await accept('out', 'other')
    world.code = contract
    if (by === 'the delivery') expect(await send(sending)).toBe('withheld')
    else await roundAfter(10_000)
    if (by === 'the delivery') expect(sessionsSent()).toEqual([])
    if (by === 'the delivery') await roundAfter(10_000)
    // The nonce is used again, without a higher price.
    expect(sessionsSent()).toEqual([[2]])
    const { nonces } = await ledger.readWork()
    expect(nonces).toMatchObject([{ nonce: 0, sessions: ['other'], transactions: [{}] }])
    expect(nonces[0]?.transactions[0]?.gasPriceWei).toBe(sending.transaction.gasPriceWei)
    const ended = { state: 'expired', reason: 'Recipient not allowed', attempts: 0 }
    expect(await ledger.findPayment('out')).toMatchObject(ended)
    expect(await stateOf('other')).toBe('signed')
    expect(events).toContain('broadcast.withheld')
    // Whatever comes later, the cash-out never leaves.
    world.code = '0x'
    for (let round = 0; round < 4; round++) {
      const sent = await roundAfter(130_000)
      expect(sent.flat()).not.toContain(1)
    }
  },
)

test.for([
  [1, contract],
  [2, contract],
  [3, contract],
  [2, undefined],
] as const)(
  'of a batch of cash-outs the one in place %s alone stays, with code %s',
  async ([at, code]) => {
    const { world, accept, send, roundAfter, sessionsSent } = open()
    const sending = await accept('out a', 'out b', 'out c')
    Object.assign(world, { at, code })
    expect(await send(sending)).toBe('withheld')
    expect(sessionsSent()).toEqual([])
    expect(await roundAfter(10_000)).toEqual([[1, 2, 3].filter((number) => number !== at)])
  },
)

test('a cash-out waits while no node tells who is paid, and no other waits for it', async () => {
  const { world, accept, send, roundAfter, stateOf } = open()
  const sending = await accept('out', 'other')
  world.code = undefined
  expect(await send(sending)).toBe('withheld')
  expect(await roundAfter(10_000)).toEqual([[2]])
  expect([await stateOf('out'), await stateOf('other')]).toEqual(['queued', 'signed'])
  expect(await roundAfter(10_000)).toEqual([])
  world.code = '0x'
  expect(await roundAfter(10_000)).toEqual([[1]])
  expect(await stateOf('out')).toBe('signed')
})

test('a queued cash-out is judged again before a transaction carries it', async () => {
  const { world, enqueue, roundAfter, stateOf } = open()
  await enqueue('out', 1)
  await enqueue('other', 2)
  world.code = contract
  expect(await roundAfter(10_000)).toEqual([[2]])
  expect(await stateOf('out')).toBe('expired')
})

test('bytes that may have left are not taken back, whatever stands at the recipient', async () => {
  const { world, accept, ledger, roundAfter, stateOf } = open()
  const { nonce, transaction } = await accept('out', 'other')
  const { hash } = transaction
  // Another process is about to send them.
  expect(await ledger.beginSend({ nonce, hash, mayLeave: true })).toEqual({ kind: 'begun' })
  world.code = contract
  expect(await ledger.beginSend({ nonce, hash, mayLeave: false })).toEqual({ kind: 'begun' })
  expect(await roundAfter(130_000)).toEqual([[1, 2]])
  expect([await stateOf('out'), await stateOf('other')]).toEqual(['signed', 'signed'])
})

test('bytes that another process took back are not sent', async () => {
  const { world, accept, send, sessionsSent, ledger } = open()
  const sending = await accept('out', 'other')
  const { nonce, transaction } = sending
  await ledger.beginSend({ nonce, hash: transaction.hash, mayLeave: false })
  world.code = '0x'
  expect(await send(sending)).toBe('withheld')
  expect(sessionsSent()).toEqual([])
})

test('a cash-out that a transaction carried before only waits for its deadline', async () => {
  const { world, accept, roundAfter, stateOf, ledger } = open()
  const { nonce } = await accept('out')
  // Foreign bytes held the nonce: ours may have left.
  await ledger.recordDisplaced(nonce)
  world.code = contract
  world.now += 16 * 60_000
  expect(await roundAfter(10_000)).toEqual([])
  expect(await stateOf('out')).toBe('queued')
})

test('a transaction without a cash-out costs no question and no write more', async () => {
  const { accept, send, asked, ledger } = open()
  const sending = await accept('other', 'others')
  let begun = 0
  const beginSend: typeof ledger.beginSend = (first) => {
    begun += 1
    return ledger.beginSend(first)
  }
  expect(await send(sending, { ledger: { ...ledger, beginSend } })).toBe('taken')
  expect(begun).toBe(0)
  expect(asked.map(({ method }) => method)).toEqual(['eth_sendRawTransaction'])
})
