import { fromRlp, type Hex, keccak256, toHex, toRlp } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRandom } from '../../../../scripts/dev/random.ts'
import { decodeTransaction } from '../../../../scripts/dev/rootstock-pool/transaction.ts'
import { RpcError } from '../../../../src/chain/rpc.ts'
import { customer } from '../../../chain/node/support/anvil-rpc.ts'
import { type Answer, type Served, serve } from '../../../chain/node/support/serve.ts'
import { type Said, scriptedNode } from '../../../support/fake-node.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { seed, times } from '../../../support/sample.ts'
import { printed } from '../portal.ts'

const random = createRandom(seed)

/** Sets how often a customer sends each kind of bytes. */
const repetitions = times({ sampled: 200, full: 1_000 })
const batch = 50

const receiver: Hex = `0x${'12'.repeat(20)}`
const clock = createHandClock()
let height = 100
let served: Served

beforeEach(async () => {
  served = await serve(['http://first.test/', 'http://second.test/'], 31, node, clock)
})

/** Models an RSKj with a moving chain and one account; the pool words the others. */
const node = scriptedNode(async ({ method, params }): Promise<Said | undefined> => {
  if (method === 'eth_blockNumber') return { result: toHex(height) }
  if (method === 'eth_getBlockByNumber') return { result: { ...printed, number: toHex(height) } }
  if (method !== 'eth_sendRawTransaction') return undefined
  try {
    const { from } = await decodeTransaction(params[0], 31)
    // RSKj may not know the transaction yet.
    if (from === customer.address) return { result: toHex(0, { size: 32 }) }
    throw new RpcError(-32010, 'insufficient funds')
  } catch (error) {
    const { code, message } = error as RpcError
    return { error: { code, message } }
  }
})

async function send(raws: readonly Hex[]): Promise<Answer[]> {
  const requests = raws.map((raw, id) => ({
    ...{ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] },
  }))
  clock.forward(1_000)
  return (await (await served.post(JSON.stringify(requests))).json()) as Answer[]
}

function bytes(length: number): Hex {
  return toHex(Uint8Array.from({ length }, () => random.int(0, 255)))
}

const plain = { type: 'legacy', gas: 21_000n, gasPrice: 60_000_000n, to: receiver } as const

function signed(chainId: number, value: bigint): Promise<Hex> {
  return customer.signTransaction({ ...plain, chainId, nonce: 0, value })
}

async function blob(index: number): Promise<Hex> {
  const alone = await customer.signTransaction({
    type: 'eip4844',
    chainId: 31,
    nonce: index,
    gas: 21_000n,
    maxFeePerGas: 60_000_000n,
    maxFeePerBlobGas: 1n,
    to: receiver,
    blobVersionedHashes: [`0x01${bytes(31).slice(2)}`],
  })
  if (index % 100 !== 0) return alone
  // In the form in which it travels, with what it is about (EIP-4844, "Networking").
  const body = fromRlp(`0x${alone.slice(4)}`)
  const network = [body, [bytes(131_072)], [bytes(48)], [bytes(48)]]
  return `0x03${toRlp(network as never).slice(2)}`
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Encodes a signature differently: with a leading zero, or with the other `s`. */
async function notCanonical(index: number): Promise<Hex> {
  const fields = fromRlp(await signed(31, BigInt(index))) as Hex[]
  const [v = '0x', r = '0x', s = '0x'] = fields.slice(6)
  const forms: Hex[][] = [
    [v, `0x00${r.slice(2)}`, s],
    [v, r, `0x00${s.slice(2)}`],
    [toHex(BigInt(v) === 97n ? 98 : 97), r, toHex(order - BigInt(s))],
  ]
  return toRlp([...fields.slice(0, 6), ...(forms[index % forms.length] ?? [])])
}

/** Nothing at all, noise, noise of every length behind each first byte, and a piece of the real. */
async function garbage(index: number): Promise<Hex> {
  if (index === 0) return '0x'
  const whole = await signed(31, BigInt(index))
  const cut = 2 + 2 * random.int(0, whole.length / 2 - 2)
  const kinds = [
    bytes(random.int(1, 200)),
    `0x${toHex(index % 256, { size: 1 }).slice(2)}${bytes(random.int(0, 79)).slice(2)}`,
    whole.slice(0, cut),
    `${whole}00`,
  ] as Hex[]
  return kinds[index % kinds.length] ?? '0x'
}

/** Well formed, and about half of them with an `r` that is not a point of the curve. */
async function unsignable(): Promise<Hex> {
  const fields = fromRlp(await signed(31, 1n)) as Hex[]
  return toRlp([...fields.slice(0, 7), `0x7${bytes(32).slice(3)}`, `0x1${bytes(32).slice(3)}`])
}

const kinds: readonly [string, (index: number) => Promise<Hex>][] = [
  ['a blob transaction', blob],
  ['a signature that is not canonical', notCanonical],
  ['garbage', garbage],
  ['a signature of a key that does not exist, or has nothing', unsignable],
  ['a transaction for another chain', (index) => signed([30, 1, 33][index % 3] ?? 30, 1n)],
]

/** Words faults for the sender, about the bytes or the account, without a fault's name. */
const sentence =
  /^(?!.*internal (?:server )?error)(?!.*undefined)(?:(?:\S+ ){4}|insufficient funds$)/i

describe('a customer who repeats bad bytes stops no other', () => {
  test.for(kinds)('%s', async ([, make]) => {
    for (let start = 0; start < repetitions; start += batch) {
      const raws = await Promise.all(
        Array.from({ length: batch }, (_, index) => make(start + index)),
      )
      const answers = await send(raws)
      expect(answers).toHaveLength(batch)
      for (const [index, { result, error }] of answers.entries()) {
        const what = `seed ${seed}: ${raws[index]?.slice(0, 200)}`
        expect(result, what).toBeUndefined()
        expect(error?.message, what).toMatch(sentence)
        expect([-32602, -32010], what).toContain(error?.code)
      }
      height += 1
      clock.forward(1_000)
      expect((await served.rpc('eth_blockNumber')).result).toBe(toHex(height))
    }
    expect(served.logged, `seed ${seed}`).toEqual([])
  })

  test("and the same customer's valid bytes are accepted, with the standard hash", async () => {
    const raw = await signed(31, 1n)
    expect(await send([raw])).toMatchObject([{ result: keccak256(raw) }])
  })
})
