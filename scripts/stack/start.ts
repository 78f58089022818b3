import { rmSync } from 'node:fs'
import { relative } from 'node:path'
import { type Address, createPublicClient, formatEther, http } from 'viem'
import { poolRules } from '../../src/chain/chains.ts'
import { provideRedisServer } from '../debian.mjs'
import { isFree } from '../dev/ports.ts'
import { sleep } from '../dev/wait.ts'
import { endLeftChain, type LocalChain, startChain } from './chain/anvil.ts'
import { readSavedHead } from './chain/chain-state.ts'
import { type ChainNode, openNode, withoutKey } from './chain/node.ts'
import { startRootstock } from './chain/rootstock.ts'
import { createCommand } from './command.ts'
import { prepareChain } from './deployment.ts'
import { readJson, writeJson } from './files.ts'
import { type Folder, openFolder, root } from './folder.ts'
import { demoCallers, demoDepositWei, fundDemoCallers } from './money/callers.ts'
import { relayerAddresses } from './money/relayers.ts'
import { openTreasury } from './money/treasury.ts'
import { type Options, readOptions, startFlags } from './options.ts'
import { end } from './process-id.ts'
import { type Child, type Claim, claim } from './processes.ts'
import { describe, Misused, StackError, say } from './report.ts'
import { describeStack, type RunningStack } from './running-stack.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import { runDeno } from './served/deno.ts'
import { waitUntilHealthy } from './served/healthy.ts'
import { type RunningWorker, runWorker, workerVariables } from './served/worker.ts'
import { buildWorker } from './served/worker-build.ts'
import { createWorkerLog } from './served/worker-log.ts'
import { watchStarter } from './starter.ts'

/** As often as Cloudflare runs the Worker's cron. */
const wakeEveryMs = 60_000

/** How long a start waits for payments that are sent again, at most. */
const repeatedWithinMs = 20_000

/** A chain that is shorter than it was may be a replica that lags, so the relay waits before it acts. */
const repeatsAfterMs = poolRules.anvil.regressionMs + 3 * poolRules.anvil.tendMs

const usage = `Usage: npm start [-- [--reset] [--rootstock] [--deno]]

Starts a chain of its own, or uses the node that NODE_URL names, deploys what is not there yet, and serves the relay.

--reset      starts over: the local chain and what was kept with it are gone
--rootstock  has Rootstock's pool and its rules before the local chain
--deno       serves by Deno with Redis, in the place of workerd`

const command = createCommand({
  usage,
  options: startFlags,
  async run(flags, given, { env }) {
    if (given.length > 0) throw new Misused()
    const options = readOptions(flags, env)
    const lifetime = openLifetime()
    try {
      await start(options, lifetime)
    } catch (error) {
      await lifetime.fail(error)
    }
    return undefined
  },
})
process.exitCode = await command()

/** What has to be ended, newest first, however this process ends. */
type Lifetime = {
  add: (step: () => unknown) => void
  /** Waits for ever once the end has begun, so that nothing new is started. */
  goOn: () => Promise<void>
  stop: (line: string, code: number) => Promise<never>
  fail: (error: unknown) => Promise<never>
}

function openLifetime(): Lifetime {
  const steps: (() => unknown)[] = []
  let stopping: Promise<never> | undefined

  const endAll = async (code: number): Promise<never> => {
    for (const step of steps.reverse()) {
      try {
        await step()
      } catch (error) {
        process.stderr.write(`${describe(error)}\n`)
      }
    }
    process.exit(code)
  }
  const stop = (line: string, code: number) => {
    if (stopping === undefined) {
      say(line)
      stopping = endAll(code)
    }
    return stopping
  }
  const fail = (error: unknown) => {
    // What breaks because everything is being ended is no news.
    if (stopping === undefined) {
      process.stderr.write(`${describe(error)}\n`)
      stopping = endAll(1)
    }
    return stopping
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void stop('\nStopping', 0))
  }
  process.on('uncaughtException', (error) => void fail(error))
  process.on('unhandledRejection', (error) => void fail(error))
  watchStarter(() => void stop('npm start was killed: stopping', 1))
  return {
    add: (step) => steps.push(step),
    goOn: async () => {
      if (stopping !== undefined) await stopping
    },
    stop,
    fail,
  }
}

