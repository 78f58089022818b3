import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { numberToHex, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { deployCommand as deployContracts } from '../../../scripts/contracts/deploy-cli.ts'
import { buildContracts } from '../../../scripts/contracts/forge.ts'
import { type Anvil, startAnvil } from '../../../scripts/dev/anvil.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { startWorkerd } from '../../../scripts/dev/workerd.ts'
import { secrets as secretsCommand } from '../../../scripts/ops/credentials/secrets-cli.ts'
import { addressIn, beginLedger, deploy } from '../../../scripts/ops/deploy-cli.ts'
import { doctor } from '../../../scripts/ops/doctor.ts'
import { environments } from '../../../scripts/stack/options.ts'
import {
  buildWorker,
  quietTools,
  servedWorker,
} from '../../../scripts/stack/served/worker-build.ts'
import { type Ended, runHere, startProcess } from '../../support/processes.ts'
import { isFull } from '../../support/sample.ts'
import { copyRepository, linkPackages } from './clone.ts'
import { longWalkMs } from './stack-process.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const guide = readFileSync(join(root, 'docs/deploying-to-cloudflare.md'), 'utf8')
const commands = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
)

let folder: string
let anvil: Anvil
let served: Awaited<ReturnType<typeof serve>> | undefined

beforeAll(async () => {
  // To compile the contracts for the clone alone takes longer than all that is asked of it.
  await buildContracts()
  folder = mkdtempSync(join(tmpdir(), 'cloudflare guide-'))
  // A price that Rootstock's usual limit allows.
  anvil = await startAnvil({ args: ['--block-base-fee-per-gas', '0'] })
})

