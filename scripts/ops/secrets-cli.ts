import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { formatEther } from 'viem'
import { chains } from '../../src/chain/chains.ts'
import { onPublicChain } from '../stack/deployment.ts'
import { relayerAddresses } from '../stack/money/relayers.ts'
import { command, StackError, say } from '../stack/report.ts'
import { makeSecrets } from '../stack/secrets.ts'
import { readCommandLine } from './command-line.ts'
import { environments, readEnvironment } from './environment.ts'

const usage = `Usage: npm run -s secrets -- new --network testnet|mainnet [--out FILE] [--json]

Makes the secrets of a deployment and prints them as JSON, for
  npm run -s secrets -- new --network testnet | npx wrangler secret bulk --env testnet
Nothing is stored; with --out they are written to a new file that only you can read, and not printed.
NODE_URL of the environment goes along: it may end in a key of yours.`

await command(async () => {
  const asked = readCommandLine(usage, {
    network: { type: 'string' },
    out: { type: 'string' },
    json: { type: 'boolean' },
  })
  if (asked === undefined) return
  const { values, positionals } = asked
  if (positionals.join(' ') !== 'new') throw new StackError(usage)
  const chain = chains[environments[readEnvironment(values.network, '--network')]]
  const { RPC_KEY: _, ...made } = makeSecrets()
  const secrets = {
    ...made,
    CALLBACK_SECRET: randomBytes(32).toString('base64url'),
    ...(process.env.NODE_URL ? { NODE_URL: process.env.NODE_URL } : {}),
  }
  const [relayer] = relayerAddresses(secrets.RELAYER_MNEMONIC, chain.id)
  const gas = { fundWei: `${onPublicChain.relayer}`, currency: chain.currency }
  if (values.out !== undefined) write(values.out, secrets)
  if (values.json) {
    const shown = values.out === undefined ? { secrets } : { file: values.out }
    return say(JSON.stringify({ relayer, ...gas, ...shown }))
  }
  if (values.out === undefined) say(JSON.stringify(secrets, null, 2))
  // Beside what is piped on.
  process.stderr.write(
    `Relayer ${relayer}: send it ${formatEther(onPublicChain.relayer)} ${chain.currency} for gas on ${chain.name}.\n` +
      'Keep a copy of these secrets offline: losing ACCOUNT_KEY_SECRET loses every account for good.\n',
  )
})

/** @throws {StackError} there is such a file already: its secrets may be in use */
function write(file: string, secrets: object): void {
  try {
    writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const reason =
      error.code === 'EEXIST' ? 'is there already' : `cannot be written (${error.code})`
    throw new StackError(`${file} ${reason}. Nothing was made.`)
  }
}
