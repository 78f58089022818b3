import process from 'node:process'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  type Hash,
  http,
  parseUnits,
} from 'viem'
import { nonceManager, privateKeyToAccount } from 'viem/accounts'
import { rootstockTestnet } from 'viem/chains'
import { z } from 'zod'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { sleep } from '../../dev/wait.ts'

// What a developer would write in an afternoon: viem's nonce manager, a Set of the sessions that
// were answered, one account for everybody, and nothing that outlives the process.

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]+$/)])
const { NODE_URL, LOAN_ADDRESS, ACCOUNT_KEY, DECIMALS } = z
  .object({ NODE_URL: z.url(), LOAN_ADDRESS: hex, ACCOUNT_KEY: hex, DECIMALS: z.coerce.number() })
  .parse(process.env)

const account = privateKeyToAccount(ACCOUNT_KEY, { nonceManager })
const transport = http(NODE_URL)
const wallet = createWalletClient({ account, chain: rootstockTestnet, transport })
const client = createPublicClient({ chain: rootstockTestnet, transport })
const loan = { address: LOAN_ADDRESS, abi: microLoanAbi } as const
const answered = new Set<string>()

const app = new Hono()

app.post('/ussd', async (c) => {
  const { sessionId, phoneNumber, text } = await c.req.parseBody<Record<string, string>>()
  const [choice, to, amount] = (text ?? '').split('*')
  if (choice !== '2') return c.text(`CON Rootstock DeFi (${phoneNumber})\n2. Send Money (P2P)`)
  if (to === undefined) return c.text('CON Enter Recipient Address:_________')
  if (amount === undefined) return c.text('CON Enter Amount:_____')
  if (sessionId === undefined || answered.has(sessionId))
    return c.text('END This session has ended.')
  answered.add(sessionId)
  const call = {
    functionName: 'transfer',
    args: [to as Address, parseUnits(amount, DECIMALS)],
  } as const
  const hash = await wallet.writeContract({ ...loan, ...call })
  void confirmed(hash)
  return c.text(
    `END Transfer Submitted\nTo: ${to.slice(0, 10)}...\nTx: ${hash.slice(0, 12)}...\nFunds will arrive shortly.`,
  )
})

/** Waits by asking as often as the relay does: viem asks for every block that it missed. */
async function confirmed(hash: Hash): Promise<void> {
  for (;;) {
    await sleep(250)
    const receipt = await client.getTransactionReceipt({ hash }).catch(() => undefined)
    if (receipt !== undefined) return void process.stdout.write(`Transfer confirmed: ${hash}\n`)
  }
}

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send?.({ port }))
process.once('disconnect', () => process.exit())
