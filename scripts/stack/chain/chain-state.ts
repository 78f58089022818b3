import { z } from 'zod'
import { sleep } from '../../dev/wait.ts'
import { readIfThere, readJson, writeJson, writeWhole } from '../files.ts'
import type { Folder } from '../folder.ts'
import { blockHead, createNodeCall } from './node.ts'

/** Time between two reads of the head; a changed one is saved at once. */
const pollEveryMs = 1_000

/** Limits the attempts to save a chain that gets blocks meanwhile. */
const attempts = 10

const savedHead = z.object({ number: z.number(), savedAt: z.string() })

export const readSavedHead = (folder: Folder) =>
  savedHead.safeParse(readJson(folder.chainHead)).data

const readHead = (url: string) =>
  createNodeCall(url)('eth_getBlockByNumber', ['latest', false], blockHead)

/** Saves blocks, receipts, logs and the newest state; returns the head, undefined if too fast. */
export async function saveChain(folder: Folder, url: string): Promise<string | undefined> {
  let before = await readHead(url)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const state = await createNodeCall(url)('anvil_dumpState', [], z.string().startsWith('0x'))
    const after = await readHead(url)
    // anvil collects blocks first and balances after them: a block in between would be half in.
    if (after.hash === before.hash) {
      // The dump is gzipped JSON already.
      writeWhole(folder.chainState, Buffer.from(state.slice(2), 'hex'))
      writeJson(folder.chainHead, { number: after.number, savedAt: new Date().toISOString() })
      return after.hash
    }
    before = after
  }
  return undefined
}

export async function loadChain(folder: Folder, url: string): Promise<boolean> {
  const state = readIfThere(folder.chainState)
  if (state === undefined) return false
  const call = createNodeCall(url, { timeoutMs: 60_000 })
  return call('anvil_loadState', [`0x${state.toString('hex')}`], z.boolean())
}

/** Saves the chain again and again, whenever it has a new head, until it is aborted. */
export async function keepSaving(
  folder: Folder,
  url: string,
  { signal, onError }: { signal: AbortSignal; onError: (error: unknown) => void },
): Promise<void> {
  let saved: string | undefined
  while (!signal.aborted) {
    const started = performance.now()
    try {
      const head = await readHead(url)
      if (!signal.aborted && head.hash !== saved) saved = await saveChain(folder, url)
    } catch (error) {
      if (!signal.aborted) onError(error)
    }
    // A long chain takes longer to save: at most a tenth of the time goes into it.
    await sleep(Math.max(pollEveryMs, 9 * (performance.now() - started)), signal)
  }
}
