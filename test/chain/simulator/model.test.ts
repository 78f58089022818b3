import {
  type Address,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseEther,
  parseTransaction,
  slice,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { createRandom, type Random } from '../../../scripts/dev/random.ts'
import { deposit } from '../../../scripts/dev/relays/callers.ts'
import {
  type AccountPool,
  createAccountPool,
} from '../../../scripts/dev/rootstock-pool/account-pool.ts'
import { rootstockRules } from '../../../scripts/dev/rootstock-pool/rules.ts'
import { startRootstockPool } from '../../../scripts/dev/rootstock-pool/start.ts'
import { createRpcCall, type RpcCall } from '../../../scripts/dev/rpc.ts'
import { readExecute } from '../../../scripts/dev/simulator/model/calldata.ts'
import { createModelChain, type ModelChain } from '../../../scripts/dev/simulator/model/chain.ts'
import { termSeconds } from '../../../scripts/dev/simulator/model/contracts.ts'
import { digest } from '../../../scripts/dev/simulator/model/hashing.ts'
import { createModelNode } from '../../../scripts/dev/simulator/model/model-node.ts'
import type { ModelTransaction, Signing } from '../../../scripts/dev/simulator/model/signing.ts'
import { coinMoney } from '../../../scripts/dev/simulator/money.ts'
import { startMillis } from '../../../scripts/dev/simulator/plan.ts'
import { startState } from '../../../scripts/dev/simulator/setting.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { encodeCall } from '../../../src/loan/calls.ts'
import {
  decodeExecute,
  decodeResults,
  encodeExecute,
  type Forwarder,
  intentIdLength,
  type SignedRequest,
  signRequest,
} from '../../../src/relay/forwarder/requests.ts'
import { createSigner, deriveRelayerAccount, type Signer } from '../../../src/relay/signer.ts'
import { opened } from '../../support/opened.ts'
import { sampleOf } from '../../support/sample.ts'

const steps = 200
const blockSeconds = 30
const milli = 10n ** 15n
const neverInBlocks = 1_000_000
const kinds = Object.entries({ send: 10, mine: 4, simulate: 3, reorganize: 1, drop: 1, wait: 1 })

const callers = [1, 2, 3].map((caller) => privateKeyToAccount(digest('caller', caller)))

/** How the model reads what is really signed. */
const signing: Pick<Signing, 'read'> = {
  read(raw) {
    const { nonce = 0, gasPrice = 0n, gas = 0n, to, data = '0x' } = parseTransaction(raw)
    return {
      hash: keccak256(raw),
      raw,
      nonce,
      key: 0,
      gasPriceWei: gasPrice,
      gas: Number(gas),
      to: `${to}`.toLowerCase() as Address,
      data,
      requests: readExecute(data),
    }
  },
}

let nowMs = 0
let fresh: Hex
let forwarder: Forwarder
let signer: Signer
const deployed = opened(async () => {
  const chain = await startChain()
  // While it makes a block of each transaction: before the pool does that.
  const accounts = callers.map(({ address }) => address)
  await deposit(chain, accounts, BigInt(startMillis) * milli)
  return chain
})
const ask: RpcCall = (method, params) => createRpcCall(rootstock.url)(method, params)

const rootstock = opened(() => {
  const rules = { evictAfterBlocks: neverInBlocks }
  return startRootstockPool({ anvilUrl: deployed.anvil.url, now: () => nowMs, rules })
})

beforeAll(async () => {
  forwarder = { chainId: 31, address: deployed.forwarder }
  signer = createSigner(deriveRelayerAccount(`${deployed.bindings.RELAYER_MNEMONIC}`, 31, 0), 31)
  // Two blocks may else have one second: the model's never have.
  await deployed.anvil.ask('anvil_setBlockTimestampInterval', [blockSeconds])
  fresh = (await deployed.anvil.ask('evm_snapshot', [])) as Hex
})

/** When the latest block was made, in seconds. */
async function latestSeconds(): Promise<number> {
  const block = await ask('eth_getBlockByNumber', ['latest', false])
  return Number((block as { timestamp: Hex }).timestamp)
}

/** Reads the contracts' present state as the model has it, and what comparing needs. */
async function createTwin() {
  const start = (await latestSeconds()) * 1000
  const signed = new Set<string>()
  const world = {
    unit: coinMoney.unit,
    forwarder: forwarder.address.toLowerCase() as Address,
    loan: deployed.loan.toLowerCase() as Address,
    principalWei: 10n * milli,
    dailyCapWei: parseEther('1000'),
    isSigned: ({ intentId, data, signature }: SignedRequest) =>
      signed.has(`${intentId} ${data} ${signature}`),
  }
  const rules = { ...rootstockRules, evictAfterBlocks: neverInBlocks }
  const timed = createAccountPool<ModelTransaction>(rules)
  // Blocks have anvil's times; what waits in the pool waits by the clock.
  const pool: AccountPool<ModelTransaction> = {
    ...timed,
    add: (transaction, view) => timed.add(transaction, { ...view, nowMs }),
  }
  const weather = { isMining: true }
  const accounts = callers.map(({ address }) => address.toLowerCase() as Address)
  const chain: ModelChain = createModelChain({
    state: {
      ...startState(accounts, { ...coinMoney, poolLoans: 1_000 }),
      nonces: [Number(await ask('eth_getTransactionCount', [signer.address, 'latest']))],
      relayerWei: BigInt(`${await ask('eth_getBalance', [signer.address, 'latest'])}`),
    },
    ...{ world, pools: [pool], start, blockMs: 1000, isTaken: () => weather.isMining },
    minGasPriceWei: rootstockRules.minGasPriceWei,
  })
  const of = { chain, pools: [pool], world, relayers: [signer.address], signing }
  const node = createModelNode({ ...of, now: () => nowMs, arrived: () => {} })
  const answer = (method: string, params: readonly unknown[]) => node(method, params, chain.head())
  return { chain, pool, answer, weather, signed, start }
}

type Twin = Awaited<ReturnType<typeof createTwin>>

const answerOf = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RpcError) return { code: error.code, message: error.message }
    throw error
  }
}

