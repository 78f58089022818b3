import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { foundryBinary } from '../../dev/foundry-binary.ts'
import { isFree } from '../../dev/ports.ts'
import { sleep } from '../../dev/wait.ts'
import { readJson, writeJson } from '../files.ts'
import type { Folder } from '../folder.ts'
import { end, identify, isRunning, type ProcessId } from '../process-id.ts'
import type { Child, Processes } from '../processes.ts'
import { StackError, say } from '../report.ts'
import { adoptStateAtExit, keepSaving, loadChain, saveChain } from './chain-state.ts'
import { createNodeCall } from './node-call.ts'

/** Where the local chain is looked for first; the next free port is taken when it is in use. */
const firstPort = 8545

const startsWithinMs = 20_000

const endsWithinMs = 5_000

const attempts = 5

export type LocalChain = {
  url: string
  /** Whether it goes on from what an earlier start saved. */
  loaded: boolean
  /** Saves now, whatever the head is. */
  save: () => Promise<void>
  /** Rejects, with what to say, when the chain ends without having been asked to. */
  lost: Promise<never>
  /** Saves for the last time and ends it. */
  stop: () => Promise<void>
}

/** Starts the local chain from its saved state and keeps saving it. */
export async function startChain(
  folder: Folder,
  { chainId, processes }: { chainId: number; processes: Processes },
): Promise<LocalChain> {
  mkdirSync(folder.chain, { recursive: true, mode: 0o700 })
  if (adoptStateAtExit(folder))
    say('Found what the local chain wrote at its end, and go on from it')
  const { child, url } = await spawnOnFreePort(folder, {
    chainId,
    genesisTime: openGenesisTime(folder),
    onSpawned: (id, url) => processes.add({ ...id, name: 'anvil', url }),
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const exited = new Promise<string>((resolve) => {
    const tell = () => resolve(child.signalCode ?? `code ${child.exitCode}`)
    if (hasEnded()) tell()
    else child.once('exit', tell)
  })
  const loaded = await load(folder, url)
  await setClock(url)
  const saving = keepSaving(folder, url, (error) => {
    if (!hasEnded())
      say(`The local chain could not be saved: ${error instanceof Error ? error.message : error}`)
  })
  let stopping = false
  return {
    url,
    loaded,
    save: async () => {
      await saveChain(folder, url)
    },
    lost: exited.then((reason) => {
      // Ctrl-C reaches anvil first: whether it was lost or ended with us shows a moment later.
      return new Promise<never>((_, reject) => {
        setTimeout(() => {
          if (!stopping)
            reject(new StackError(`The local chain ended (${reason}). Its blocks are saved.`))
        }, 300)
      })
    }),
    stop: async () => {
      stopping = true
      await saving.stop()
      if (!hasEnded()) await saveChain(folder, url).catch(() => {})
      // What it writes at its end is the whole of it, should the last save have failed.
      child.kill('SIGTERM')
      const forced = setTimeout(() => child.kill('SIGKILL'), endsWithinMs)
      await exited
      clearTimeout(forced)
      adoptStateAtExit(folder)
    },
  }
}

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
  if (!keep) rmSync(folder.chainAtExit, { force: true })
}

/**
 * A chain that is loaded into an anvil with another first block has two of them, and either may be
 * found: so each local chain keeps the time of its first block, from which its hash follows.
 */
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

/**
 * anvil's clock goes on from the first block; deadlines of payments need today's time. That is so as well
 * where the saved chain was sent into the future: loans are older than today, and not than its first block.
 */
async function setClock(url: string): Promise<void> {
  const now = Math.floor(Date.now() / 1_000)
  await createNodeCall(url)('evm_setTime', [now])
}

/** The next free port, again when another process was faster. */
async function spawnOnFreePort(
  folder: Folder,
  {
    chainId,
    genesisTime,
    onSpawned,
  }: Genesis & { onSpawned: (id: ProcessId, url: string) => void },
): Promise<{ child: ChildProcess; url: string }> {
  for (let attempt = 0, from = firstPort; attempt < attempts; attempt++) {
    const port = await freePortFrom(from)
    const url = `http://127.0.0.1:${port}`
    const child = spawnAnvil(folder, port, { chainId, genesisTime })
    const id = child.pid === undefined ? undefined : identify(child.pid)
    if (id !== undefined) onSpawned(id, url)
    if (await listens(child, folder)) return { child, url }
    from = port + 1
  }
  throw new StackError(`The local chain did not start: ${folder.log('anvil')} says why.`)
}

type Genesis = { chainId: number; genesisTime: number }

function spawnAnvil(folder: Folder, port: number, { chainId, genesisTime }: Genesis): ChildProcess {
  const log = folder.log('anvil')
  mkdirSync(dirname(log), { recursive: true })
  rmSync(folder.chainStarted, { force: true })
  const output = openSync(log, 'a', 0o600)
  try {
    const options = {
      host: '127.0.0.1',
      port,
      'chain-id': chainId,
      timestamp: genesisTime,
      'dump-state': folder.chainAtExit,
      // What anvil rewrites in place while it runs could be torn: it is to write once, at its end.
      'state-interval': 31_536_000,
      'config-out': folder.chainStarted,
    }
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
    // Silent, because what it would print are the keys of its accounts. A saved chain is longer than
    // what a request may hold by default.
    return spawn(binary(), [...args, '--silent', '--no-request-size-limit'], {
      stdio: ['ignore', output, output],
    })
  } finally {
    closeSync(output)
  }
}

/**
 * Whether it listens. anvil writes its configuration when it has the port; asking the port instead
 * could reach another program that was faster.
 */
async function listens(child: ChildProcess, folder: Folder): Promise<boolean> {
  child.once('error', () => {})
  const started = performance.now()
  while (performance.now() - started < startsWithinMs) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) break
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

/** The first port from this one on that nobody listens on at the loopback address. */
async function freePortFrom(first: number): Promise<number> {
  for (let port = first; port < first + 100; port++) if (await isFree(port)) return port
  throw new StackError(`No port from ${first} to ${first + 99} is free for the local chain.`)
}
