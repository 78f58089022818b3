import { rmSync } from 'node:fs'
import { relative } from 'node:path'
import { isHash } from 'viem'
import { chains } from '../../src/chain/chains.ts'
import { type Config, parseConfig } from '../../src/compose/config.ts'
import type { Unit } from '../../src/loan/amounts.ts'
import { isFree } from '../dev/ports.ts'
import { endLeftChain, type LocalChain, startChain } from './chain/anvil.ts'
import { readSavedHead } from './chain/chain-state.ts'
import { type ChainNode, openNode, withoutKey } from './chain/node.ts'
import { createCommand, runAsProgram } from './command.ts'
import { prepareStack } from './deployment.ts'
import { readJson, writeJson } from './files.ts'
import { listFirstDials, writeFirstDials } from './first-dials.ts'
import { type Folder, openFolder, root } from './folder.ts'
import { addDemoAgents, demoCallers, getDemoDeposit } from './money/callers.ts'
import { writeUnit } from './money/dollar.ts'
import { type Options, readOptions, startFlags } from './options.ts'
import { listPhoneVariables } from './phone/page/handset.ts'
import { type Child, claim, end, type Processes, watchStarter } from './processes.ts'
import { describe, Misused, StackError, say, writeAmount } from './report.ts'
import { describeStack, type RunningStack } from './running-stack.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import {
  type RunningWorker,
  runWorker,
  waitUntilHealthy,
  workerVariables,
} from './served/worker.ts'
import { buildWorker } from './served/worker-build.ts'
import { createWorkerLog } from './served/worker-log.ts'

/** Shortens blocks, because 25 seconds are long at a terminal. The relay's times follow. */
const blockSeconds = 3

/** Names what a killed start may leave running: first who sends, then the chain. */
const leftOver: Readonly<Record<Child['name'], string>> = {
  workerd: 'the Worker',
  deno: 'the Worker',
  redis: 'the Redis',
  anvil: 'the local chain',
}

const usage = `Usage: npm start [-- [--reset] [--rootstock] [--deno]]

Starts a chain of its own, or uses the node that NODE_URL names, deploys what is not there yet, and serves the relay.

--reset      starts over: the local chain and what was kept with it are gone
--rootstock  has Rootstock's pool and its rules before the local chain
--deno       serves by Deno with Redis, in the place of workerd`

export const startCommand = createCommand({
  usage,
  options: startFlags,
  async run(flags, given, { env }) {
    if (given.length > 0) throw new Misused()
    const options = readOptions(flags, env)
    const lifetime = openLifetime()
    await start(options, lifetime).catch(lifetime.fail)
    return undefined
  },
})
runAsProgram(import.meta, startCommand)

type Lifetime = ReturnType<typeof openLifetime>

/** Keeps what has to be ended, newest first, however this process ends. */
function openLifetime() {
  const steps: (() => unknown)[] = []
  let isEnding = false

  const complain = (error: unknown) => void process.stderr.write(`${describe(error)}\n`)
  /** Ends everything and never resolves; faults during the end are ignored. */
  const end = async (code: number, tell: () => void): Promise<never> => {
    if (isEnding) return new Promise(() => {})
    isEnding = true
    tell()
    for (const step of steps.reverse()) await Promise.resolve().then(step).catch(complain)
    process.exit(code)
  }
  const fail = (error: unknown) => end(1, () => complain(error))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void end(0, () => say('\nStopping')))
  }
  for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(fault, (error: unknown) => void fail(error))
  }
  watchStarter(() => void end(1, () => say('npm start was killed: stopping')))
  return {
    /** Adds a step; it never resolves once the end has begun, so that nothing new starts. */
    add: (step: () => unknown) => {
      steps.push(step)
      return isEnding ? new Promise<void>(() => {}) : Promise.resolve()
    },
    fail,
  }
}