async function start(options: Options, lifetime: Lifetime): Promise<void> {
  const began = performance.now()
  const folder = openFolder()
  const claimed = await claimFolder(folder, options, lifetime)
  const { killed, left, processes } = claimed
  // Only now: a stack that runs already is found before anything is installed.
  if (options.deno && !process.env.UPSTASH_REDIS_REST_URL) provideRedisServer()
  await lifetime.goOn()
  const secrets = openSecrets(folder.secrets)
  // A node of another operator may be away: it is asked before anything is begun.
  const given = isLocal(options) ? undefined : await openNode(options.nodeUrls, options.chainId)
  const building = beginBuild(options, lifetime)
  const { chain, node } =
    given === undefined
      ? await openChain(folder, options, claimed, lifetime)
      : { chain: undefined, node: given }
  sayWhatIsThere(folder, options, { chain, node, killed })
  const { relayers, deployment } = await deploy(folder, options, { node, secrets, lifetime })
  // Before the first payment, so that a ledger never knows of contracts that its chain forgets.
  await chain?.save()
  await lifetime.goOn()
  const rootstock = await openRootstock(options, chain, lifetime)
  await lifetime.goOn()
  const served = rootstock === undefined ? node : { ...node, url: rootstock.url }

  say(options.deno ? 'Starting Deno' : 'Starting the Worker')
  const build = await building
  const nonces = await transactionCounts(served, relayers)
  const nodeUrls = chain === undefined ? options.nodeUrls : [served.url]
  const running = {
    port: options.port,
    variables: workerVariables({
      ...{ secrets, node, deployment, nodeUrls },
      overrides: { ...rootstock?.variables, ...options.variables },
    }),
    processes,
    onLine: createWorkerLog(folder.log('relay'), say),
  }
  const rows = folder.redis(node.genesis)
  const objects = folder.objects(node.genesis)
  const worker =
    build === undefined
      ? await runDeno({ ...running, rows })
      : await runWorker({ ...running, build, objects })
  lifetime.add(worker.stop)
  await lifetime.goOn()
  await waitUntilHealthy(worker)
  keepAwake(worker, lifetime)
  const isOlder = killed && chain?.loaded === true && !left.some(({ name }) => name === 'anvil')
  if (isOlder) await sayWhatWasRepeated(served, relayers, nonces)

  const stack = describeStack({
    ...{ relayUrl: worker.url, nodeUrl: served.url, chainId: served.chain.id },
    ...{ contracts: deployment, secrets },
  })
  writeJson(folder.stack, stack)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const file = `./${relative(root, folder.stack)}`
  const [local, funded] = [chain !== undefined, node.isAnvil]
  const restart = restartOf(options)
  sayReady({ stack, file, node: served, local, seconds, funded, restart })
}

/** Whether the stack brings a chain of its own. */
function isLocal({ nodeUrls }: Options): boolean {
  return nodeUrls.length === 0
}

type Claimed = Extract<Claim, { kind: 'claimed' }>

/**
 * Makes the folder this start's own, and ends what an earlier one left.
 *
 * @throws {StackError} another stack runs there, or the port is taken
 */
async function claimFolder(folder: Folder, options: Options, lifetime: Lifetime): Promise<Claimed> {
  const claimed = claim(folder, `http://127.0.0.1:${options.port}`)
  if (claimed.kind === 'running') {
    throw new StackError(
      `The stack already runs at ${claimed.relayUrl} (process ${claimed.main.pid}). End that one first, with Ctrl-C or: kill ${claimed.main.pid}`,
    )
  }
  lifetime.add(claimed.processes.close)
  // Tools that wait for this file wait for this start.
  rmSync(folder.stack, { force: true })
  lifetime.add(() => rmSync(folder.stack, { force: true }))
  await endLeft(folder, claimed.left, { keep: !(options.reset && isLocal(options)) })
  if (!(await isFree(options.port))) {
    throw new StackError(
      `Port ${options.port} is in use by another program. Choose one with: PORT=${options.port + 1} npm start`,
    )
  }
  return claimed
}

