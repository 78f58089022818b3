import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { chains } from '../../src/chain/chains.ts'
import { relayerAccount } from '../../src/relay/keys.ts'
import { createCommand } from '../stack/command.ts'
import { onPublicChain } from '../stack/deployment.ts'
import { environments, readEnvironment } from '../stack/options.ts'
import { Misused, money, StackError } from '../stack/report.ts'
import { makeSecrets } from '../stack/secrets.ts'

const usage = `Usage: npm run -s secrets -- new --network testnet|mainnet [--out FILE] [--json]

Makes the secrets of a deployment and prints them as JSON, for
  npm run -s secrets -- new --network testnet | npx wrangler secret bulk --env testnet
Nothing is stored; with --out they are written to a new file that only you can read, and not printed.
NODE_URL of the environment goes along: it may end in a key of yours.`

createCommand(import.meta, {
  usage,
  options: { network: undefined, out: undefined, json: false },
  async run({ network, out, json }, given, { env: { NODE_URL }, complain }) {
    if (given.join(' ') !== 'new') throw new Misused()
    const { id, name, currency } = chains[environments[readEnvironment(network, '--network')]]
    const { RPC_KEY: _, ...made } = makeSecrets()
    const secrets = {
      ...made,
      CALLBACK_SECRET: randomBytes(32).toString('base64url'),
      ...(NODE_URL ? { NODE_URL } : {}),
    }
    const { address: relayer } = relayerAccount(secrets.RELAYER_MNEMONIC, id, 0)
    const fundWei = onPublicChain.relayer
    if (out !== undefined && existsSync(out)) {
      // They may be in use.
      throw new StackError(`${out} is there already. Nothing was made.`)
    }
    const text = JSON.stringify(secrets, null, 2)
    if (out !== undefined) writeFileSync(out, `${text}\n`, { flag: 'wx', mode: 0o600 })
    if (!json) {
      // Beside what is piped on.
      complain(
        `Relayer ${relayer}: send it ${money(fundWei, currency)} for gas on ${name}.\nKeep a copy of these secrets offline: losing ACCOUNT_KEY_SECRET loses every account for good.`,
      )
    }
    const shown = out === undefined ? { secrets } : { file: out }
    return {
      json: { relayer, fundWei: `${fundWei}`, currency, ...shown },
      lines: out === undefined ? [text] : [],
    }
  },
})
