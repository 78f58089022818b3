import { posix } from 'node:path'

/** A rule of the layout that a file breaks, in words. */
export type Fault = { file: string; message: string }

/** Which part may use which; nothing else crosses from one folder of `src` to another. */
const directions: Readonly<Record<string, readonly string[]>> = {
  account: [],
  chain: [],
  keys: [],
  loan: [],
  node: ['chain', 'keys'],
  operator: ['account', 'chain', 'keys', 'loan', 'relay'],
  relay: ['chain'],
  sms: [],
  ussd: ['account', 'loan', 'relay'],
}

/** Which room of a folder may use which of its rooms; the files beside the rooms are free. */
const rooms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  node: {
    objects: [],
    upstream: ['objects'],
    reads: ['objects', 'upstream'],
    feed: ['objects', 'upstream', 'reads'],
    methods: ['objects', 'upstream', 'reads', 'feed'],
  },
  operator: {
    actions: [],
    alerting: [],
    sight: [],
  },
  relay: {
    forwarder: [],
    ledger: ['forwarder'],
    outcome: ['forwarder', 'ledger'],
    pay: ['forwarder', 'ledger', 'outcome'],
    tend: ['forwarder', 'ledger', 'outcome'],
  },
  // A store knows rows, and nothing of payments.
  'relay/ledger': {
    life: [],
    notes: ['life'],
    copies: ['life', 'notes'],
    stores: [],
  },
  ussd: {
    screens: [],
    gateways: ['screens'],
    messages: [],
    menu: ['messages', 'screens'],
  },
}

/** Above that many files a stranger does not find the place for a change by its name. */
const mostInFolder = 16

/** Folders of one file each for what they have: the more of it, the more files. */
const lists = ['src/node/methods']

/** The two entry points choose adapters. They import anything, and no file imports them. */
const entries = ['src/worker.ts', 'src/deno.ts']

/** Puts the parts together, so it may use all of them; only the entry points use it. */
const composition = 'compose'

/** What every part may use. It uses no part. */
const foundation = 'runtime'

/** What the file name of an adapter ends in, after the name of a port that stands beside it. */
const media = ['config', 'memory', 'object', 'redis']

/** Written by `npm run abi`: the only words of Solidity that TypeScript has. */
const generated = ['src/loan/abi.ts', 'src/relay/forwarder/abi.ts']

/**
 * What breaks the layout's rules. Files are named by their path from the repository's root, with
 * `/` between folders. Imports of types count: they are dependencies too.
 */
export function importFaults(sources: ReadonlyMap<string, string>): Fault[] {
  const imports = new Map(
    [...sources].map(([file, source]) => [file, importsOf(file, source)] as const),
  )
  const faults = [...imports].flatMap(([file, targets]) =>
    targets.flatMap((target) => {
      const messages = [...faultsOf(file, target), ...adapterFaults(file, target, sources)]
      return messages.map((message) => ({ file, message }))
    }),
  )
  const words = [...sources].flatMap(([file, source]) => solidityFaults(file, source))
  const files = [...sources.keys()]
  return [
    ...[...faults, ...words, ...files.flatMap(nameFaults)],
    ...[...folderFaults(files), ...cycles(imports)],
  ]
}

