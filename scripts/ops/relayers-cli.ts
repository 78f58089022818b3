import type { Address, Hash } from 'viem'
import { createNodeCall } from '../stack/chain/node.ts'
import type { Found, Values } from '../stack/command.ts'
import { keyOptions, keyUsage } from '../stack/money/key-source.ts'
import { money, StackError } from '../stack/report.ts'
import { type Operated, operatorCommand } from './command-line.ts'
import type { OperatorClient } from './operator-client.ts'
import { openPayer, readWei } from './payer.ts'
import { rotate, rotateOptions } from './rotate.ts'
import { describeRelayer } from './show.ts'

const usage = `Usage: npm run ops -- relayers [<what>] [--url https://<host>] [--json]

status            what each relayer has for gas, for how many payments that is enough, and what waits
top-up <amount>   gives each relayer what it lacks to have so much: asked again, it gives nothing
fill <amount>     gives so much to each
drain             takes it all, on an anvil
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
    fill: { takes: [1], run: (operator, values, given) => give(operator, values, given, true) },
    drain,
    rotate,
  },
})

async function showStatus(operator: OperatorClient): Promise<Found> {
  const { relayers, currency } = await operator.status()
  const lines = relayers.map((relayer) => describeRelayer(relayer, currency))
  return { json: { currency, relayers }, lines }
}

async function give(
  operator: Operated,
  values: Paying,
  [amount = '']: readonly string[],
  isMore = false,
): Promise<Found> {
  const payer = await openPayer(operator, values)
  const wantedWei = readWei(amount, payer.coin)
  const gifts: { relayer: Address; amountWei: string; hash: Hash }[] = []
  const lines: string[] = []
  for (const { address } of payer.relayers) {
    const relayer = address as Address
    const has = await payer.node.client.getBalance({ address: relayer })
    const valueWei = isMore ? wantedWei : wantedWei - has
    if (valueWei <= 0n) continue
    const hash = await payer.treasury.send({ to: relayer, valueWei })
    gifts.push({ relayer, amountWei: `${valueWei}`, hash })
    lines.push(`Gave ${money(valueWei, payer.currency)} to ${relayer} in ${hash}.`)
  }
  return { json: { gifts }, lines: [...lines, ...(await listBalances(payer))] }
}

async function drain(operator: Operated, values: Paying): Promise<Found> {
  const payer = await openPayer(operator, values)
  const { relayers, node } = payer
  if (!node.isAnvil) throw new StackError('Only an anvil takes the money of an account.')
  const call = createNodeCall(node.url)
  for (const { address } of relayers) await call('anvil_setBalance', [address, '0x0'])
  return { json: { drained: relayers.length }, lines: await listBalances(payer) }
}

/** Reads balances from the node, because the rounds' values may be a minute old. */
function listBalances({ node, relayers, currency }: Awaited<ReturnType<typeof openPayer>>) {
  return Promise.all(
    relayers.map(async ({ address }) => {
      const has = await node.client.getBalance({ address: address as Address })
      return `Relayer ${address} has ${money(has, currency)} for gas.`
    }),
  )
}