/** The Worker's build, which takes a while; undefined on Deno, which needs none. */
function beginBuild(options: Options, lifetime: Lifetime) {
  const unneeded = new AbortController()
  const building = options.deno ? undefined : buildWorker(unneeded.signal)
  // Looked at when it is needed; until then a failure is not lost.
  const built = building?.catch(() => {})
  lifetime.add(() => {
    unneeded.abort()
    return built
  })
  return building
}

/** The stack's own chain, kept from the last start or new. */
async function openChain(
  folder: Folder,
  { reset, chainId }: Options,
  { processes }: Claimed,
  lifetime: Lifetime,
): Promise<{ chain: LocalChain; node: ChainNode }> {
  if (reset) forgetLocalChain(folder)
  const chain = await startChain(folder, { chainId, processes })
  lifetime.add(chain.stop)
  chain.lost.catch((error) => lifetime.fail(error))
  await lifetime.goOn()
  return { chain, node: await openNode([chain.url], chainId) }
}

/** Deploys what is not there yet, funds the relayers, and on a chain of anvil's the demonstration's callers. */
async function deploy(
  folder: Folder,
  options: Options,
  { node, secrets, lifetime }: { node: ChainNode; secrets: Secrets; lifetime: Lifetime },
) {
  say('Compiling the contracts and looking for them on the chain')
  const relayers = relayerAddresses(secrets.RELAYER_MNEMONIC, node.chain.id)
  const treasury = await openTreasury(node, options.deployerKey)
  const restart = restartOf(options)
  const deployment = await prepareChain(folder, node, { treasury, relayers, restart })
  await lifetime.goOn()
  if (treasury !== undefined && node.isAnvil) {
    const bank = { node, treasury, loan: deployment.loan, secrets }
    await fundDemoCallers(bank, folder.funded(node.genesis, deployment.loan))
  }
  return { relayers, deployment }
}

async function openRootstock(options: Options, chain: LocalChain | undefined, lifetime: Lifetime) {
  if (!options.rootstock || chain === undefined) return undefined
  const rootstock = await startRootstock(chain)
  lifetime.add(rootstock.stop)
  say(`Started a Rootstock pool at ${rootstock.url}: a block every ${rootstock.blockSeconds} s`)
  return rootstock
}

/** Processes that a killed start could not end: first who sends, then the chain with all it has. */
async function endLeft(folder: Folder, left: Child[], { keep }: { keep: boolean }): Promise<void> {
  for (const child of left.filter(({ name }) => name === 'workerd' || name === 'deno')) {
    say(`Ending the Worker that a killed start left running (process ${child.pid})`)
    await end(child, { graceMs: 0 })
  }
  for (const child of left.filter(({ name }) => name === 'redis')) {
    say(`Ending the Redis that a killed start left running (process ${child.pid})`)
    await end(child, { graceMs: 5_000 })
  }
  for (const child of left.filter(({ name }) => name === 'anvil')) {
    const saved = keep ? ', after saving its blocks' : ''
    say(`Ending the local chain that a killed start left running (process ${child.pid})${saved}`)
    await endLeftChain(folder, child, { keep })
  }
}

/** Other chains' ledgers stay, and so do the secrets, which callers' money elsewhere depends on. */
function forgetLocalChain(folder: Folder): void {
  const genesis = readJson(folder.chainGenesisHash)
  if (typeof genesis === 'string' && /^0x[0-9a-f]{64}$/.test(genesis)) {
    rmSync(folder.ofChain(genesis as `0x${string}`), { recursive: true, force: true })
  }
  rmSync(folder.chain, { recursive: true, force: true })
  say('The local chain and what was kept with it are gone: starting over')
}

function sayWhatIsThere(
  folder: Folder,
  { reset }: Options,
  { chain, node, killed }: { chain: LocalChain | undefined; node: ChainNode; killed: boolean },
): void {
  if (chain === undefined) {
    if (reset) rmSync(folder.ofChain(node.genesis), { recursive: true, force: true })
    say(`Using the node at ${withoutKey(node.url)} (chain ${node.chain.id})`)
  } else {
    writeJson(folder.chainGenesisHash, node.genesis)
    sayWhatWasFound(folder, chain, { killed })
  }
}

