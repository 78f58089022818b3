import { beforeAll, describe, expect, test } from 'vitest'
import { startChain } from '../../scripts/dev/chain.ts'
import { createCallers, deposit } from '../../scripts/dev/relays/callers.ts'
import { startDenoRelays } from '../../scripts/dev/relays/deno-relays.ts'
import { type RelayWorkers, startRelayWorkers } from '../../scripts/dev/relays/relay-workers.ts'
import { until } from '../../scripts/dev/wait.ts'
import { createOpenRpcDocument } from '../../scripts/generate/openrpc.ts'
import { methods } from '../../src/node/methods/list.ts'
import { hashKey } from '../../src/runtime/bearer.ts'
import { opened } from '../support/opened.ts'
import { createRandomRequests, type RandomRequest } from '../support/requests.ts'
import { seed } from '../support/sample.ts'

const key = 'the-key-of-the-comparison'
const stranger = '0x00000000000000000000000010000000000a11Ce'

/** The README's walk and the ways to go wrong on it: session and text, in this order. */
const walk: readonly [string, string][] = [
  ['walk-1', ''],
  ['walk-2', '1'],
  ['walk-3', '2'],
  ['walk-3', '2*0700000002'],
  ['walk-3', '2*0700000002*0.25'],
  ['walk-3', '2*0700000002*0.25'],
  ['walk-3', '2*0700000002*0.5'],
  ['walk-4', '3'],
  ['walk-4', '3'],
  ['walk-5', '3'],
  ['walk-6', '4*1'],
  ['walk-6', '4*1'],
  ['walk-7', '4*1'],
  ['walk-8', '2*nobody'],
  ['walk-9', '2*0700000002*a lot'],
  ['walk-10', `2*${stranger}*1000000`],
  ['walk-11', '9'],
  ['walk-12', '9*9*9'],
]

type Screen = { status: number; type: string | null; text: string }

describe('a Worker and Deno', () => {
  const chain = opened(() => startChain())
  const variables = async () => ({
    ...chain.bindings,
    RPC_KEY_HASHES: hashKey(key),
  })
  const workers = opened(async () => startRelayWorkers({ variables: await variables() }))
  const deno = opened(async () => startDenoRelays({ variables: await variables(), workers: 1 }))

  beforeAll(async () => {
    const [caller] = await createCallers(chain, 1)
    if (caller === undefined) throw new Error('there is no caller')
    await deposit(chain, [caller.account.address], 10n ** 18n)
  })

  /** Dials everything; each payment is in a block before the next thing is dialled. */
  async function walkOn(relay: RelayWorkers): Promise<Screen[]> {
    const screens: Screen[] = []
    for (const [sessionId, text] of walk) {
      const response = await fetch(`${relay.url}/ussd`, {
        method: 'POST',
        body: new URLSearchParams({ phoneNumber: '+254700010000', sessionId, text }),
      })
      screens.push({
        status: response.status,
        type: response.headers.get('content-type'),
        text: await response.text(),
      })
      await until(async () => (await relay.openRows()).length === 0)
    }
    return screens
  }

  test('answer JSON-RPC with the same bytes', async () => {
    const requests = await examplesAndNonsense()
    expect(requests.length).toBeGreaterThanOrEqual(150)
    const ask = async ({ url }: RelayWorkers, { body, contentType }: RandomRequest) => {
      const headers = { 'content-type': contentType }
      const response = await fetch(`${url}/rpc/${key}`, { method: 'POST', headers, body })
      const type = response.headers.get('content-type')
      return { body: `${body}`, status: response.status, type, text: await response.text() }
    }
    for (const one of requests) expect(await ask(deno, one)).toEqual(await ask(workers, one))
  })

  test('show the same screens, from the same state of one chain', async () => {
    const before = await chain.anvil.ask('evm_snapshot', [])
    const onWorker = await walkOn(workers)
    // It would send again what the chain is about to lose.
    await workers.stop()
    await chain.anvil.ask('evm_revert', [before])
    const onDeno = await walkOn(deno)
    // A transaction's hash holds the second in which it was signed, and nothing else differs.
    const withoutHash = (screens: Screen[]) =>
      screens.map((screen) => ({
        ...screen,
        text: screen.text.replace(/^Tx: 0x[0-9a-f]{10}\.\.\.$/m, 'Tx: (hash)'),
      }))
    expect(withoutHash(onDeno)).toEqual(withoutHash(onWorker))
    const submitted = onDeno.filter(({ text }) => text.includes('\nTx: 0x'))
    expect(submitted).toHaveLength(6)
    expect(new Set(submitted.map(({ text }) => text)).size).toBe(3)
  })

  /** Lists examples of each method for the walk's chain, and what a broken client may send. */
  async function examplesAndNonsense(): Promise<RandomRequest[]> {
    const block = (await chain.anvil.ask('eth_getBlockByNumber', ['latest', false])) as {
      number: string
      hash: string
      transactions: string[]
    }
    const ofTransaction = /Transaction(ByHash|Receipt)|RawTransactionReceipt|trace_transaction/
    const examples = createOpenRpcDocument(methods).methods.map(({ name, examples }, id) => {
      const params = (examples[0]?.params ?? []).map((param) => {
        const isOfTransaction = param.name === 'transactionHash' || ofTransaction.test(name)
        const hash =
          isOfTransaction && param.name !== 'blockHash' ? block.transactions[0] : block.hash
        const text = JSON.stringify(param.value)
          .replaceAll(/"0x[\da-f]{64}"/gi, `"${hash}"`)
          .replaceAll(
            /"0x[\da-f]{40}"/gi,
            `"${param.name === 'call' ? chain.loan : chain.relayer}"`,
          )
          .replaceAll(/("(?:from|to)Block":)"[^"]*"/g, `$1"${block.number}"`)
        return param.name === 'block' ? text.replace(/^"0x.{1,8}"$/, `"${block.number}"`) : text
      })
      return `{"jsonrpc":"2.0","id":${id},"method":"${name}","params":[${params.join(',')}]}`
    })
    const contentType = 'application/json'
    const batch = `[${examples.slice(0, 10).join(',')}]`
    const nonsense = createRandomRequests(seed)
    return [
      ...[...examples, batch].map((body) => ({ body, contentType })),
      ...Array.from({ length: 150 }, nonsense),
    ].filter(({ body }) => !`${body}`.includes('pending'))
  }
})
