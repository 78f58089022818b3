import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { type Anvil, devKey, startAnvil } from '../../../scripts/dev/anvil.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { startWorkerd } from '../../../scripts/dev/workerd.ts'
import { addressIn, beginLedger } from '../../../scripts/ops/deploy-cli.ts'
import { doctor } from '../../../scripts/ops/doctor.ts'
import { environments } from '../../../scripts/stack/options.ts'
import {
  buildWorker,
  quietTools,
  servedWorker,
} from '../../../scripts/stack/served/worker-build.ts'
import { type Ended, runHere, startProcess } from '../../support/processes.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const guide = readFileSync(join(root, 'docs/deploying-to-cloudflare.md'), 'utf8')
const commands = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
)

let folder: string
let anvil: Anvil
let served: Awaited<ReturnType<typeof serve>> | undefined

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cloudflare guide-'))
  // A price that Rootstock's usual limit allows.
  anvil = await startAnvil({ args: ['--block-base-fee-per-gas', '0'] })
})

afterAll(async () => {
  await served?.stop()
  await anvil.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

function shell(command: string, environment: Record<string, string> = {}): Promise<Ended> {
  const PATH = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
  const env = { ...quietTools, NO_COLOR: '1', PATH, ...environment }
  return startProcess('sh', ['-c', command], { env }).ended
}

/** The Worker as the guide deploys it, on this machine. */
async function serve(variables: Record<string, string>) {
  const build = await buildWorker()
  const miniflare = startWorkerd({
    objects: mkdtempSync(join(folder, 'objects-')),
    workers: [servedWorker(build, variables)],
    onLine: () => {},
  })
  const { origin } = await miniflare.ready
  const fetcher = await miniflare.getWorker()
  const wake = () => fetcher.scheduled({ cron: build.cron })
  return { url: origin, wake, stop: () => miniflare.dispose() }
}

const examine = (url: string, env: Record<string, string> = {}) =>
  runHere(doctor, ['--url', url], { env })

describe('the guide for Cloudflare', () => {
  test('is four commands, of which one needs an account', () => {
    expect(commands.filter((line) => !line.startsWith('npx wrangler secret '))).toEqual([
      'npm run -s secrets -- new --network testnet --out secrets.json',
      'npm run deploy:contracts -- --network testnet',
      'npm run deploy -- --env testnet',
      'npm run doctor -- --url https://ussd-relay-testnet.<account>.workers.dev',
    ])
    expect(commands).toHaveLength(5)
  })

  test('leads from nothing to a Worker that shows a balance, and tells no secret on the way', async () => {
    const [make = '', , contracts = '', deploy = ''] = commands
    const [secretsFile, record] = [join(folder, 'secrets.json'), join(folder, '31.json')]
    const early = await shell(`${deploy} --dry-run --record '${record}'`)
    expect(early.code).toBe(1)
    expect(early.output).toContain(`has no contracts. Deploy them first: ${contracts}\n`)

    const made = await shell(make.replace('secrets.json', `'${secretsFile}'`), {
      NODE_URL: anvil.url,
    })
    expect(made.code, made.output).toBe(0)
    expect(statSync(secretsFile).mode & 0o777).toBe(0o600)
    const secrets = JSON.parse(readFileSync(secretsFile, 'utf8')) as Record<string, string>
    const [, relayer = ''] = /^Relayer (0x[0-9a-fA-F]{40}): send it /m.exec(made.output) ?? []
    const again = await shell(make.replace('secrets.json', `'${secretsFile}'`))
    expect(again).toEqual({
      code: 1,
      output: `${secretsFile} is there already. Nothing was made.\n`,
    })

    const paid = { NODE_URL: anvil.url, DEPLOYER_KEY: devKey, RELAYERS: relayer, POOL: '0.5' }
    const deployed = await shell(`${contracts} --record '${record}'`, paid)
    expect(deployed.code, deployed.output).toBe(0)
    const dry = await shell(`${deploy} --dry-run --record '${record}'`)
    expect(dry.code, dry.output).toBe(0)
    const bound = ['LEDGER', 'KEYS', 'FEED', 'ACCOUNTS', 'LOAN_ADDRESS', 'FORWARDER_ADDRESS']
    for (const name of bound) expect(dry.output).toContain(`env.${name} (`)
    const [, LOAN_ADDRESS = '', FORWARDER_ADDRESS = ''] =
      /MicroLoan (0x[0-9a-f]{40}), RelayForwarder (0x[0-9a-f]{40})$/m.exec(dry.output) ?? []
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({
      ...{ loan: LOAN_ADDRESS, forwarder: FORWARDER_ADDRESS },
    })

    const variables = { ...secrets, LOAN_ADDRESS, FORWARDER_ADDRESS }
    const { CALLBACK_SECRET = '', OPERATOR_TOKEN = '' } = secrets
    const unfunded = await serve(variables)
    // As the deployment does: the ledger is there before a cron.
    expect(await beginLedger(unfunded.url, 10_000)).toBe(true)
    let poor: Ended = { code: 0, output: 'No round has looked' }
    await until(async () => {
      await unfunded.wake()
      poor = await examine(unfunded.url, { CALLBACK_SECRET, OPERATOR_TOKEN })
      return !poor.output.includes('No round has looked')
    })
    await unfunded.stop()
    expect(poor.output).toMatch(/^BAD {2}relayer_funds +/m)
    expect(poor.output).toMatch(
      new RegExp(
        `Relayer ${relayer} has 0 tRBTC, enough for 0 payments; .+ Send 0\\.133 tRBTC there`,
      ),
    )
    expect(poor.code).toBe(1)
    await rpcTo(anvil.url)('anvil_setBalance', [relayer, `0x${(10n ** 18n).toString(16)}`])
    served = await serve(variables)
    await served.wake()
    const look = `npm run -s doctor -- --url ${served.url}`
    const well = await shell(look, { CALLBACK_SECRET, OPERATOR_TOKEN })
    expect(well.output).toMatch(/^ok {3}dial +A balance is shown\.$/m)
    expect(well.output).toMatch(/^ok {3}callback +Closed to all who do not have its secret\.$/m)
    expect(well.output).not.toContain('BAD')
    expect(well.code).toBe(0)
    const said = [made, again, deployed, dry, well].map(({ output }) => output).join('\n')
    const { NODE_URL: _, ...own } = secrets
    expect(Object.values(own).filter((secret) => said.includes(secret))).toEqual([])
  })
})

describe('the doctor', () => {
  test('names what is wrong, with what mends it', async () => {
    const url = served?.url ?? ''
    const other = await examine(url, { CALLBACK_SECRET: 'not-it', OPERATOR_TOKEN: 'not-it' })
    expect(other.code).toBe(1)
    expect(other.output).toMatch(/^BAD {2}dial +The deployment has another CALLBACK_SECRET/m)
    expect(other.output).toMatch(/^BAD {2}operator +The deployment has another OPERATOR_TOKEN/m)

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
})

test('the address of a deployment is the one that wrangler writes down, its own domain first', () => {
  const written = (...targets: string[]) =>
    [
      { type: 'wrangler-session', version: 1 },
      { type: 'deploy', version: 1, targets },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('')
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
