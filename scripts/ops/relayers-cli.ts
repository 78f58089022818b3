import type { Address, Hash } from 'viem'
import type { Found, Values } from '../stack/command.ts'
import { keyOptions, keyUsage } from '../stack/money/key-source.ts'
import { money } from '../stack/report.ts'
import { type Operated, operatorCommand } from './command-line.ts'
import type { OperatorClient } from './operator-client.ts'
import { openPayer, readWei } from './payer.ts'
import { rotate, rotateOptions } from './rotate.ts'
import { describeRelayer } from './show.ts'

const usage = `Usage: npm run ops -- relayers [<what>] [--url https://<host>] [--json]

status            what each relayer has for gas, for how many payments that is enough, and what waits
top-up <amount>   gives each relayer what it lacks to have so much: asked again, it gives nothing
rotate --to FILE [--fund AMOUNT]
                  gives the relay another key. FILE, which only you can read, gets the next key first. Then the
                  forwarder allows it (the key that pays is the forwarder's owner), it gets AMOUNT for gas (usually
                  what the former key has) and sends a first transaction, and payments are drained. Then you set
                  RELAYER_MNEMONIC and run the same command again: payments are taken again, and the former key is
                  removed once its last transaction is 50 blocks deep. Interrupted anywhere, it goes on from there

Asks the local stack, or the deployment at --url with OPERATOR_TOKEN in the environment.
${keyUsage}
On an anvil its own account pays. NODE_URL is a node.`

type Paying = Values<typeof keyOptions>

export const relayers = operatorCommand({
  usage,
  options: { ...keyOptions, ...rotateOptions },
  usual: 'status',
  actions: {
    status: showStatus,
    'top-up': { takes: [1], run: give },
    rotate,
  },
})

async function showStatus(operator: OperatorClient): Promise<Found> {
  const { relayers, currency } = await operator.status()
  const lines = relayers.map((relayer) => describeRelayer(relayer, currency))
  return { json: { currency, relayers }, lines }
}

async function give(operator: Operated, values: Paying, [amount = '']: readonly string[]) {
  const { relayers, currency, coin, node, treasury } = await openPayer(operator, values)
  const wantedWei = readWei(amount, coin)
  const gifts: { relayer: Address; amountWei: string; hash: Hash }[] = []
  const given: string[] = []
  const balances: string[] = []
  for (const { address } of relayers) {
    const relayer = address as Address
    // From the node, because the rounds' values may be a minute old.
    const read = () => node.client.getBalance({ address: relayer })
    const valueWei = wantedWei - (await read())
    if (valueWei > 0n) {
      const hash = await treasury.send({ to: relayer, valueWei })
      gifts.push({ relayer, amountWei: `${valueWei}`, hash })
      given.push(`Gave ${money(valueWei, currency)} to ${relayer} in ${hash}.`)
    }
    balances.push(`Relayer ${relayer} has ${money(await read(), currency)} for gas.`)
  }
  return { json: { gifts }, lines: [...given, ...balances] }
}
