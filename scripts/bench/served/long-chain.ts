import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import { toHex } from 'viem'
import { z } from 'zod'
import { type Anvil, startAnvil } from '../../dev/anvil.ts'
import { memoryFolder } from '../../dev/memory-folder.ts'
import { createNodeCall } from '../../stack/chain/node-call.ts'

const block = z.looseObject({
  header: z.looseObject({ number: z.string(), timestamp: z.string() }),
})

/** What `anvil_dumpState` gives, of which only this is looked at. */
const dumped = z.looseObject({
  best_block_number: z.number(),
  block: z.looseObject({ number: z.string(), timestamp: z.string() }),
  blocks: z.array(block),
})

type Dumped = z.infer<typeof dumped>

/**
 * Starts an anvil with so many blocks, all of them empty and a second apart. They are written down as a
 * state that anvil loads in seconds: made one by one, each costs it more than the one before, and
 * 200,000 would take ten hours. None but the first names its parent's hash, at which a question for logs
 * does not look.
 */
export async function startLongChain(
  blocks: number,
  atEnd: (stop: () => unknown) => void,
): Promise<Anvil> {
  const folder = mkdtempSync(join(memoryFolder(), 'bench-long-chain-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'state.json')
  await pipeline(Readable.from(grown(await stateOfNewChain(), blocks)), createWriteStream(file))
  const anvil = await startAnvil({ args: ['--load-state', file] })
  atEnd(anvil.stop)
  return anvil
}

/** Of a chain whose only blocks are the first, and one that is empty. */
async function stateOfNewChain(): Promise<Dumped> {
  const anvil = await startAnvil()
  try {
    const call = createNodeCall(anvil.url)
    await call('anvil_mine', [toHex(1)], z.unknown())
    const state = await call('anvil_dumpState', [], z.string().startsWith('0x'))
    const json = gunzipSync(Buffer.from(state.slice(2), 'hex')).toString('utf8')
    return dumped.parse(JSON.parse(json))
  } finally {
    await anvil.stop()
  }
}

/** The JSON of this state with empty blocks up to this one. It is longer than a string can be. */
function* grown({ blocks, ...state }: Dumped, best: number): Generator<string> {
  const last = blocks.find(({ header }) => Number(header.number) === state.best_block_number)
  if (last === undefined) throw new Error("anvil's state lacks its newest block")
  const numbered = (number: number) => ({
    number: toHex(number),
    timestamp: toHex(Number(last.header.timestamp) + number - state.best_block_number),
  })
  const head = { ...state.block, ...numbered(best) }
  const rest = JSON.stringify({ ...state, best_block_number: best, block: head }).slice(1)
  yield `{"blocks":[${blocks.map((each) => JSON.stringify(each)).join()}`
  for (let number = state.best_block_number + 1; number <= best; number += 1) {
    yield `,${JSON.stringify({ ...last, header: { ...last.header, ...numbered(number) } })}`
  }
  yield `],${rest}`
}