async function start(options: Options, lifetime: Lifetime): Promise<void> {
  const began = performance.now()
  const folder = openFolder()
  const { killed, processes } = await claimFolder(folder, options, lifetime)
  const secrets = openSecrets(folder.secrets)
  const rules = options.rootstock && { POOL_RULES: 'rootstock', BLOCK_SECONDS: `${blockSeconds}` }
  const { UNIT: unit, LOCAL_CURRENCY: localCurrency } = options.variables
  const own = listPhoneVariables(`http://127.0.0.1:${options.port}`, localCurrency)
  const overrides = { ...own, ...rules, ...options.variables, ...writeUnit(unit) }
  await checkVariables(options, secrets, overrides)
  for (const line of options.unusedLines) say(line)
  // A node of another operator may be away: it is asked before anything is begun.
  const given = isLocal(options) ? undefined : await openNode(options.nodeUrls, options.chainId)
  const building = options.deno ? undefined : startBuild(lifetime)
  const chain = given ? undefined : await openChain(folder, options, processes, lifetime)
  const node = given ?? (await openNode([chain?.url ?? ''], options.chainId))
  if (chain !== undefined) {
    writeJson(folder.chainGenesisHash, node.genesis)
    reportChain(folder, chain, killed)
  } else {
    if (options.reset) rmSync(folder.ofChain(node.genesis), { recursive: true, force: true })
    say(`Using the node at ${withoutKey(node.url)} (chain ${node.chain.id})`)
  }
  say('Compiling the contracts and looking for them on the chain')
  const { deployerKey } = options
  const wanted = { secrets, deployerKey, unit, restart: restartOf(options) }
  const deployment = await prepareStack(folder, node, wanted)
  Object.assign(overrides, writeUnit(unit, deployment.token))
  // Before the first payment, so that a ledger never knows of contracts that its chain forgets.
  await chain?.save()
  const pool = chain && options.rootstock ? await startRootstock(chain, lifetime) : undefined
  const served = pool === undefined ? node : { ...node, url: pool.url }
  const nodeUrls = chain === undefined ? options.nodeUrls : [served.url]

  say(options.deno ? 'Starting Deno' : 'Starting the Worker')
  const build = await building
  const running = {
    port: options.port,
    variables: await workerVariables({ secrets, node, deployment, nodeUrls, overrides }),
    processes,
    onLine: createWorkerLog(folder.log('relay'), say),
  }
  const worker =
    build === undefined
      ? // The usual start needs nothing of Redis.
        await (await import('./served/deno.ts')).runDeno(running, folder.redis(node.genesis))
      : await runWorker(running, { build, objects: folder.objects(node.genesis) })
  await lifetime.add(worker.stop)
  await waitUntilHealthy(worker)
  wakeRegularly(worker, lifetime)

  const chainId = node.chain.id
  const place = { relayUrl: worker.url, nodeUrl: served.url, chainId, contracts: deployment }
  const stack = describeStack(place, secrets)
  writeJson(folder.stack, stack)
  const tookSeconds = ((performance.now() - began) / 1000).toFixed(1)
  say(`\nReady after ${tookSeconds} s. Open ${worker.url}/phone: a phone that dials it.\n`)
  const { menu, unit: counted } = parseConfig(running.variables)
  const agents =
    menu.agents && node.isAnvil ? await addDemoAgents(worker.url, secrets.OPERATOR_TOKEN) : []
  sayReady(stack, served, folder.stack, { ...options, menu, agents, counted })
}

/** Refuses a bad variable before anything begins, as if contracts existed. @throws {StackError} */
async function checkVariables(options: Options, secrets: Secrets, overrides: Options['variables']) {
  const node = { chain: chains[options.chainId], isAnvil: isLocal(options) }
  const nodeUrls = isLocal(options) ? ['http://127.0.0.1:8545'] : options.nodeUrls
  const deployment = { loan: `0x${'1'.repeat(40)}`, forwarder: `0x${'2'.repeat(40)}` } as const
  await workerVariables({ secrets, node, nodeUrls, deployment, overrides })
}

const isLocal = ({ nodeUrls }: Options): boolean => nodeUrls.length === 0

/** Makes the folder this start's own. @throws {StackError} a stack runs, or the port is taken */
async function claimFolder(folder: Folder, options: Options, lifetime: Lifetime) {
  const { port } = options
  const claimed = await claim(folder, `http://127.0.0.1:${port}`)
  if (claimed.kind === 'running') {
    const { pid } = claimed.main
    throw new StackError(
      `The stack already runs at ${claimed.relayUrl} (process ${pid}). End that one first, with Ctrl-C or: kill ${pid}`,
    )
  }
  await lifetime.add(claimed.processes.close)
  // Tools that wait for this file wait for this start.
  rmSync(folder.stack, { force: true })
  await lifetime.add(() => rmSync(folder.stack, { force: true }))
  await endLeft(folder, claimed.left, { keep: !(options.reset && isLocal(options)) })
  if (await isFree(port)) return claimed
  throw new StackError(
    `Port ${port} is in use by another program. Choose one with: PORT=${port + 1} npm start`,
  )
}

function startBuild(lifetime: Lifetime) {
  const unneeded = new AbortController()
  const building = buildWorker({ entry: 'worker-development', signal: unneeded.signal })
  // Looked at when it is needed; until then a failure is not lost.
  const built = building.catch(() => {})
  void lifetime.add(() => {
    unneeded.abort()
    return built
  })
  return building
}

async function openChain(
  folder: Folder,
  { reset, chainId }: Options,
  processes: Processes,
  lifetime: Lifetime,
) {
  if (reset) forgetLocalChain(folder)
  const chain = await startChain(folder, { chainId, processes })
  chain.lost.catch(lifetime.fail)
  await lifetime.add(chain.stop)
  return chain
}

