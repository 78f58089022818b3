import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { type Counts, countBy } from '../../dev/count.ts'
import { openInspector } from '../../dev/workerd.ts'
import { type Payer, payRound } from '../payer.ts'
import type { World } from '../world.ts'

/** Parses a profile of Chrome's DevTools Protocol (chromedevtools.github.io/devtools-protocol). */
const place = { lineNumber: z.number(), columnNumber: z.number() }
const frame = z.object({ functionName: z.string(), url: z.string(), ...place })
const children = z.array(z.number()).optional()
const node = z.object({ id: z.number(), callFrame: frame, children })
const profile = z.object({ nodes: z.array(node), samples: z.array(z.number()) })

type Frame = z.infer<typeof frame>
type Profile = z.infer<typeof profile>

/** Names parts of a payment's work by a function's file; the first that fits counts. */
const parts: Record<string, RegExp> = {
  'signing, hashing and derivation':
    /@noble|@scure|js-sha3|account\/keys|runtime\/(keccak|key-account|secp256k1)|wasm:|relay\/signer/,
  ledger: /relay\/ledger/,
  'log lines': /runtime\/log|relay\/outcome\/log-transitions/,
  'questions to the node': /src\/(node|chain)\//,
  'the rest of the relay': /src\/relay\//,
  'request, menu and screen': /src\/(ussd|account|loan|compose)|node_modules\/hono/,
}

const ofRuntime = new Map([
  ['(idle)', 'idle'],
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'the runtime outside JavaScript'],
])

/** Measures the Worker's CPU while it pays; a sample counts for the innermost named frame. */
export async function measureProfile(world: World): Promise<void> {
  const relay = await world.serveRelay('inspected', { how: 'inspected' })
  await payRound(world.chain, relay, 128, { callers: 64 })
  const { shares } = await profileRound(world, relay, 200)
  for (const [part, share] of Object.entries(shares))
    world.figures.add(`CPU by profile: ${part}`, '%', share * 100)
}

/** Pays, and tells the share of each part in the CPU of the isolate, of objects too. */
export async function profileRound(
  { build, chain }: World,
  relay: Payer & { inspectorUrl: string | undefined },
  payments: number,
) {
  const pay = () => payRound(chain, relay, payments, { callers: 64 })
  const { result, taken } = await profileDuring(relay.inspectorUrl ?? '', pay)
  const written = readFileSync(join(build.folder, 'worker.js.map'), 'utf8')
  const { idle = 0, ...counts } = countSamples(taken, new SourceMap(JSON.parse(written)))
  const busy = taken.samples.length - idle
  const shares = Object.entries(counts).map(([part, count]) => [part, count / busy] as const)
  return { ...result, shares: Object.fromEntries(shares) }
}

async function profileDuring<Result>(inspectorUrl: string, work: () => Promise<Result>) {
  const { send, close } = await openInspector(inspectorUrl)
  try {
    await send('Profiler.enable')
    await send('Profiler.setSamplingInterval', { interval: 200 })
    await send('Profiler.start')
    const result = await work()
    const { profile: taken } = z.object({ profile }).parse(await send('Profiler.stop'))
    return { result, taken }
  } finally {
    await close()
  }
}

/** Counts samples by part: a function of none is its caller's. */
function countSamples({ nodes, samples }: Profile, map: SourceMap): Counts {
  const partOf = new Map<number, string>()
  const other = 'other libraries (encoding, parsing)'
  // A caller stands before what it calls.
  for (const { id, callFrame, children = [] } of nodes) {
    const part = findPart(callFrame, map) ?? partOf.get(id) ?? other
    for (const each of [id, ...children]) partOf.set(each, part)
  }
  return countBy(samples.map((id) => partOf.get(id) ?? other))
}

function findPart({ functionName, url, lineNumber, columnNumber }: Frame, map: SourceMap) {
  const entry = map.findEntry(lineNumber, columnNumber)
  const source = 'originalSource' in entry ? entry.originalSource : ''
  const file = url.startsWith('wasm:') ? url : source
  const part = Object.entries(parts).find(([, files]) => files.test(file))
  return ofRuntime.get(functionName) ?? part?.[0]
}
