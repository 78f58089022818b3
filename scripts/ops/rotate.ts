import { existsSync, writeFileSync } from 'node:fs'
import { type Address, encodeFunctionData, isAddressEqual } from 'viem'
import { english, generateMnemonic } from 'viem/accounts'
import { z } from 'zod'
import type { Chain } from '../../src/chain/chains.ts'
import { relayForwarderAbi } from '../../src/relay/forwarder/abi.ts'
import { deriveRelayerAccount } from '../../src/relay/signer.ts'
import { forwarderAt } from '../contracts/reads.ts'
import { sleep, waitForReceipt } from '../dev/wait.ts'
import { priceObstacle } from '../stack/chain/node.ts'
import { type Found, text, type Values } from '../stack/command.ts'
import { readJson } from '../stack/files.ts'
import type { keyOptions } from '../stack/money/key-source.ts'
import { offer } from '../stack/money/treasury.ts'
import { money, StackError } from '../stack/report.ts'
import type { Operated } from './command-line.ts'
import { openPayer, readWei } from './payer.ts'

/** Holds the next key, from before it is used, and the key whose place it takes. */
const nextKey = z.object({ RELAYER_MNEMONIC: z.string(), replaces: z.custom<Address>() })
type NextKey = z.infer<typeof nextKey>

/** Sets how many blocks deep the former key's last transaction is before the key is removed. */
const finalBlocks = 50n

type RotateOptions = Values<typeof rotateOptions & typeof keyOptions>
export const rotateOptions = { to: text, fund: text }

type Payer = Awaited<ReturnType<typeof openPayer>>

/**
 * Gives the relay another key. Each step looks first whether it was done, so an interrupted
 * rotation goes on where it stood. Until nothing is open the ledger refuses another key, and keeps
 * every payment to one transaction's calldata.
 */
export async function rotate(operator: Operated, given: RotateOptions): Promise<Found> {
  if (given.to === undefined) throw new StackError('Say where the next key is kept: --to FILE')
  const rotation = await openRotation(operator, given, given.to)
  const { address, status: before, isSwitched } = rotation
  const done: string[] = []
  const report = (line: string) => {
    done.push(line)
    operator.terminal.complain(line)
  }
  report(await setAllowed(rotation, address, true))
  report(await fundNext(rotation, given.fund))
  report(await warmNext(rotation))
  if (!isSwitched) {
    report(await drain(operator))
    const lines = [
      `Now give the service the next key, and run the same command again:`,
      `  npx wrangler secret put RELAYER_MNEMONIC   (its value is RELAYER_MNEMONIC of ${given.to})`,
    ]
    return { json: { address, step: 'switch', done }, lines }
  }
  if (before.intake.state !== 'open') {
    await operator.act('resume')
    report('Payments are taken again, with the next key.')
  }
  return { ...(await retireFormer(rotation, report)), json: { address, done } }
}

type Rotation = Awaited<ReturnType<typeof openRotation>>

async function openRotation(operator: Operated, given: RotateOptions, file: string) {
  const before = await operator.status()
  const [relayer] = before.relayers
  if (relayer === undefined) throw new StackError('The deployment names no relayer.')
  const next = openNextKey(file, relayer.address as Address)
  const payer = await openPayer(operator, given)
  const key = deriveRelayerAccount(next.RELAYER_MNEMONIC, before.chainId as Chain['id'], 0)
  const isSwitched = isAddressEqual(relayer.address as Address, key.address)
  if (!isSwitched && !isAddressEqual(relayer.address as Address, next.replaces)) {
    throw new StackError(`${file} is of another rotation: name another file.`)
  }
  for (const address of [payer.treasury.address, key.address]) {
    await waitForPending(payer.node, address)
  }
  return { operator, payer, next, key, address: key.address, status: before, isSwitched }
}

/** Reads the next key, or makes it: it is on the disk before anything is done with it. */
function openNextKey(file: string, replaces: Address): NextKey {
  if (existsSync(file)) {
    const known = nextKey.safeParse(readJson(file)).data
    if (known === undefined) throw new StackError(`${file} is no file of this command.`)
    return known
  }
  const made = { RELAYER_MNEMONIC: generateMnemonic(english), replaces }
  writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
  return made
}