/** Puts Rootstock's pool, with its rules and words, between the Worker and the local chain. */
async function startRootstock({ url: anvilUrl }: LocalChain, lifetime: Lifetime) {
  // The usual start does without it.
  const { startRootstockPool } = await import('../dev/rootstock-pool/start.ts')
  const blockMs = blockSeconds * 1_000
  // `npm run ops -- fund` finds the chain's own money by anvil's methods.
  const pool = await startRootstockPool({ anvilUrl, blockMs, devMethods: 'passed' })
  await lifetime.add(pool.stop)
  say(`Started a Rootstock pool at ${pool.url}: a block every ${blockSeconds} s`)
  return pool
}

/** Ends what a killed start could not: first who sends, then the chain with all it has. */
async function endLeft(folder: Folder, left: Child[], { keep }: { keep: boolean }): Promise<void> {
  for (const [name, words] of Object.entries(leftOver)) {
    for (const child of left.filter((each) => each.name === name)) {
      const saved = keep && name === 'anvil' ? ', after saving its blocks' : ''
      say(`Ending ${words} that a killed start left running (process ${child.pid})${saved}`)
      if (name === 'anvil') await endLeftChain(folder, child, { keep })
      else await end(child, { graceMs: name === 'redis' ? 5_000 : 0 })
    }
  }
}

/** Deletes the local chain; other chains' ledgers and the secrets stay. */
function forgetLocalChain(folder: Folder): void {
  const genesis = readJson(folder.chainGenesisHash)
  if (typeof genesis === 'string' && isHash(genesis))
    rmSync(folder.ofChain(genesis), { recursive: true, force: true })
  rmSync(folder.chain, { recursive: true, force: true })
  say('The local chain and what was kept with it are gone: starting over')
}

function reportChain(folder: Folder, chain: LocalChain, killed: boolean): void {
  const saved = readSavedHead(folder)
  if (!chain.loaded || saved === undefined) {
    say(`Started a new local chain at ${chain.url}`)
    return
  }
  const state = `local chain at ${chain.url} goes on from block ${saved.number}`
  const at = new Date(saved.savedAt).toTimeString().slice(0, 8)
  say(killed ? `The last start was killed. The ${state}, saved at ${at}` : `The ${state}`)
}

/** Wakes the ledgers now and every minute, and notices when workerd is gone. */
function wakeRegularly(worker: RunningWorker, lifetime: Lifetime): void {
  const wake = () => {
    worker.wake().catch((error) => {
      if (worker.isRunning()) say(`The Worker's scheduled run failed: ${describe(error)}`)
    })
  }
  wake()
  setInterval(wake, 60_000)
  const watching = setInterval(() => {
    if (worker.isRunning()) return
    clearInterval(watching)
    // Ctrl-C reaches workerd first: whether it was lost or ended with us shows a moment later.
    setTimeout(() => lifetime.fail(new StackError('The Worker ended. Start again.')), 300)
  }, 1_000)
}

const restartOf = ({ deno }: Options): string =>
  deno ? 'npm start -- --deno --reset' : 'npm start -- --reset'

function sayReady(
  stack: RunningStack,
  node: ChainNode,
  file: string,
  {
    menu,
    counted,
    agents,
    ...options
  }: Options & Pick<Config, 'menu'> & { counted: Unit; agents: string[] },
): void {
  const { contracts, relayers, relayUrl } = stack
  const kept = isLocal(options) ? ' (local, kept for the next start)' : ''
  const funded = `
  callers    ${demoCallers[0]} to ${demoCallers.at(-1)} were given ${writeAmount(getDemoDeposit(counted.token !== null), counted)} each, once; \`npm run ops -- fund\` gives to others`
  const [caller, friend] = demoCallers
  if (caller === undefined || friend === undefined) throw new Error('there are no demo callers')
  const dials = writeFirstDials(relayUrl, caller, listFirstDials(menu, friend))
  const example = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
  say(`  chain      ${node.chain.id} at ${withoutKey(node.url)}${kept}
  loan       ${contracts.loan}
  forwarder  ${contracts.forwarder}
  relayers   ${relayers.join(', ')}${node.isAnvil ? funded : ''}${agents.map((line) => `\n  agent      ${line}`).join('')}

The console is at ${relayUrl}/console; .dev/stack.json has the token to sign in with: operatorToken.

Try next, in another terminal:

  npm run dial                             a phone in the terminal
  npm run ops -- fund +254700000009 0.5    money for any number
  npm run ops -- doctor                    looks whether all is well

${dials.map((line) => `  ${line}`).join('\n')}

  curl -s "$(node -p "require('./${relative(root, file)}').rpcUrl")" -H 'content-type: application/json' -d '${example}'

Ctrl-C ends everything; the next start goes on from here, \`${restartOf(options)}\` starts over.
`)
}
