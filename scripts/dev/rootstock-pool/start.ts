import type { Hex } from 'viem'
import { rpcTo } from '../rpc.ts'
import { quantity } from './answers.ts'
import { type MinedBlock, mine, type Reorganization, reorganize, setBasePrice } from './blocks.ts'
import { answer } from './methods.ts'
import type { RootstockNode } from './node.ts'
import { createPool } from './pool.ts'
import { type RootstockRules, rootstockRules } from './rules.ts'
import { serveJsonRpc } from './server.ts'

export type RootstockPool = Awaited<ReturnType<typeof startRootstockPool>>

export type RootstockPoolOptions = {
  /** An anvil of one's own: from here on only this pool makes its blocks. */
  anvilUrl: string
  rules?: Partial<RootstockRules>
  /** ms between blocks. Undefined: blocks are made by `mine` alone. */
  blockMs?: number | undefined
  /** Whether `anvil_…` and `evm_…` are passed on, which no Rootstock node knows. */
  devMethods?: 'refused' | 'passed'
  now?: () => number
}

/** Starts the pool: anvil mines no more by itself; what waits in its pool is in the next block. */
export async function startRootstockPool(options: RootstockPoolOptions) {
  const { devMethods = 'refused', now = Date.now } = options
  const rules: RootstockRules = { ...rootstockRules, ...options.rules }
  const anvil = rpcTo(options.anvilUrl)
  const pool = createPool(rules)
  const inTurn = createTurns()
  const node: RootstockNode = { anvil, rules, pool, now, inTurn }

  await anvil('evm_setAutomine', [false])
  await anvil('evm_setIntervalMining', [0])
  await anvil('evm_setBlockGasLimit', [quantity(rules.blockGas)])
  await setBasePrice(node)

  const server = await serveJsonRpc((method, params) =>
    devMethods === 'passed' && /^(anvil|evm|hardhat)_/.test(method)
      ? anvil(method, params)
      : answer(node, method, params),
  )
  const setBlockTime = createBlockTimer(() => inTurn(() => mine(node)))
  setBlockTime(options.blockMs)

  return {
    url: server.url,
    pool,
    mine: (blocks = 1) =>
      inTurn(async () => {
        const made: MinedBlock[] = []
        while (made.length < blocks) made.push(await mine(node))
        return made
      }),
    evictAll: () => inTurn(async () => pool.all().filter(({ hash }) => pool.remove(hash))),
    drop: (hash: Hex) => inTurn(async () => pool.remove(hash)),
    reorg: (reorganization: Reorganization) => inTurn(() => reorganize(node, reorganization)),
    setBlockTime,
    setMinGasPrice(wei: bigint) {
      rules.minGasPriceWei = wei
    },
    async stop() {
      setBlockTime(undefined)
      await inTurn(async () => {})
      await server.stop()
    },
  }
}

/** Makes blocks by itself, each as long after the one before it as was last set. */
function createBlockTimer(make: () => Promise<unknown>): (blockMs: number | undefined) => void {
  let timer: NodeJS.Timeout | undefined
  return function set(blockMs) {
    clearTimeout(timer)
    timer = undefined
    if (blockMs === undefined) return
    const own = setTimeout(() => {
      const next = () => {
        // Another block time, or none, may have been set while the block was made.
        if (timer === own) set(blockMs)
      }
      // A block that fails does so because the chain was ended before this pool.
      make().then(next, () => undefined)
    }, blockMs)
    timer = own
  }
}

function createTurns(): RootstockNode['inTurn'] {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn.catch(() => undefined)
    return turn
  }
}
