import { rmSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import { readIfThere, readJson, writeJson, writeWhole } from '../files.ts'
import type { Folder } from '../folder.ts'
import { blockHead, createNodeCall } from './node-call.ts'

/** How often the head is looked at; a changed one is saved at once. */
const lookEveryMs = 1_000

/** A chain that gets blocks all the time is not saved in between more often than this is tried. */
const attempts = 10

const savedHead = z.object({ number: z.number(), savedAt: z.string() })

/** The newest block of the saved chain, and when it was saved. */
export type SavedHead = z.infer<typeof savedHead>

/** What the saved chain ends with; undefined when none is saved. */
export function readSavedHead(folder: Folder): SavedHead | undefined {
  return savedHead.safeParse(readJson(folder.chainHead)).data
}

/**
 * Saves the chain of an anvil: blocks, receipts, logs and the newest state, under their own hashes.
 * Transactions that wait in its pool are not in it, and neither is the state of older blocks.
 * Gives the hash of the newest block; undefined when blocks came too fast to save any one of them.
 */
export async function saveChain(folder: Folder, url: string): Promise<string | undefined> {
  const call = createNodeCall(url)
  const head = () => call('eth_getBlockByNumber', ['latest', false], blockHead)
  let before = await head()
  for (let attempt = 0; attempt < attempts; attempt++) {
    const state = await call('anvil_dumpState', [], z.string().startsWith('0x'))
    const after = await head()
    // anvil collects blocks first and balances after them: a block in between would be half in.
    if (after.hash === before.hash) {
      // The dump is gzipped JSON already.
      write(folder, Buffer.from(state.slice(2), 'hex'), after.number)
      return after.hash
    }
    before = after
  }
  return undefined
}

/** Puts the saved chain into an anvil that has just started. False when none is saved. */
export async function loadChain(folder: Folder, url: string): Promise<boolean> {
  const state = readIfThere(folder.chainState)
  if (state === undefined) return false
  const call = createNodeCall(url, { timeoutMs: 60_000 })
  return await call('anvil_loadState', [`0x${state.toString('hex')}`], z.boolean())
}

/**
 * Takes over what an anvil wrote when it ended by a signal of its own: Ctrl-C reaches it as soon as
 * it reaches us, before anybody can ask it for its state. A torn file is left out.
 */
export function adoptStateAtExit(folder: Folder): boolean {
  const text = readIfThere(folder.chainAtExit)
  if (text === undefined) return false
  const best = bestBlock(text)
  const adopted = best !== undefined && best >= (readSavedHead(folder)?.number ?? 0)
  if (adopted) write(folder, gzipSync(text), best)
  rmSync(folder.chainAtExit)
  return adopted
}

/** Saves the chain again and again while it runs, whenever it has a new head. */
export function keepSaving(folder: Folder, url: string, onError: (error: unknown) => void) {
  const call = createNodeCall(url)
  let saved: string | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let round = Promise.resolve()

  const look = async () => {
    const started = performance.now()
    try {
      const head = await call('eth_getBlockByNumber', ['latest', false], blockHead)
      if (!stopped && head.hash !== saved) saved = await saveChain(folder, url)
    } catch (error) {
      if (!stopped) onError(error)
    }
    // A long chain takes longer to save: at most a tenth of the time goes into it.
    const pause = Math.max(lookEveryMs, 9 * (performance.now() - started))
    if (!stopped) timer = setTimeout(next, pause)
  }
  const next = () => {
    round = look()
  }
  next()

  return {
    /** Resolves when no save is under way any more. */
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await round
    },
  }
}

function write(folder: Folder, state: Uint8Array, head: number): void {
  writeWhole(folder.chainState, state)
  const savedAt = new Date().toISOString()
  writeJson(folder.chainHead, { number: head, savedAt } satisfies SavedHead)
}

function bestBlock(state: Buffer): number | undefined {
  try {
    const parsed: unknown = JSON.parse(state.toString('utf8'))
    return z.object({ best_block_number: z.number() }).parse(parsed).best_block_number
  } catch {
    return undefined
  }
}
