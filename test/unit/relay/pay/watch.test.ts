import { encodeAbiParameters, encodeEventTopics, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { poolRules } from '../../../../src/chain/chains.ts'
import { relayForwarderAbi } from '../../../../src/relay/forwarder/abi.ts'
import { watchReceipt } from '../../../../src/relay/pay/delivery.ts'
import { buildBatch } from '../../../../src/relay/relayer.ts'
import { systemClock } from '../../../../src/runtime/clock.ts'
import { account, openMemoryRelayer } from '../../../ports/ledger-memory.ts'
import { fillNonce, id, offerOf, queue, requestOf } from '../../../ports/payments.ts'

/** Payments of accounts of their own, by their sessions. */
const requests = new Map(
  [1, 2, 3].map((number) => [`session ${number}`, requestOf(number)] as const),
)

const logs = [...requests.values()].map(({ intentId, from }) => ({
  address: account.address,
  topics: encodeEventTopics({
    ...{ abi: relayForwarderAbi, eventName: 'RequestProcessed', args: { intentId, from } },
  }) as Hex[],
  data: encodeAbiParameters([{ type: 'uint8' }], [0]),
}))

test('the delivery that sent a batch settles all its payments by the receipt, without a round', async () => {
  const time = { now: 1_000 }
  const clock = {
    ...systemClock,
    now: () => time.now,
    async sleep(ms: number) {
      time.now += ms
    },
  }
  let isMined = false
  const receipt = () => ({
    ...{ status: '0x1', blockNumber: '0x9', blockHash: id('block 9'), logs },
    transactionHash: signed.hash,
  })
  const { ledger, relayer, asked } = openMemoryRelayer({
    ...{ clock, now: clock.now, rules: { ...poolRules.rootstock, confirmations: 1 } },
    answers: { eth_getTransactionReceipt: () => (isMined ? receipt() : null) },
  })
  for (const [session, request] of requests) {
    const order = { request, kind: 'transfer' as const, spendsWei: 1n }
    await queue(ledger, offerOf(session, request.from, { order }))
  }
  const content = buildBatch(relayer, [...requests.values()])
  const signed = relayer.signer.sign({ nonce: 0, gasPriceWei: 1n, ...content })
  const sessions = [...requests.keys()]
  expect(await fillNonce(ledger, { nonce: 0, chainNonce: 0, sessions }, signed)).toBe('recorded')
  const sending = { nonce: 0, transaction: signed, requests, isFirst: true }
  const states = async () =>
    Promise.all(sessions.map(async (session) => (await ledger.findPayment(session))?.state))

  await watchReceipt(relayer, sending)
  expect(await states()).toEqual(['signed', 'signed', 'signed'])
  isMined = true
  await watchReceipt(relayer, sending)
  expect(await states()).toEqual(['confirmed', 'confirmed', 'confirmed'])
  const methods = asked.map(({ method }) => method)
  expect(methods).toEqual(['eth_getTransactionReceipt', 'eth_getTransactionReceipt'])
})
