import { type Hex, toHex } from 'viem'
import { createRpcCall } from '../rpc.ts'
import { type MinedBlock, mine, type Reorganization, reorganize, setBasePrice } from './blocks.ts'
import { answer } from './methods.ts'
import type { RootstockNode } from './node.ts'
import { createPool } from './pool.ts'
import { type RootstockRules, rootstockRules } from './rules.ts'
import { serveJsonRpc } from './server.ts'

export type RootstockPool = Awaited<ReturnType<typeof startRootstockPool>>

export type RootstockPoolOptions = {
  /** The address of an anvil whose blocks only this pool makes. */
  anvilUrl: string
  rules?: Partial<RootstockRules>
  /** ms between blocks. Undefined: blocks are made by `mine` alone. */
  blockMs?: number | undefined
  /** Passes `anvil_…` and `evm_…` on, which no Rootstock node knows. */
  devMethods?: 'refused' | 'passed'
  now?: () => number
}

/** Starts the pool, and stops anvil's own mining. */
export async function startRootstockPool(options: RootstockPoolOptions) {
  const { devMethods = 'refused', now = Date.now } = options
  const rules: RootstockRules = { ...rootstockRules, ...options.rules }
  const anvil = createRpcCall(options.anvilUrl)
  const pool = createPool(rules)
  const inTurn = createTurns()
  const node: RootstockNode = { anvil, rules, pool, now, inTurn }

  await anvil('evm_setAutomine', [false])
  await anvil('evm_setIntervalMining', [0])
  await anvil('evm_setBlockGasLimit', [toHex(rules.blockGas)])
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

/** Makes blocks at the interval that was set last. */
function createBlockTimer(make: () => Promise<unknown>): (blockMs: number | undefined) => void {
  let timer: NodeJS.Timeout | undefined
  return function set(blockMs) {
    clearTimeout(timer)
    timer = undefined
    if (blockMs === undefined) return
    const own = setTimeout(() => {
      const next = () => {
        // The interval may have changed while the block was made.
        if (timer === own) set(blockMs)
      }
      // A block fails only if the chain was stopped before this pool.
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
