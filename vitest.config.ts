import { availableParallelism } from 'node:os'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { type DebianPackage, isThere, missingWords } from './scripts/debian.ts'
import { createRandom } from './scripts/dev/random.ts'
import { describeDepth, openDepth } from './scripts/testing/test-depth.ts'
import { usualMaxGasPriceWei } from './src/chain/chains.ts'
import { createCountReporter } from './test/support/reporters/count-reporter.ts'
import { createCpuReporter } from './test/support/reporters/cpu-reporter.ts'
import { createRuntimeReporter } from './test/support/reporters/runtime-reporter.ts'
import { serveBundle } from './test/support/runtimes/workerd-bundle.ts'

const depth = openDepth(process.env)
process.stdout.write(`${describeDepth(depth)}\n`)

const crashPoints = 'test/workerd/faults/crash-points.test.ts'

/**
 * Tests that ask the same of either runtime. A run asks half of them of the Worker and half of Deno, by the
 * seed; a full run asks all of both.
 */
const ofEitherRuntime = [
  ...['faults/pool', 'faults/workers'],
  ...['node/addresses', 'node/hostile-load', 'node/keys', 'node/methods'],
  ...['node/slow-readers', 'node/subscriptions', 'pages/phone'],
  { onWorker: 'faults/soak', onDeno: 'soak' },
  { onWorker: 'operator/runtimes', onDeno: 'incidents' },
]
/** `npm test` says that it runs everything: whoever asks for a part gets all of it. */
const isWhole = process.env.IS_WHOLE_RUN === undefined || depth.isFull
const offset = createRandom(depth.seed, 'which runtime').int(0, 1)
const spared = isWhole
  ? []
  : ofEitherRuntime.map((name, index) => {
      const { onWorker, onDeno } =
        typeof name === 'string' ? { onWorker: name, onDeno: name } : name
      const isDeno = (index + offset) % 2 === 0
      return `test/${isDeno ? `chain/${onWorker}` : `deno/${onDeno}`}.test.ts`
    })

/** Lists files that are left out where a Debian package is missing; none counts as skipped then. */
const needing: Readonly<Record<DebianPackage, readonly string[]>> = {
  'redis-server': [
    ...['test/deno/**', 'test/unit/**/*redis.test.ts', 'test/unit/relay/ledger/histories.test.ts'],
  ],
  'chromium-headless-shell': ['test/{chain,deno}/pages/{console,phone}.test.ts'],
  prometheus: [],
}
const missing = (Object.keys(needing) as DebianPackage[]).filter((name) => !isThere(name))
for (const name of missing) process.stdout.write(`${missingWords(name)}\n`)
const leftOut = [...spared, ...missing.flatMap((name) => needing[name])]

/**
 * These load a service as heavily as they can, so nothing else runs beside them: on a busy machine a
 * soak's sessions time out and are dialled again, for three times its CPU.
 */
const loading = [
  ...['chain/node/hostile-load', 'deno/node/hostile-load'],
  ...['chain/faults/soak', 'deno/soak'],
].map((name) => `test/${name}.test.ts`)

/**
 * No test is red because a machine is slow: each waits for what has to happen, and these limits only
 * end what hangs. They are far beyond what anything takes on a busy machine.
 */
const patience = {
  testTimeout: depth.isFull ? 3_600_000 : 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 120_000, interval: 20 } },
}

/**
 * Files of one worker share what they have loaded: loading it again for each of two hundred files costs
 * more than most of them do.
 */
const common = { ...patience, isolate: false, provide: { depth } }

/**
 * Node runs TypeScript itself: what runs in it needs nothing of Vite, which would transform it first, and no
 * test mocks a module.
 */
const inNode = {
  ...common,
  setupFiles: ['./test/support/reporters/cpu-setup.ts'],
  experimental: { viteModuleRunner: false, nodeLoader: false },
}

/** Where tests wait for runtimes, chains and blocks, the longest first: many of these files are a line or two. */
const longest = ['/test/workerd/', '/test/deno/', '/test/chain/faults/', '/test/chain/stack/']

/**
 * What takes longest begins first: at the end nothing would run beside it. In a fresh clone Vitest itself goes by
 * the size of files.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((folder) => moduleId.includes(folder))
      return place === -1 ? longest.length : place
    }
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Most of them wait for a chain or a process; each worker loads what it tests once more.
    maxWorkers: availableParallelism() + 3,
    reporters: [
      'default',
      createRuntimeReporter(),
      createCountReporter(process.env.TEST_COUNTS_FILE),
      createCpuReporter(Number(process.env.CPU_FILES ?? 20)),
    ],
    // What a Worker logs is shown beside the test that it made red.
    silent: 'passed-only',
    projects: [
      {
        test: {
          ...inNode,
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: leftOut,
        },
      },
      ...served('chain', {}),
      ...served('deno', { SERVED_BY: 'deno' }),
      inWorkerd('workerd', {
        include: ['test/workerd/objects.test.ts'],
        // Whose pool is full of fifteen transactions, and not of five hundred.
        bindings: { POOL_RULES: 'rootstock', MAX_GAS_PRICE_WEI: `${usualMaxGasPriceWei.anvil}` },
      }),
      inWorkerd('workerd-paying', { include: ['test/workerd/paying.test.ts'] }),
      // What it cuts off in the middle stays behind in its runtime, so that is nobody else's.
      inWorkerd('workerd-crash-points', { include: [crashPoints] }),
    ],
  },
})

/** Tests of what is served whole, by a Worker or by Deno; those that load it run when others are done. */
function served(name: 'chain' | 'deno', env: Record<string, string>) {
  const folder = `test/${name}/`
  const own = { ...inNode, env, globalSetup: ['./test/support/runtimes/worker-build-setup.ts'] }
  const ofFolder = loading.filter((path) => path.startsWith(folder))
  return [
    {
      test: {
        ...own,
        name,
        include: [`${folder}**/*.test.ts`],
        exclude: [...leftOut, ...ofFolder],
      },
    },
    {
      test: {
        ...own,
        name: `${name}-load`,
        include: ofFolder,
        exclude: leftOut,
        maxWorkers: 1,
        sequence: { groupOrder: 1 },
      },
    },
  ] satisfies TestProjectInlineConfiguration[]
}

/** Tests that run in a workerd of their own, with the Worker as it is configured. */
function inWorkerd(
  name: string,
  { bindings = {}, ...files }: { include: string[]; bindings?: Record<string, string> },
): TestProjectInlineConfiguration {
  return {
    plugins: [
      serveBundle(),
      cloudflareTest(({ inject }) => ({
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          bindings: { ...inject<Record<string, string>>('workerBindings'), ...bindings },
        },
      })),
    ],
    test: {
      ...common,
      name,
      ...files,
      globalSetup: ['./test/support/runtimes/workerd-setup.ts'],
    },
  }
}