function sayWhatWasFound(folder: Folder, chain: LocalChain, { killed }: { killed: boolean }): void {
  const saved = readSavedHead(folder)
  if (!chain.loaded || saved === undefined) {
    say(`Started a new local chain at ${chain.url}`)
    return
  }
  const at = new Date(saved.savedAt).toTimeString().slice(0, 8)
  say(
    killed
      ? `The last start was killed. The local chain at ${chain.url} goes on from block ${saved.number}, saved at ${at}`
      : `The local chain at ${chain.url} goes on from block ${saved.number}`,
  )
}

function transactionCounts(node: ChainNode, accounts: Address[]): Promise<number[]> {
  const client = createPublicClient({ transport: http(node.url) })
  return Promise.all(accounts.map((address) => client.getTransactionCount({ address })))
}

/**
 * A chain that may come back older than the ledger. To the relay that is a reorganization: it sends
 * the same bytes again. Waits until it has.
 */
async function sayWhatWasRepeated(
  node: ChainNode,
  relayers: Address[],
  before: number[],
): Promise<void> {
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)
  const started = performance.now()
  let repeated = 0
  let quietUntil = started + repeatsAfterMs
  while (performance.now() < Math.min(quietUntil, started + repeatedWithinMs)) {
    const now = sum(await transactionCounts(node, relayers)) - sum(before)
    if (now !== repeated) quietUntil = performance.now() + poolRules.anvil.tendMs
    repeated = now
    await sleep(100)
  }
  say(
    repeated === 0
      ? 'No payment had to be sent again'
      : `Sent again what the chain had lost, same bytes: ${repeated} of the relay's transactions`,
  )
}

/** Wakes the ledgers now and every minute, and notices when workerd is gone. */
function keepAwake(worker: RunningWorker, lifetime: Lifetime): void {
  const wake = () => {
    worker.wake().catch((error) => {
      if (worker.isRunning()) say(`The Worker's scheduled run failed: ${describe(error)}`)
    })
  }
  wake()
  const waking = setInterval(wake, wakeEveryMs)
  const watching = setInterval(() => {
    if (worker.isRunning()) return
    clearInterval(watching)
    // Ctrl-C reaches workerd first: whether it was lost or ended with us shows a moment later.
    setTimeout(() => void lifetime.fail(new StackError('The Worker ended. Start again.')), 300)
  }, 1_000)
  lifetime.add(() => {
    clearInterval(waking)
    clearInterval(watching)
  })
}

/** The command that forgets everything. */
function restartOf({ deno }: Options): string {
  return deno ? 'npm start -- --deno --reset' : 'npm start -- --reset'
}

function sayReady({
  stack,
  file,
  node,
  local,
  seconds,
  funded,
  restart,
}: {
  stack: RunningStack
  /** Where it was written to. */
  file: string
  node: ChainNode
  local: boolean
  seconds: string
  funded: boolean
  restart: string
}): void {
  const { currency } = node.chain
  const callers = `${demoCallers[0]} to ${demoCallers.at(-1)}`
  const amount = formatEther(demoDepositWei)
  const dial = `curl -s ${stack.relayUrl}/ussd -d phoneNumber=%2B${demoCallers[0]?.slice(1)}`
  const example = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
  say(`
Ready after ${seconds} s: ${stack.relayUrl}

  chain      ${node.chain.id} at ${withoutKey(node.url)}${local ? ' (local, kept for the next start)' : ''}
  loan       ${stack.contracts.loan}
  forwarder  ${stack.contracts.forwarder}
  relayers   ${stack.relayers.join(', ')}
${funded ? `  callers    ${callers} were given ${amount} ${currency} each, once; \`npm run fund\` gives to others\n` : ''}
Try next, in another terminal:

  npm run dial                              a phone in the terminal
  npm run fund -- +254700000009 0.5         money for any number

  ${dial} -d sessionId=$(date +%s) -d 'text='
  ${dial} -d sessionId=$(date +%s) -d 'text=1'
  ${dial} -d sessionId=$(date +%s) -d 'text=2*%2B${demoCallers[1]?.slice(1)}*0.1'
  ${dial} -d sessionId=$(date +%s) -d 'text=3'

  curl -s "$(node -p "require('${file}').rpcUrl")" -H 'content-type: application/json' -d '${example}'

Ctrl-C ends everything; the next start goes on from here, \`${restart}\` starts over.
`)
}