afterAll(async () => {
  await served?.stop()
  await anvil.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Opens a fresh clone and a shell in it: no package is there, and Node is the machine's. */
function openClone() {
  const at = (name: string) => join(folder, name)
  const [clone, bin, packages] = [at('clone of mine'), at('bin'), at('packages')] as const
  copyRepository(clone)
  linkPackages(packages)
  mkdirSync(bin)
  const others = `${process.env.PATH}`.split(delimiter).filter((path) => !/node_modules/.test(path))
  // A full run installs the packages; else they are those of this repository, and npm does the
  // rest.
  const install = `[ "$1" != install ] || exec mv '${packages}' node_modules`
  const npm = others.map((path) => join(path, 'npm')).find((path) => existsSync(path))
  const lines = ['#!/bin/sh', ...(isFull ? [] : [install]), `exec '${npm}' "$@"`]
  writeFileSync(join(bin, 'npm'), lines.join('\n'), { mode: 0o755 })
  const PATH = [bin, ...others].join(delimiter)
  const shell = (command: string, given: Record<string, string> = {}, input = '') => {
    const env = { ...quietTools, NO_COLOR: '1', PATH, ...given }
    return startProcess('sh', ['-c', command], { cwd: clone, env, input }).ended
  }
  return [clone, shell] as const
}

async function give(account: string, amount: string): Promise<void> {
  await anvil.ask('anvil_setBalance', [account, numberToHex(parseEther(amount))])
}

/** The Worker as the guide deploys it, on this machine. */
async function serve(variables: Record<string, string>) {
  const build = await buildWorker()
  const { url, getWorker, stop } = await startWorkerd({ workers: [servedWorker(build, variables)] })
  const fetcher = await getWorker()
  return { url, wake: () => fetcher.scheduled({ cron: build.cron }), stop }
}

const examine = (url: string, env: Record<string, string> = {}) =>
  runHere(doctor, ['--url', url], { env })

describe('the guide for Cloudflare', () => {
  test('is eight commands', () => {
    expect(commands).toEqual([
      'git clone <address of this repository> .',
      'NODE_URL=https://public-node.testnet.rsk.co npm run -s ops -- secrets new --network testnet --out secrets.json',
      'npx cast wallet new . deployer.json',
      'POOL=0.1 npm run deploy:contracts -- --network testnet --secrets secrets.json --keystore deployer.json',
      'npx wrangler login',
      'npm run deploy -- --env testnet --secrets secrets.json',
      'npm run ops -- doctor --url https://ussd-relay-testnet.<account>.workers.dev --secrets secrets.json',
      'npm run dial -- --url https://ussd-relay-testnet.<account>.workers.dev --secrets secrets.json',
    ])
  })

  test("stands in the README, and in Deno's guide with its first four commands and the last two", () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`\n${commands.join('\n')}\n`)
    const deno = readFileSync(join(root, 'docs/deploying-to-deno.md'), 'utf8')
    for (const command of commands.slice(0, 4)) expect(deno).toContain(`\n${command}\n`)
    for (const command of commands.slice(-2)) {
      const [before, after] = command.split(/https:\S+/)
      expect(deno).toMatch(new RegExp(`${before}https:\\S+${after}\n`))
    }
  })

  test('leads from a clone without packages to a loan, and prints no secret', {
    timeout: longWalkMs,
  }, async () => {
    const [, make = '', wallet = '', contracts = '', , upload = '', look = '', dial = ''] = commands
    const [clone, shell] = openClone()
    const on = (command: string) => command.replace(/https:\/\/public-\S+/, anvil.url)
    const made = await shell(on(make))
    expect(made.output).toMatch(/^Installing the packages of package-lock\.json/)
    expect(made.code, made.output).toBe(0)
    const secretsFile = join(clone, 'secrets.json')
    expect(statSync(secretsFile).mode & 0o777).toBe(0o600)
    const secrets = JSON.parse(readFileSync(secretsFile, 'utf8')) as Record<string, string>
    const asked =
      /^Relayer (0x\w{40}): send it (\S+) tRBTC on .+ one after another; (\S+) tRBTC lets 50 be open/m
    const [, relayer = '', fund = '', worst] = asked.exec(made.output) ?? []
    expect(worst).toBe('0.01335')
    const twice = ['new', '--network', 'testnet', '--out', secretsFile]
    const again = await runHere(secretsCommand, twice, { env: { NODE_URL: anvil.url } })
    const kept = `${secretsFile} is there already. Nothing was made.\n`
    expect(again).toEqual({ code: 1, output: kept })

    const password = { CAST_PASSWORD: 'a password', KEYSTORE_PASSWORD: 'a password' }
    const { output: created } = await shell(wallet, password)
    const [, deployer = ''] = /^Address: +(0x\w{40})$/m.exec(created) ?? []
    const staging = 'npm run -s deploy -- --env staging --dry-run'
    appendFileSync(join(clone, 'wrangler.toml'), '\n[env.staging.vars]\nCHAIN_ID = "30"\n')
    expect((await shell(staging)).output).toContain(
      'npm run deploy:contracts -- --network mainnet --record deployments/staging.json\n',
    )
    // A chain of one's own has a record of its own.
    const record = "--record 'record of mine.json'"
    const network = ['--network', 'testnet', '--record', join(clone, 'record of mine.json')]
    const keys = ['--secrets', secretsFile, '--keystore', join(clone, 'deployer.json')]
    const paying = { ...password, POOL: '0.1' }
    const unpaid = await runHere(deployContracts, [...network, ...keys], { env: paying })
    const poorly =
      /^Insufficient funds: 0x\w{40} has 0 tRBTC, .+ Send it (\S+) tRBTC\. Nothing was sent\.$/m
    const [, lacks = ''] = poorly.exec(unpaid.output) ?? []
    expect(unpaid.output).toContain(deployer)
    await give(deployer, lacks)
    const deployed = await shell(`${contracts} ${record}`, password)
    expect(deployed.code, deployed.output).toBe(0)

    const dry = await shell(`${upload} --dry-run ${record}`)
    expect(dry.code, dry.output).toBe(0)
    const bound = ['LEDGER', 'KEYS', 'FEED', 'ACCOUNTS', 'LOAN_ADDRESS', 'FORWARDER_ADDRESS']
    for (const name of bound) expect(dry.output).toContain(`env.${name} (`)
    const pair = /MicroLoan (0x[0-9a-f]{40}), RelayForwarder (0x[0-9a-f]{40})$/m
    const [, LOAN_ADDRESS = '', FORWARDER_ADDRESS = ''] = pair.exec(dry.output) ?? []
    const written = JSON.parse(readFileSync(join(clone, 'record of mine.json'), 'utf8'))
    expect(written).toMatchObject({ loan: LOAN_ADDRESS, forwarder: FORWARDER_ADDRESS })

    const variables = { ...secrets, LOAN_ADDRESS, FORWARDER_ADDRESS }
    served = await serve(variables)
    const { url, wake } = served
    // As the deployment does: the ledger is there before a cron.
    expect(await beginLedger(url, 10_000)).toBe(true)
    const at = (command: string) => command.replace(/https:\S+/, url)
    const told = async (words: RegExp) => {
      let found: Ended = { code: null, output: '' }
      const late = () => new Error(found.output)
      const isSo = async () => {
        await wake()
        // A phone that dials too often would be asked to wait.
        found = await examine(url, { OPERATOR_TOKEN: secrets.OPERATOR_TOKEN ?? '' })
        return words.test(found.output)
      }
      await until(isSo, { everyMs: 200, withinMs: 60_000, late })
      return found
    }
    const poor = await told(/^BAD {2}relayer_funds +/m)
    expect(poor.output).toContain(
      `Top up to ${fund} tRBTC for 50 payments (0.01335 tRBTC at worst)`,
    )
    await give(relayer, fund)
    const rich = await told(/^ok {3}relayer_funds +/m)
    expect(rich.output).toContain("enough for 50 payments at today's price")
    const well = await shell(at(look))
    expect(well.code, well.output).toBe(0)
    expect(well.output).toMatch(/^ok {3}dial +A balance is shown\.$/m)
    expect(well.output).toMatch(/^ok {3}callback +Closed to all who do not have its secret\.$/m)
    const loan = await shell(`${at(dial)} --text 3`, {}, '+254700000001')
    expect(loan.output).toMatch(/END Loan Requested\nTx: 0x\w{10}\.\.\.\n/)

    const said = [made, again, deployed, dry, well, loan].map(({ output }) => output).join('\n')
    const { NODE_URL: _, ...own } = secrets
    expect(Object.values(own).filter((secret) => said.includes(secret))).toEqual([])
  })
})

