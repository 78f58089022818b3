import { closeSync, mkdirSync, openSync } from 'node:fs'
import { z } from 'zod'
import { type Anvil, startAnvil } from '../../dev/anvil.ts'
import { foundryBinary } from '../../dev/foundry-binary.ts'
import { freePort } from '../../dev/ports.ts'
import { readJson, writeJson } from '../files.ts'
import type { Folder } from '../folder.ts'
import { type Child, end, isRunning, type Processes } from '../processes.ts'
import { StackError, say } from '../report.ts'
import { keepSaving, loadChain, saveChain } from './chain-state.ts'
import { createNodeCall } from './node.ts'

/** Is tried first; the next free port is used if it is taken. */
const firstPort = 8545
const endsWithinMs = 5_000

export type LocalChain = Awaited<ReturnType<typeof startChain>>

export async function startChain(
  folder: Folder,
  { chainId, processes }: { chainId: number; processes: Processes },
) {
  mkdirSync(folder.chain, { recursive: true, mode: 0o700 })
  const anvil = await spawnAnvil(folder, chainId, processes)
  const { url } = anvil
  const loaded = await loadChain(folder, url).catch((error) => {
    throw new StackError(
      `The saved chain (${folder.chainState}) cannot be loaded: ${error.message}. Start over with: npm start -- --reset`,
    )
  })
  // anvil's clock goes on from the first block, or from a future that the chain was sent into;
  // deadlines of payments need today's time, and loans are older than today.
  await createNodeCall(url)('evm_setTime', [Math.floor(Date.now() / 1_000)])
  const stopping = new AbortController()
  const { signal } = stopping
  const onError = (error: unknown) => {
    if (anvil.isRunning()) say(`The local chain could not be saved: ${error}`)
  }
  const saving = keepSaving(folder, url, { signal, onError })
  const lost = anvil.exited.then(() => {
    if (signal.aborted) return new Promise<never>(() => {})
    throw new StackError(`The local chain ended (${anvil.describeEnd()}). Its blocks are saved.`)
  })
  return {
    url,
    loaded,
    /** Rejects with a message if the chain ends unexpectedly. */
    lost,
    save: () => saveChain(folder, url),
    async stop() {
      stopping.abort()
      await saving
      if (anvil.isRunning()) await saveChain(folder, url).catch(() => {})
      await anvil.stop()
    },
  }
}

/** Ends an anvil that a killed start left behind, after it has given away its newest blocks. */
export async function endLeftChain(folder: Folder, left: Child, { keep }: { keep: boolean }) {
  if (keep) {
    await saveChain(folder, left.url).catch((error) => {
      say(`The chain that was left running did not give its state (${error.message})`)
    })
  }
  if (isRunning(left)) await end(left, { graceMs: endsWithinMs })
}

/** Keeps the first block's time, which decides its hash: a loaded chain must have the same. */
function openGenesisTime(folder: Folder): number {
  const kept = z.number().safeParse(readJson(folder.chainGenesisTime)).data
  const time = kept ?? Math.floor(Date.now() / 1_000)
  if (kept === undefined) writeJson(folder.chainGenesisTime, time)
  return time
}

async function spawnAnvil(folder: Folder, chainId: number, processes: Processes): Promise<Anvil> {
  if (foundryBinary('anvil') === undefined) {
    throw new StackError(
      `npm has no anvil for ${process.platform} on ${process.arch}. Start one yourself (anvil --chain-id 31) and name it: NODE_URL=http://127.0.0.1:8545 npm start`,
    )
  }
  const file = folder.log('anvil')
  const log = openSync(file, 'a', 0o600)
  try {
    return await startAnvil({
      chainId,
      // A saved chain is longer than what a request may hold by default.
      args: ['--timestamp', `${openGenesisTime(folder)}`, '--no-request-size-limit'],
      port: await freePort(firstPort),
      log,
      graceMs: endsWithinMs,
      onSpawned: (pid, url) => processes.add(pid, 'anvil', url),
    })
  } catch {
    throw new StackError(`The local chain did not start: ${file} says why.`)
  } finally {
    closeSync(log)
  }
}