/** Has the forwarder's owner allow a relayer, or no longer. */
async function setAllowed(
  { payer, status }: Rotation,
  relayer: Address,
  isAllowed: boolean,
): Promise<string> {
  const { treasury, node } = payer
  const to = status.contracts.forwarder as Address
  const forwarder = forwarderAt(node.client, to)
  const words = `The forwarder ${isAllowed ? 'allows' : 'no longer allows'} ${relayer}.`
  if ((await forwarder.isRelayer([relayer])) === isAllowed) return words
  const owner = await forwarder.owner()
  if (!isAddressEqual(owner, treasury.address)) {
    throw new StackError(`Only the forwarder's owner ${owner} may do this: name its key.`)
  }
  const args = [relayer, isAllowed] as const
  await treasury.send({
    to,
    data: encodeFunctionData({ abi: relayForwarderAbi, functionName: 'setRelayer', args }),
  })
  return words
}

/** Gives the next key, until it has sent something, as much as was named or the former key has. */
async function fundNext(
  { payer, address, next }: Rotation,
  fund: string | undefined,
): Promise<string> {
  const { client } = payer.node
  const wantedWei =
    fund === undefined
      ? await client.getBalance({ address: next.replaces })
      : readWei(fund, payer.coin)
  const lacksWei = wantedWei - (await client.getBalance({ address }))
  const isUsed = (await client.getTransactionCount({ address })) > 0
  if (lacksWei > 0n && !isUsed) await payer.treasury.send({ to: address, valueWei: lacksWei })
  const now = await client.getBalance({ address })
  return `The next key ${address} has ${money(now, payer.currency)} for gas.`
}

/**
 * Sends a first transaction of nothing: a node gives an account that it meets with nonce 0 little
 * gas at a time, and more from then on.
 */
async function warmNext({ operator, payer, address, key, status }: Rotation): Promise<string> {
  const { client, isAnvil } = payer.node
  if ((await client.getTransactionCount({ address })) === 0) {
    const price = await client.getGasPrice()
    const dear = priceObstacle(BigInt(status.relayers[0]?.maxGasPriceWei ?? price), price)
    if (dear !== undefined) throw new StackError(`Nothing was sent: ${dear}.`)
    const gasPrice = isAnvil ? price : (price * 11n) / 10n
    const call = { to: address, value: 0n, gas: 21_000n, gasPrice, nonce: 0 }
    const { chainId } = status
    const raw = await key.signTransaction({ type: 'legacy', chainId, ...call })
    const hash = await offer(client, raw, operator.terminal.complain)
    await waitForReceipt(client, hash)
  }
  return 'The next key has sent its first transaction: nodes know it.'
}

/** Waits for what an interrupted run has sent, so that nothing is sent a second time. */
async function waitForPending({ client }: Payer['node'], address: Address): Promise<void> {
  const count = (blockTag: 'latest' | 'pending') =>
    client.getTransactionCount({ address, blockTag })
  while ((await count('pending')) > (await count('latest'))) await sleep(2_000)
}

/** Takes no new payments until nothing is open, since only then the key may change. */
async function drain({ act, status }: Operated): Promise<string> {
  const { intake } = await status()
  if (intake.state !== 'draining' && intake.state !== 'drained') await act('drain')
  while ((await status()).intake.state === 'draining') await sleep(2_000)
  const { intake: after } = await status()
  if (after.state === 'drained') return 'Nothing is open: the key may change.'
  throw new StackError('Payments are taken again meanwhile: run the same command again.')
}

/** Removes the former key once no reorganization can need it any more. */
async function retireFormer(rotation: Rotation, report: (line: string) => void): Promise<Found> {
  const { payer, next } = rotation
  const { client } = payer.node
  const former = next.replaces
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const [latest, pending] = await Promise.all(
    (['latest', 'pending'] as const).map((blockTag) =>
      client.getTransactionCount({ address: former, blockTag }),
    ),
  )
  const isDeep =
    head > finalBlocks &&
    (await client.getTransactionCount({ address: former, blockNumber: head - finalBlocks })) ===
      latest
  if (!isDeep || pending !== latest) {
    const wait = `The former key ${former} stays allowed until its last transaction is ${finalBlocks} blocks deep: run the same command again then.`
    return { lines: [wait] }
  }
  report(await setAllowed(rotation, former, false))
  const left = money(await client.getBalance({ address: former }), payer.currency)
  return {
    lines: [
      `The rotation is done. Keep the next key with the other secrets. The former key ${former} has ${left} left, which its mnemonic can send.`,
    ],
  }
}
