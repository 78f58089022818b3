import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { version } from '../../src/operator/version.ts'
import { readDeployed } from '../contracts/records.ts'
import { answers } from '../dev/program.ts'
import { until } from '../dev/wait.ts'
import { createCommand, flag, runAsProgram, text } from '../stack/command.ts'
import { root } from '../stack/folder.ts'
import { environments, readChainId } from '../stack/options.ts'
import { Misused, StackError } from '../stack/report.ts'
import { quietTools } from '../stack/served/worker-build.ts'
import { healthFindings } from './doctor.ts'
import { readVersion } from './version.ts'

const usage = `Usage: npm run deploy -- --env testnet|mainnet|<name> [--secrets FILE] [--record FILE] [--dry-run]

Deploys the Worker of that environment of wrangler.toml, with the secrets of a file that \`npm run ops -- secrets\` has
written, for the contracts that \`npm run deploy:contracts\` has recorded in deployments/<chain id>.json (of an
environment of another name in deployments/<name>.json), or in FILE. Then asks it for its health, which makes the
ledger's object where OBJECT_LOCATION says.
--dry-run builds it and uploads nothing.`

export const deploy = createCommand({
  usage,
  options: { env: text, record: text, secrets: text, 'dry-run': flag },
  async run({ env: environment, record, secrets, 'dry-run': isDry }, given, { say }) {
    if (given.length > 0 || environment === undefined) throw new Misused()
    const { chainId, network } = await readChain(environment)
    const usual = network === environment ? `${chainId}.json` : `${environment}.json`
    const file = record ?? join('deployments', usual)
    const path = resolve(root, file)
    if (!existsSync(path)) {
      const elsewhere = network === environment ? '' : ` --record ${file}`
      const first = `npm run deploy:contracts -- --network ${network}${elsewhere}`
      throw new StackError(`${file} has no contracts. Deploy them first: ${first}`)
    }
    const deployed = readDeployed(path)
    if (deployed.chainId !== chainId) {
      throw new StackError(`${file} is of another chain than ${environment}.`)
    }
    // Without a checksum, which is another one on each chain (EIP-1191).
    const [loan, forwarder] = [deployed.loan.toLowerCase(), deployed.forwarder.toLowerCase()]
    say(`Deploying for the contracts of ${file}: MicroLoan ${loan}, RelayForwarder ${forwarder}`)
    const address = wrangler([
      ...['deploy', '--env', environment, '--var', `LOAN_ADDRESS:${loan}`],
      ...['--var', `FORWARDER_ADDRESS:${forwarder}`, ...(isDry ? ['--dry-run'] : [])],
      ...(secrets === undefined ? [] : ['--secrets-file', resolve(root, secrets)]),
    ])
    if (isDry) return { lines: ['Nothing was uploaded.'] }
    const isThere = address !== undefined && (await beginLedger(address, 60_000))
    const fate = isThere
      ? "Deployed, and the ledger's object is there."
      : 'Deployed. It does not answer yet.'
    const next = `npm run ops -- doctor --url ${address ?? '<its address>'}`
    return { lines: [fate, `Look whether it can carry a payment: ${next}`] }
  },
})
runAsProgram(import.meta, deploy)

/** Finds the chain of an environment of wrangler.toml. @throws {StackError} there is none */
async function readChain(environment: string) {
  // Large, and --help needs none of it.
  const { unstable_readConfig } = await import('wrangler')
  const config = join(root, 'wrangler.toml')
  const { definedEnvironments = [] } = unstable_readConfig({ config })
  if (!definedEnvironments.includes(environment)) {
    throw new StackError(`--env has to be one of wrangler.toml: ${definedEnvironments.join(', ')}.`)
  }
  const { vars } = unstable_readConfig({ config, env: environment })
  const chainId = readChainId(`${vars.CHAIN_ID ?? ''}`)
  return { chainId, network: chainId === environments.mainnet ? 'mainnet' : 'testnet' }
}

/** Runs wrangler; returns the Worker's address if it names one. @throws {StackError} it failed */
function wrangler(args: string[]): string | undefined {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'ussd-relay-deployed-'))
  const written = join(folder.path, 'deployed.jsonl')
  const own = { ...quietTools, WRANGLER_LOG: 'log', WRANGLER_OUTPUT_FILE_PATH: written }
  const program = join(root, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, ...own } } as const
  const { status } = spawnSync(process.execPath, [program, ...args], options)
  if (status !== 0) throw new StackError('wrangler did not deploy: its words are above.')
  return existsSync(written) ? addressIn(readFileSync(written, 'utf8')) : undefined
}

/** Parses wrangler's WRANGLER_OUTPUT_FILE_PATH: a JSON line for each thing it deployed. */
const deployLine = z.object({ type: z.literal('deploy'), targets: z.array(z.string()) })

/** Returns a Worker's https address from wrangler's output; undefined if it names none. */
export function addressIn(written: string): string | undefined {
  const targets = written
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => deployLine.safeParse(JSON.parse(line)).data?.targets ?? [])
  const [, own] = /^(\S+) \(custom domain\b/m.exec(targets.join('\n')) ?? []
  return own ? `https://${own}` : targets.find((one) => /^https:\/\/[^/*]+$/.test(one))
}

/** Asks until this version tells of the ledger, whose object is made by that; false: too late. */
export async function beginLedger(address: string, withinMs: number): Promise<boolean> {
  const hasLedger = async () => {
    if ((await readVersion(address)) !== version) return false
    const findings = await healthFindings(address)
    return findings.some(({ name, state }) => name === 'ledger' && state === 'ok')
  }
  return answers(until(hasLedger, { everyMs: 1_000, withinMs }))
}