/** A request of some caller, mostly one that is fine. */
async function drawRequest(random: Random, { chain, signed }: Twin): Promise<SignedRequest> {
  const caller = random.pick(callers)
  const to = random.pick(callers).address
  const data = random.weighted([
    [encodeCall({ kind: 'transfer', to, amountWei: BigInt(random.int(1, 25)) * milli }), 4],
    [encodeCall({ kind: 'loan', principalWei: 10n * milli, feeWei: 0n, termSeconds }), 2],
    [encodeCall({ kind: 'loan', principalWei: 10n * milli, feeWei: 1n, termSeconds }), 1],
    [encodeCall({ kind: 'repayment', amountWei: 'all' }), 1],
    [encodeCall({ kind: 'repayment', amountWei: BigInt(random.int(1, 12)) * milli }), 2],
    [encodeCall({ kind: 'transfer', to: deployed.loan, amountWei: milli }), 1],
    [encodeCall({ kind: 'transfer', to, amountWei: 0n }), 1],
    ['0x1234', 1],
  ] as const)
  const seconds = chain.head().timestampSeconds
  const request = await signRequest(caller, forwarder, {
    from: caller.address,
    // So few of them that some come again.
    intentId: slice(digest('intent', random.int(0, 25)), 0, intentIdLength),
    gas: random.chance(0.9) ? 150_000 : 1_000_001,
    deadline: random.chance(0.8) ? seconds + 7200 : random.pick([seconds - 10, seconds + 90_000]),
    data,
  })
  if (random.chance(0.92)) {
    signed.add(`${request.intentId} ${data.toLowerCase()} ${request.signature}`)
    return request
  }
  const other = callers.find(({ address }) => address !== caller.address) ?? caller
  const { signature } = await signRequest(other, forwarder, request)
  return { ...request, signature }
}

async function drawTransaction(random: Random, twin: Twin, sent: Hex[]): Promise<Hex> {
  if (sent.length > 0 && random.chance(0.12)) return random.pick(sent)
  const [nonce = 0] = twin.chain.head().state.nonces
  const ahead = random.pick([0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 15, 16, -1])
  const count = random.pick([0, 1, 1, 1, 1, 1, 1, 2, 2])
  const requests = await Promise.all(Array.from({ length: count }, () => drawRequest(random, twin)))
  const tenths = random.chance(0.5) ? 10n : random.pick([9n, 13n, 14n, 14n, 20n, 20n, 801n])
  const { raw } = signer.sign({
    nonce: Math.max(0, nonce + ahead),
    to: count === 0 ? signer.address : forwarder.address,
    data: count === 0 ? '0x' : encodeExecute(requests),
    gas: 21_000 + 300_000 * count,
    gasPriceWei: (rootstockRules.minGasPriceWei * tenths) / 10n,
  })
  return raw
}