/** What a file imports: paths from the root for files of ours, what the source says for all else. */
export function importsOf(file: string, source: string): string[] {
  const statements = /^[ \t]*(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]/gm
  const calls = /\bimport\(\s*['"]([^'"]+)['"]/g
  return [statements, calls].flatMap((pattern) =>
    [...source.matchAll(pattern)].map(([, name = '']) =>
      name.startsWith('.') ? posix.join(posix.dirname(file), name) : name,
    ),
  )
}

function faultsOf(file: string, target: string): string[] {
  const rules = [entryFault, testFault, runtimeFault, sizeFault, directionFault, roomFault]
  return rules.flatMap((rule) => rule(file, target) ?? [])
}

function entryFault(file: string, target: string): string | undefined {
  // Tests of an entry point have to.
  if (!entries.includes(target) || file.startsWith('test/')) return undefined
  return `imports ${target}: no file imports an entry point`
}

function testFault(file: string, target: string): string | undefined {
  // What is served has a stricter rule.
  if (!target.startsWith('test/') || /^(test|src)\//.test(file)) return undefined
  return `imports ${target}: no file outside test imports test`
}

function runtimeFault(file: string, target: string): string | undefined {
  if (!file.startsWith('src/') || entries.includes(file)) return undefined
  if (target.startsWith('cloudflare:') && !/[-/]object\.ts$/.test(file)) {
    return `imports ${target}: only Durable Objects (object.ts, *-object.ts) and the entry points do`
  }
  if (/^hono(\/|$)/.test(target) && !['route.ts', 'app.ts'].includes(posix.basename(file))) {
    return `imports ${target}: only route.ts files and app.ts know Hono`
  }
  if (target.startsWith('node:'))
    return `imports ${target}: not every runtime that serves this has it`
  return undefined
}

/** Packages whose like stands in their place in what is served, and why. */
const unserved: Readonly<Record<string, string>> = {
  zod: 'what is served parses with zod/mini',
  'viem/accounts': 'it brings word lists in nine languages; runtime/key-account.ts signs',
}

function sizeFault(file: string, target: string): string | undefined {
  const reason = file.startsWith('src/') ? unserved[target] : undefined
  return reason && `imports ${target}: ${reason}`
}

function adapterFaults(
  file: string,
  target: string,
  sources: ReadonlyMap<string, unknown>,
): string[] {
  const port = portOf(target, sources)
  if (port === undefined || !file.startsWith('src/')) return []
  if (file === port) return [`imports ${target}: a port never imports its adapter`]
  if (choosesAdapters(file) || portOf(file, sources) !== undefined) return []
  return [`imports ${target}: only entry points and src/${composition} choose adapters`]
}

/**
 * Where the port of a file stands that is named like an adapter: `x-redis.ts` in its folder or the one
 * above, and of `redis.ts` the `port.ts` there.
 */
function portOf(file: string, sources: ReadonlyMap<string, unknown>): string | undefined {
  const [, noun, medium = ''] = /^(?:(.+)-)?([a-z]+)\.ts$/.exec(posix.basename(file)) ?? []
  if (!media.includes(medium)) return undefined
  const folder = posix.dirname(file)
  return [folder, posix.dirname(folder)]
    .map((place) => `${place}/${noun ?? 'port'}.ts`)
    .find((place) => sources.has(place))
}

function choosesAdapters(file: string): boolean {
  return entries.includes(file) || partOf(file) === composition
}

function directionFault(file: string, target: string): string | undefined {
  if (!file.startsWith('src/') || entries.includes(file)) return undefined
  if (/^(scripts|test|contracts|out)\//.test(target)) {
    return `imports ${target}: what is served depends on nothing outside src`
  }
  if (!target.startsWith('src/') || entries.includes(target)) return undefined
  const [from, to] = [partOf(file), partOf(target)]
  if (from === to || to === foundation || from === composition) return undefined
  if (from === foundation) return `imports ${target}: what every part may use depends on no part`
  if (to === composition) return `imports ${target}: a part gets what it needs from src/${to}`
  const allowed = from === undefined ? undefined : directions[from]
  if (allowed === undefined) {
    return `is in a part that has no direction yet: add src/${from ?? '<part>'} to scripts/checks/import-rules.ts`
  }
  if (to !== undefined && allowed.includes(to)) return undefined
  const may = allowed.length === 0 ? 'no other part' : allowed.join(', ')
  return `imports ${target}: ${from} may use ${may}`
}

function roomFault(file: string, target: string): string | undefined {
  for (const [folder, inFolder] of Object.entries(rooms)) {
    const [from, to] = [roomOf(file, folder), roomOf(target, folder)]
    if (from === undefined || to === undefined || from === to) continue
    const allowed = inFolder[from]
    if (allowed === undefined) {
      return `is in a room that has no direction yet: add ${folder}/${from} to scripts/checks/import-rules.ts`
    }
    if (allowed.includes(to)) continue
    const may = allowed.length === 0 ? 'no other room' : allowed.join(', ')
    return `imports ${target}: ${from} may use ${may}`
  }
  return undefined
}

/** The room of a folder of `src` that a file is in; undefined for files beside its rooms, and elsewhere. */
function roomOf(file: string, folder: string): string | undefined {
  const place = `src/${folder}/`
  return file.startsWith(place) ? /^([^/]+)\//.exec(file.slice(place.length))?.[1] : undefined
}

/** The folder of `src` that a file is in; undefined for files beside the folders. */
function partOf(file: string): string | undefined {
  return /^src\/([^/]+)\//.exec(file)?.[1]
}

/** A name that repeats its folder's says nothing of what is in the file. */
function nameFaults(file: string): Fault[] {
  const [, folder, name] = /^(?:src|scripts|test)\/(?:.+\/)?([^/]+)\/([^/]+)\.ts$/.exec(file) ?? []
  if (folder === undefined || folder !== name) return []
  return [{ file, message: 'bears the name of its folder: name it after what is in it' }]
}

function folderFaults(files: readonly string[]): Fault[] {
  const folders = Map.groupBy(files, (file) => posix.dirname(file))
  return [...folders].flatMap(([folder, { length }]) => {
    if (length <= mostInFolder || lists.includes(folder)) return []
    const message = `holds ${length} files, ${mostInFolder} at most: divide it into rooms with names`
    return [{ file: folder, message }]
  })
}

function solidityFaults(file: string, source: string): Fault[] {
  if (!file.startsWith('src/') || generated.includes(file)) return []
  const word = /\bparseAbi(?:Item)?\s*\(|\bstateMutability\s*:/.exec(source)?.[0]
  if (word === undefined) return []
  const message = `has an ABI of its own (${word.trim()}): contracts are met through the generated one`
  return [{ file, message }]
}

/** Each cycle once, named at the file of it that comes first. */
function cycles(imports: ReadonlyMap<string, readonly string[]>): Fault[] {
  const faults: Fault[] = []
  const done = new Set<string>()
  const path: string[] = []

  const visit = (file: string): void => {
    const start = path.indexOf(file)
    if (start >= 0) {
      const cycle = [...path.slice(start), file].join(' > ')
      faults.push({ file, message: `imports itself in the end: ${cycle}` })
      return
    }
    if (done.has(file)) return
    path.push(file)
    for (const target of imports.get(file) ?? []) if (target.startsWith('src/')) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of [...imports.keys()].sort()) if (file.startsWith('src/')) visit(file)
  return faults
}
