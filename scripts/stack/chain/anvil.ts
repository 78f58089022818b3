import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { foundryBinary } from '../../dev/foundry-binary.ts'
import { isFree } from '../../dev/ports.ts'
import { sleep } from '../../dev/wait.ts'
import { readJson, writeJson } from '../files.ts'
import type { Folder } from '../folder.ts'
import { end, identify, isRunning } from '../process-id.ts'
import type { Child, Processes } from '../processes.ts'
import { StackError, say } from '../report.ts'
import { keepSaving, loadChain, saveChain } from './chain-state.ts'
import { createNodeCall } from './node.ts'

/** The next free port is taken where this one is in use. */
const firstPort = 8545
const startsWithinMs = 20_000
const endsWithinMs = 5_000
const attempts = 5

export type LocalChain = {
  url: string
  /** Whether it goes on from what an earlier start saved. */
  loaded: boolean
  save: () => Promise<unknown>
  /** Rejects, with what to say, when the chain ends without having been asked to. */
  lost: Promise<never>
  stop: () => Promise<void>
}

/** Starts the local chain from its saved state and keeps saving it. */
export async function startChain(
  folder: Folder,
  { chainId, processes }: { chainId: number; processes: Processes },
): Promise<LocalChain> {
  mkdirSync(folder.chain, { recursive: true, mode: 0o700 })
  const { child, url } = await spawnOnFreePort(folder, chainId, processes)
  const exited = new Promise<void>((resolve) => {
    if (hasEnded(child)) resolve()
    else child.once('exit', () => resolve())
  })
  const loaded = await load(folder, url)
  // anvil's clock goes on from the first block, or from a future that the chain was sent into; deadlines of payments
  // need today's time, and loans are older than today.
  await createNodeCall(url)('evm_setTime', [Math.floor(Date.now() / 1_000)])
  const saving = keepSaving(folder, url, (error) => {
    if (hasEnded(child)) return
    say(`The local chain could not be saved: ${error instanceof Error ? error.message : error}`)
  })
  let stopping = false
  const lost = exited.then(() => {
    if (stopping) return new Promise<never>(() => {})
    const reason = child.signalCode ?? `code ${child.exitCode}`
    throw new StackError(`The local chain ended (${reason}). Its blocks are saved.`)
  })
  return {
    url,
    loaded,
    lost,
    save: () => saveChain(folder, url),
    stop: async () => {
      stopping = true
      await saving.stop()
      if (!hasEnded(child)) await saveChain(folder, url).catch(() => {})
      child.kill('SIGTERM')
      const forced = setTimeout(() => child.kill('SIGKILL'), endsWithinMs)
      await exited
      clearTimeout(forced)
    },
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null

/** Ends an anvil that a killed start left behind, after it has given away its newest blocks. */
export async function endLeftChain(
  folder: Folder,
  left: Child,
  { keep }: { keep: boolean },
): Promise<void> {
  if (keep) {
    await saveChain(folder, left.url).catch((error) => {
      say(`The chain that was left running did not give its state (${error.message})`)
    })
  }
  if (isRunning(left)) await end(left, { graceMs: endsWithinMs })
}

/** Keeps the first block's time, from which its hash follows: a loaded chain has to have the same. */
function openGenesisTime(folder: Folder): number {
  const kept = z.number().safeParse(readJson(folder.chainGenesisTime))
  if (kept.success) return kept.data
  const now = Math.floor(Date.now() / 1_000)
  writeJson(folder.chainGenesisTime, now)
  return now
}

async function load(folder: Folder, url: string): Promise<boolean> {
  try {
    return await loadChain(folder, url)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StackError(
      `The saved chain (${folder.chainState}) cannot be loaded: ${reason}. Start over with: npm start -- --reset`,
    )
  }
}

/** Takes the next free port, again when another process was faster. */
async function spawnOnFreePort(
  folder: Folder,
  chainId: number,
  processes: Processes,
): Promise<{ child: ChildProcess; url: string }> {
  for (let attempt = 0, from = firstPort; attempt < attempts; attempt++) {
    const port = await freePortFrom(from)
    const url = `http://127.0.0.1:${port}`
    const child = spawnAnvil(folder, port, chainId)
    const id = child.pid === undefined ? undefined : identify(child.pid)
    if (id !== undefined) processes.add({ ...id, name: 'anvil', url })
    if (await listens(child, folder)) return { child, url }
    from = port + 1
  }
  throw new StackError(`The local chain did not start: ${folder.log('anvil')} says why.`)
}

function spawnAnvil(folder: Folder, port: number, chainId: number): ChildProcess {
  const log = folder.log('anvil')
  mkdirSync(dirname(log), { recursive: true })
  rmSync(folder.chainStarted, { force: true })
  const output = openSync(log, 'a', 0o600)
  const options = {
    host: '127.0.0.1',
    port,
    'chain-id': chainId,
    timestamp: openGenesisTime(folder),
    'config-out': folder.chainStarted,
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
  try {
    // Silent, because what it would print are the keys of its accounts. A saved chain is longer than what a request
    // may hold by default. Ctrl-C does not reach it: it is asked for its blocks first.
    return spawn(binary(), [...args, '--silent', '--no-request-size-limit'], {
      detached: true,
      stdio: ['ignore', output, output],
    })
  } finally {
    closeSync(output)
  }
}

/** Whether it has written its configuration, as it does once it has the port: to ask there may reach another program. */
async function listens(child: ChildProcess, folder: Folder): Promise<boolean> {
  child.once('error', () => {})
  const started = performance.now()
  while (performance.now() - started < startsWithinMs) {
    if (child.pid === undefined || hasEnded(child)) break
    if (existsSync(folder.chainStarted)) {
      rmSync(folder.chainStarted)
      return true
    }
    await sleep(10)
  }
  child.kill('SIGKILL')
  return false
}

function binary(): string {
  const file = foundryBinary('anvil')
  if (file !== undefined) return file
  throw new StackError(
    `npm has no anvil for ${process.platform} on ${process.arch}. Start one yourself (anvil --chain-id 31) and name it: NODE_URL=http://127.0.0.1:8545 npm start`,
  )
}

async function freePortFrom(first: number): Promise<number> {
  for (let port = first; port < first + 100; port++) if (await isFree(port)) return port
  throw new StackError(`No port from ${first} to ${first + 99} is free for the local chain.`)
}