test('a deployment is refused where its environment or its contracts are not known', async () => {
  const on = (env: string) => runHere(deploy, ['--env', env, '--dry-run'], {})
  const unknown = '--env has to be one of wrangler.toml: testnet, mainnet.\n'
  expect(await on('staging')).toEqual({ code: 1, output: unknown })
  const missing = '31.json has no contracts. Deploy them first: npm run deploy:contracts'
  expect(await on('testnet')).toEqual({ code: 1, output: expect.stringContaining(missing) })
})

test('the doctor names each fault with its remedy', async () => {
  const url = served?.url ?? ''
  const other = await examine(url, { CALLBACK_SECRET: 'not-it', OPERATOR_TOKEN: 'not-it' })
  expect(other.code).toBe(1)
  expect(other.output).toMatch(/^BAD {2}dial +The deployment has another CALLBACK_SECRET/m)
  expect(other.output).toMatch(/^BAD {2}operator +The deployment knows no such OPERATOR_TOKEN/m)

  const bare = await serve({ NODE_URL: anvil.url })
  const missing = await examine(bare.url)
  expect(await beginLedger(bare.url, 10)).toBe(false)
  await bare.stop()
  expect(missing.output).toMatch(
    /^BAD {2}configuration {3}RELAYER_MNEMONIC is missing. Set it: npx wrangler secret put RELAYER_MNEMONIC/m,
  )
  expect(missing.code).toBe(1)
  const gone = await examine(bare.url)
  expect(gone.output).toMatch(/^BAD {2}answers +Nothing answers: is this the address/m)
})

test("a deployment's address is the one that wrangler records, its own domain first", () => {
  const session = '{"type":"wrangler-session","version":1}\n'
  const written = (...targets: string[]) =>
    `${session}${JSON.stringify({ type: 'deploy', version: 1, targets })}\n`
  const usual = 'https://ussd-relay-testnet.someone.workers.dev'
  const cron = 'schedule: * * * * *'
  expect(addressIn(written(usual, cron))).toBe(usual)
  const own = 'relay.example.com (custom domain)'
  expect(addressIn(written(usual, own, cron))).toBe('https://relay.example.com')
  expect(addressIn(written('example.com/ussd/* (zone name: example.com)', cron))).toBeUndefined()
})

test('each environment has the bindings of the local one, and a name and a chain of its own', () => {
  const config = join(root, 'wrangler.toml')
  const { vars, durable_objects: objects } = unstable_readConfig({ config })
  for (const [env, chainId] of Object.entries(environments)) {
    const own = unstable_readConfig({ config, env })
    expect(own.durable_objects).toEqual(objects)
    expect(own.vars).toEqual({ ...vars, CHAIN_ID: `${chainId}` })
    expect(own.name).toBe(`ussd-relay-${env}`)
    expect(own.triggers.crons).toEqual(['* * * * *'])
    expect(own.observability?.logs?.invocation_logs).toBe(false)
  }
})
