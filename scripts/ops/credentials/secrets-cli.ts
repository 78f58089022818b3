import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { type Chain, chains, poolRules } from '../../../src/chain/chains.ts'
import { computeReserveCost } from '../../../src/operator/health.ts'
import { deriveRelayerAccount } from '../../../src/relay/signer.ts'
import { maxGasPrice, openNode, readMaxGasPrice } from '../../stack/chain/node.ts'
import { createCommand, flag, text } from '../../stack/command.ts'
import { environments, readEnvironment, readNodeUrls } from '../../stack/options.ts'
import { Misused, money, StackError } from '../../stack/report.ts'
import { makeSecrets } from '../../stack/secrets.ts'

const usage = `Usage: npm run -s ops -- secrets new --network testnet|mainnet [--out FILE] [--json]

Makes the secrets of a deployment and prints them as JSON, for
  npm run -s ops -- secrets new --network testnet | npx wrangler secret bulk --env testnet
Nothing is stored; with --out they are written to a new file that only you can read, and not printed.
NODE_URL of the environment goes along: it may end in a key of yours. That node is asked for today's price of gas, of
which follows what the relayer needs (at the price MAX_GAS_PRICE_WEI where none is named).`

export const secrets = createCommand({
  usage,
  options: { network: text, out: text, json: flag },
  async run({ network, out, json }, given, { env, complain }) {
    if (given.join(' ') !== 'new') throw new Misused()
    const { id, name, currency } = chains[environments[readEnvironment(network, '--network')]]
    const { NODE_URL = '' } = env
    const { price, atCurrentPriceWei, atHighestPriceWei } = await askFunds(env, id)
    const { RPC_KEY: _, ...made } = makeSecrets()
    const secrets = {
      ...made,
      CALLBACK_SECRET: randomBytes(32).toString('base64url'),
      ...(NODE_URL === '' ? {} : { NODE_URL }),
    }
    const { address: relayer } = deriveRelayerAccount(secrets.RELAYER_MNEMONIC, id, 0)
    if (out !== undefined && existsSync(out)) {
      // They may be in use.
      throw new StackError(`${out} is there already. Nothing was made.`)
    }
    const text = JSON.stringify(secrets, null, 2)
    if (out !== undefined) writeFileSync(out, `${text}\n`, { flag: 'wx', mode: 0o600 })
    if (!json) {
      // Beside what is piped on.
      complain(
        `Relayer ${relayer}: send it ${money(atCurrentPriceWei, currency)} on ${name}, gas for 50 payments at ${price}, one after another; ${money(atHighestPriceWei, currency)} lets 50 be open at a time, whatever becomes of the price.\nKeep a copy of these secrets offline: losing ACCOUNT_KEY_SECRET loses every account forever.`,
      )
    }
    const funds = { fundWei: `${atCurrentPriceWei}`, fundAtWorstWei: `${atHighestPriceWei}` }
    const shown = out === undefined ? { secrets } : { file: out }
    const lines = out === undefined ? [text] : []
    return { json: { relayer, ...funds, currency, ...shown }, lines }
  },
})

/** Says what 50 payments cost, at which price. @throws {StackError} the named node is silent */
async function askFunds(env: NodeJS.ProcessEnv, id: Chain['id']) {
  const urls = readNodeUrls(env.NODE_URL, 'NODE_URL')
  const node = urls.length === 0 ? undefined : await openNode(urls, id)
  const maxWei = maxGasPrice(readMaxGasPrice(env), { isAnvil: false })
  const gasPriceWei = node === undefined ? maxWei : await node.client.getGasPrice()
  const price =
    node === undefined ? "the highest price (NODE_URL would tell today's)" : "today's price"
  const terms = { rules: poolRules.rootstock, fees: { maxWei } }
  return { price, ...computeReserveCost(terms, gasPriceWei) }
}
