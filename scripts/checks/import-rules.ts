import { posix } from 'node:path'

const served = /^src\//
const entries = /^src\/(worker|deno)\.ts$/

/** Matches adapters by name: `x-redis.ts` adapts port `x.ts`; `redis.ts` adapts its folder's. */
const adapters = /^src\/(?!runtime\/).*(-(config|memory|object|redis)|\/(object|redis))\.ts$/

const objects = new RegExp(`[-/]object\\.ts$|${entries.source}`)
const routes = new RegExp(`/(route|app)\\.tsx?$|^src/pages/.*\\.tsx$|${entries.source}`)
/** Matches the insides of the ledger: its front is what it does, and the values it shares. */
const insides = /^src\/relay\/ledger\/(?!(observations|steps|transitions|values)\.ts$)/
const composers = /^src\/(compose\/|operator\/kept\/|relay\/|\w+\.ts$)/
const choosers = new RegExp(`${adapters.source}|${entries.source}|^src/compose/`)

/** Lists forbidden imports with their reason, and the excepted files. */
const forbidden: readonly (readonly [from: RegExp, to: RegExp, why: string, but?: RegExp])[] = [
  // Tests of an entry point import it.
  [/^(?!test\/)/, entries, 'no file imports an entry point', /-development\.ts$/],
  [/^scripts\//, /^test\//, 'no file outside test imports test'],
  [served, /^(scripts|test|contracts|out)\//, 'what is served depends on nothing outside src'],
  [served, /^cloudflare:/, 'only Durable Objects and the entry points do', objects],
  [served, /^hono(\/(?!utils\/)|$)/, 'only route files, app.ts and pages know Hono', routes],
  // node:crypto, whose hashes are native, comes with wrangler.toml's `nodejs_compat`.
  [served, /^node:(?!crypto$)/, 'not every runtime that serves this has it', entries],
  [served, adapters, 'only entry points, src/compose and other adapters know an adapter', choosers],
  [served, insides, 'only its front is known elsewhere', composers],
  [/^src\/operator\/kept\//, /^src\/relay\/ledger\/\w+\//, 'steps meet there as `parts`'],
  [/^src\/ussd\//, /^src\/operator\/(?!kept\/)/, 'the menu only asks what operators keep'],
  [/^src\/relay\//, /^src\/loan\/loan-book\.ts$/, 'the loan book is what operators keep'],
  [served, /^zod$/, 'what is served parses with zod/mini'],
  [served, /^viem\/accounts$/, 'word lists in nine languages: runtime/key-account.ts signs'],
]

/** Maps each subfolder to those that it may import; files beside them may import any. */
const layers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  src: {
    account: 'runtime',
    chain: 'runtime',
    compose: 'account chain keys loan node operator pages relay runtime sms ussd',
    keys: 'runtime',
    loan: 'runtime',
    node: 'chain keys runtime',
    operator: 'account chain keys loan relay runtime',
    pages: 'account loan operator relay runtime ussd',
    relay: 'chain loan runtime',
    runtime: '',
    sms: 'runtime',
    ussd: 'account chain loan operator relay runtime',
  },
  'src/node': {
    objects: '',
    upstream: 'objects',
    reads: 'objects upstream',
    feed: 'objects upstream reads',
    methods: 'objects upstream reads feed',
  },
  'src/operator': {
    access: 'actions schemas',
    actions: 'kept schemas',
    alerting: 'kept schemas',
    'chain-state': 'kept schemas',
    kept: '',
    schemas: 'kept',
  },
  'src/relay': {
    forwarder: '',
    ledger: 'forwarder',
    outcome: 'forwarder ledger',
    pay: 'forwarder ledger outcome',
    rounds: 'forwarder ledger outcome',
  },
  // A store knows rows and nothing of payments.
  'src/relay/ledger': { payments: '', records: 'payments', stores: '' },
  'src/ussd': {
    screens: '',
    gateways: 'screens',
    messages: '',
    menu: 'messages screens',
    session: 'gateways menu messages screens',
  },
  // What operators run is one; what measures and checks stands above it.
  scripts: {
    dev: 'stack contracts',
    stack: 'dev contracts ops',
    contracts: 'dev stack ops',
    ops: 'dev stack contracts',
    bench: 'dev stack contracts generate',
    soak: 'dev ops stack',
    'plant-bugs': 'dev stack',
    generate: 'dev contracts checks stack',
    checks: 'stack contracts',
    testing: 'dev stack contracts checks',
  },
  test: {
    support: 'ports',
    ports: 'support',
    unit: 'support ports chain',
    chain: 'support ports',
    workerd: 'support ports fixtures',
    deno: 'support chain',
  },
}

/** Most files in a folder, so that a newcomer finds the place of a change by its name. */
const mostInFolder = 16

/** Written by `npm run generate`; no other TypeScript file contains Solidity. */
const generated = ['src/loan/abi.ts', 'src/relay/forwarder/abi.ts']

/** Finds violations of the layout's rules in files, named by their path from the root. */
export function findImportFaults(sources: ReadonlyMap<string, string>): string[] {
  const faults = [...sources].flatMap(([file, source]) => [
    ...readImports(file, source).flatMap((target) => checkImport(file, target)),
    ...checkFile(file, source),
  ])
  return [...faults, ...checkFolders([...sources.keys()])]
}

/** Reads a file's imports: paths from the root for our files, else what the source says. */
export function readImports(file: string, source: string): string[] {
  const statements = /^[ \t]*(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]/gm
  const calls = /\bimport\(\s*['"]([^'"]+)['"]/g
  return [statements, calls].flatMap((pattern) =>
    [...source.matchAll(pattern)].map(([, name = '']) =>
      name.startsWith('.') ? posix.join(posix.dirname(file), name) : name,
    ),
  )
}

function checkImport(file: string, target: string): string[] {
  const reasons = [
    ...forbidden.flatMap(([from, to, why, but]) => {
      return from.test(file) && to.test(target) && !but?.test(file) ? [why] : []
    }),
    ...Object.keys(layers).flatMap((folder) => checkLayer(folder, file, target)),
  ]
  return reasons.map((why) => `${file} imports ${target}: ${why}`)
}

function checkLayer(folder: string, file: string, target: string): string[] {
  const [from, to] = [nameLayer(folder, file), nameLayer(folder, target)]
  if (from === undefined || to === undefined || from === to) return []
  const allowed = layers[folder]?.[from]
  if (allowed === undefined) {
    return [`${folder}/${from} has no layer yet: scripts/checks/import-rules.ts`]
  }
  if (allowed.split(' ').includes(to)) return []
  return [`${from} may use ${allowed === '' ? 'no other' : allowed.replaceAll(' ', ', ')}`]
}

/** Names the folder in this one that a file is in. */
function nameLayer(folder: string, file: string): string | undefined {
  return new RegExp(`^${folder}/([^/]+)/`).exec(file)?.[1]
}

function checkFile(file: string, source: string): string[] {
  const faults: string[] = []
  // A name that repeats its folder's does not describe the file.
  const [, folder, name] = /^.+?\/(?:.+\/)?([^/]+)\/([^/]+)\.tsx?$/.exec(file) ?? []
  if (folder !== undefined && folder === name) {
    faults.push(`${file} bears the name of its folder: name it after what is in it`)
  }
  const word = /\bparseAbi(?:Item)?\s*\(|\bstateMutability\s*:/.exec(source)?.[0]
  if (word !== undefined && file.startsWith('src/') && !generated.includes(file)) {
    faults.push(`${file} has an ABI of its own (${word}): contracts are met by the generated one`)
  }
  return faults
}

function checkFolders(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, (file) => posix.dirname(file))
  return [...folders]
    .filter(([, { length }]) => length > mostInFolder)
    .map(([folder, { length }]) => `${folder} holds ${length} files, ${mostInFolder} at most`)
}