describe("the simulator's chain and pool", () => {
  const seeds = Array.from({ length: 12 }, (_, index) => index + 1)
  test.for(sampleOf(1, seeds))(
    'do what anvil behind the Rootstock pool does, in history %i',
    async (seed) => {
      await deployed.anvil.ask('evm_revert', [fresh])
      fresh = (await deployed.anvil.ask('evm_snapshot', [])) as Hex
      await rootstock.evictAll()
      const twin = await createTwin()
      nowMs = twin.start
      const random = createRandom(seed, 'history')
      const sent: Hex[] = []
      const known = new Map<Hex, ModelTransaction>()

      /** As the real one does before each transaction that comes, and before each block. */
      const evict = () => twin.pool.evict(twin.chain.head().number, nowMs)

      async function compare(step: string): Promise<void> {
        const head = twin.chain.head()
        expect(await latestSeconds(), `${step}: timestamp`).toBe(head.timestampSeconds)
        const count = await ask('eth_getTransactionCount', [signer.address, 'latest'])
        expect(Number(count), `${step}: nonce`).toBe(head.state.nonces[0])
        const waiting = [...rootstock.pool.pending(), ...rootstock.pool.queued()]
        const hashes = (all: readonly { hash: Hex }[]) => all.map(({ hash }) => hash).sort()
        expect(hashes(waiting), `${step}: pool`).toEqual(hashes(twin.pool.all()))
        for (const { address } of callers) {
          const call = { abi: microLoanAbi, functionName: 'getBalance', args: [address] } as const
          const balance = await ask('eth_call', [
            { to: deployed.loan, data: encodeFunctionData(call) },
            'latest',
          ])
          const own = head.state.accounts.get(address.toLowerCase() as Address)
          expect(BigInt(`${balance}`), `${step}: balance`).toBe(own?.balanceWei)
        }
      }

      async function compareReceipts(): Promise<void> {
        for (const [hash, { requests }] of known) {
          const theirs = (await ask('eth_getTransactionReceipt', [hash])) as Receipt | null
          const ours = twin.answer('eth_getTransactionReceipt', [hash]) as Receipt | null
          expect(theirs === null, `${hash}: in a block`).toBe(ours === null)
          if (theirs === null || ours === null) continue
          expect(theirs.status, `${hash}: status`).toBe(ours.status)
          const results = decodeResults(forwarder, theirs.logs)
          expect(results, `${hash}: results`).toEqual(decodeResults(forwarder, ours.logs))
          expect(results).toHaveLength(requests.length)
        }
      }

      async function send(name: string): Promise<void> {
        const raw = await drawTransaction(random, twin, sent)
        const transaction = signing.read(raw)
        sent.push(raw)
        known.set(transaction.hash, transaction)
        evict()
        const theirs = await answerOf(() => ask('eth_sendRawTransaction', [raw]))
        const ours = await answerOf(() => twin.answer('eth_sendRawTransaction', [raw]))
        expect(theirs, name).toEqual(ours)
      }

      async function reorganize(): Promise<void> {
        const depth = random.int(1, 3)
        if (twin.chain.head().number < depth) return
        const transactions = random.pick(['returned', 'dropped'] as const)
        await rootstock.reorg({ depth, transactions })
        const now = (await latestSeconds()) * 1000
        twin.weather.isMining = false
        twin.chain.reorganize(depth, depth + 1, now, () => {
          if (transactions === 'dropped') return false
          evict()
          return true
        })
        twin.weather.isMining = true
      }

      for (let step = 0; step < steps; step++) {
        const kind = random.weighted(kinds)
        const name = `step ${step}, ${kind}`
        switch (kind) {
          case 'send':
            await send(name)
            break
          case 'mine':
            evict()
            await rootstock.mine()
            twin.chain.mine((await latestSeconds()) * 1000)
            break
          case 'simulate': {
            const requests = [await drawRequest(random, twin), await drawRequest(random, twin)]
            const call = {
              from: signer.address,
              to: forwarder.address,
              data: encodeExecute(requests),
            }
            const theirs = (await ask('eth_call', [call, 'latest'])) as Hex
            const ours = twin.answer('eth_call', [call, 'latest']) as Hex
            expect(decodeExecute(requests, theirs), name).toEqual(decodeExecute(requests, ours))
            break
          }
          case 'reorganize':
            await reorganize()
            break
          case 'drop': {
            const [first] = twin.pool.all()
            if (first === undefined) break
            expect(await rootstock.drop(first.hash), name).toBe(true)
            twin.pool.remove(first.hash)
            break
          }
          case 'wait':
            nowMs += 200_000
            break
        }
        await compare(name)
      }
      await compareReceipts()
      const isMined = (hash: Hex) => twin.chain.find(hash, twin.chain.head()) !== undefined
      expect([...known.keys()].filter(isMined).length).toBeGreaterThan(3)
    },
  )
})

type Receipt = { status: Hex; logs: { address: Address; topics: Hex[]; data: Hex }[] }
