import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { openInspector } from '../inspector.ts'
import { payRound } from '../payer.ts'
import type { World } from '../world.ts'

const profile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({
        functionName: z.string(),
        url: z.string(),
        lineNumber: z.number(),
        columnNumber: z.number(),
      }),
      children: z.array(z.number()).optional(),
    }),
  ),
  samples: z.array(z.number()),
})

type Profile = z.infer<typeof profile>

/** Parts of a payment's work, by the file that a function comes from; the first that fits counts. */
const parts = [
  [
    'signing',
    'signing, hashing and derivation',
    /@noble|@scure|account\/keys|runtime\/key-account|relay\/signer/,
  ],
  ['ledger', 'ledger', /relay\/ledger/],
  ['log', 'log lines', /runtime\/log|relay\/outcome\/log-transitions/],
  ['node', 'questions to the node', /src\/(node|chain)\//],
  ['relay', 'the rest of the relay', /src\/relay\//],
  ['request', 'request, menu and screen', /src\/(ussd|account|loan|compose)|node_modules\/hono/],
] as const

const otherParts = [
  ['collection', 'garbage collection'],
  ['native', 'the runtime outside JavaScript'],
  ['other', 'other libraries (encoding, parsing)'],
] as const

type Part = (typeof parts)[number][0] | (typeof otherParts)[number][0]

/**
 * Where the Worker's CPU goes while it pays, by a profile of its isolate, objects included. A sample
 * belongs to the innermost frame whose file says a part: what a library does is its caller's, signing
 * excepted.
 */
export async function measureProfile(world: World): Promise<void> {
  const { chain, load, figures } = world
  const relay = await world.serveRelay('inspected', { how: 'inspected' })
  const pay = (payments: number) =>
    payRound({ chain, load }, relay, { payments, pace: { callers: 64 } })
  await pay(128)
  const taken = await profileDuring(relay.inspectorUrl, () => pay(world.isFull ? 1_500 : 200))
  const map = readFileSync(join(world.build.folder, 'worker.js.map'), 'utf8')
  const shares = sharesOf(taken, new SourceMap(JSON.parse(map)))
  for (const [part, title] of [...parts, ...otherParts]) {
    figures.add(`cpu.part.${part}`, `of the profile: ${title}`, '%', [shares[part] * 100])
  }
}

async function profileDuring(
  inspectorUrl: string | undefined,
  work: () => Promise<unknown>,
): Promise<Profile> {
  const { send, close } = await openInspector(inspectorUrl)
  try {
    await send('Profiler.enable')
    await send('Profiler.setSamplingInterval', { interval: 200 })
    await send('Profiler.start')
    await work()
    return z.object({ profile }).parse(await send('Profiler.stop')).profile
  } finally {
    close()
  }
}

/** Which share of the samples, idle ones left out, belongs to each part. */
function sharesOf({ nodes, samples }: Profile, map: SourceMap): Record<Part, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const known = new Map<number, Part | 'idle'>()
  const partOf = (id: number): Part | 'idle' => {
    const part = known.get(id) ?? find(id)
    known.set(id, part)
    return part
  }
  const counts = new Map<Part | 'idle', number>()
  for (const id of samples) counts.set(partOf(id), (counts.get(partOf(id)) ?? 0) + 1)
  const busy = samples.length - (counts.get('idle') ?? 0)
  const names = [...parts, ...otherParts].map(([name]) => name)
  return Object.fromEntries(names.map((name) => [name, (counts.get(name) ?? 0) / busy])) as Record<
    Part,
    number
  >

  function find(id: number): Part | 'idle' {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = byId.get(at)?.callFrame
      if (frame === undefined) break
      if (frame.functionName === '(idle)') return 'idle'
      if (frame.functionName === '(garbage collector)') return 'collection'
      if (frame.functionName === '(program)') return 'native'
      const file = fileOf(frame, map)
      const part = parts.find(([, , files]) => files.test(file))
      if (part !== undefined) return part[0]
    }
    return 'other'
  }
}

function fileOf(
  { lineNumber, columnNumber }: { lineNumber: number; columnNumber: number },
  map: SourceMap,
): string {
  const entry = map.findEntry(lineNumber, columnNumber)
  return 'originalSource' in entry ? entry.originalSource : ''
}
