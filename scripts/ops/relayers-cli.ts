import { type Address, createPublicClient, formatEther, type Hash, http } from 'viem'
import { z } from 'zod'
import { statusAnswer } from '../../src/operator/answers.ts'
import { createNodeCall } from '../stack/chain/node-call.ts'
import { keyOptions, keyUsage } from '../stack/money/key-source.ts'
import { command, StackError, say } from '../stack/report.ts'
import { readCommandLine } from './command-line.ts'
import { type OperatorClient, openOperator } from './operator-client.ts'
import { openPayer, readWei } from './payer.ts'
import { relayerLine } from './show.ts'

const usage = `Usage: npm run relayers -- [<what>] [--url https://<host>] [--json]

status            what each relayer has for gas, for how many payments that is enough, and what waits
top-up <amount>   gives each relayer what it lacks to have so much: asked again, it gives nothing
fill <amount>     gives so much to each
drain             takes it all, on an anvil

Asks the local stack, or the deployment at --url with OPERATOR_TOKEN in the environment.
${keyUsage}
On an anvil its own account pays. NODE_URL is a node.`

const options = { url: { type: 'string' }, json: { type: 'boolean' }, ...keyOptions } as const

type Values = NonNullable<ReturnType<typeof readCommandLine<typeof options>>>['values']

/** What was sent to a relayer. */
type Gift = { relayer: Address; amountWei: string; hash: Hash }

await command(async () => {
  const asked = readCommandLine(usage, options)
  if (asked === undefined) return
  const [what = 'status', amount, ...rest] = asked.positionals
  const takesAmount = what === 'top-up' || what === 'fill'
  if (rest.length > 0 || takesAmount !== (amount !== undefined)) throw new StackError(usage)
  const operator = openOperator(asked.values.url, process.env)
  switch (what) {
    case 'status':
      return await showStatus(operator, asked.values)
    case 'top-up':
    case 'fill':
      return await give(operator, asked.values, what, readWei(amount ?? '', usage))
    case 'drain':
      return await drain(operator, asked.values)
    default:
      throw new StackError(usage)
  }
})

async function showStatus(operator: OperatorClient, { json }: Values): Promise<void> {
  const { relayers, currency } = await operator.read('/operator/status', statusAnswer)
  if (json) return say(JSON.stringify({ currency, relayers }))
  for (const relayer of relayers) say(relayerLine(relayer, currency))
}

async function give(
  operator: OperatorClient,
  values: Values,
  what: 'top-up' | 'fill',
  wantedWei: bigint,
): Promise<void> {
  const { status, node, treasury } = await openPayer(operator, values, process.env)
  const client = createPublicClient({ transport: http(node.url) })
  const gifts: Gift[] = []
  for (const { address } of status.relayers) {
    const to = address as Address
    const has = await client.getBalance({ address: to })
    const valueWei = what === 'fill' ? wantedWei : wantedWei - has
    if (valueWei <= 0n) continue
    const hash = await treasury.send({ to, valueWei })
    gifts.push({ relayer: to, amountWei: `${valueWei}`, hash })
  }
  if (values.json) return say(JSON.stringify({ gifts }))
  for (const { relayer, amountWei, hash } of gifts) {
    say(`Gave ${formatEther(BigInt(amountWei))} ${status.currency} to ${relayer} in ${hash}.`)
  }
  await showBalances(client, status)
}

async function drain(operator: OperatorClient, values: Values): Promise<void> {
  const { status, node } = await openPayer(operator, values, process.env)
  if (!node.isAnvil) throw new StackError('Only an anvil takes the money of an account.')
  const call = createNodeCall(node.url)
  for (const { address } of status.relayers) {
    await call('anvil_setBalance', [address, '0x0'], z.unknown())
  }
  if (values.json) return say(JSON.stringify({ drained: status.relayers.length }))
  await showBalances(createPublicClient({ transport: http(node.url) }), status)
}

/** From the node: what rounds have seen is of a minute ago. */
async function showBalances(
  client: ReturnType<typeof createPublicClient>,
  { relayers, currency }: { relayers: { address: string }[]; currency: string },
): Promise<void> {
  for (const { address } of relayers) {
    const has = formatEther(await client.getBalance({ address: address as Address }))
    say(`Relayer ${address} has ${has} ${currency} for gas.`)
  }
}
