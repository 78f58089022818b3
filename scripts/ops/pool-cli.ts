import { isAddressEqual, zeroAddress } from 'viem'
import type { Found, Values } from '../stack/command.ts'
import { keyOptions, keyUsage } from '../stack/money/key-source.ts'
import { fundCalls } from '../stack/money/treasury.ts'
import { StackError, writeAmount } from '../stack/report.ts'
import { type Operated, operatorCommand } from './command-line.ts'
import type { OperatorClient } from './operator-client.ts'
import { openPayer, readWei } from './payer.ts'
import { describePool, pauseWords } from './show.ts'

const usage = `Usage: npm run ops -- pool [<what>] [--url https://<host>] [--json]

status                what the pool has free, what is owed and in accounts, and what may be lent today
fund <amount>         gives so much to the pool; it comes back by defund alone
defund <amount|all>   takes so much of what is free back to the owner, whose key it takes
pause | unpause       stops what a pause of the loan contract stops, with its guardian's or owner's key; ends that, with
                      its owner's

Asks the local stack, or the deployment at --url with OPERATOR_TOKEN in the environment.
${keyUsage}
On an anvil its own account pays. NODE_URL is a node.`

export const pool = operatorCommand({
  usage,
  options: keyOptions,
  usual: 'status',
  actions: {
    status: showStatus,
    fund: { takes: [1], run: fund },
    defund: { takes: [1], run: defund },
    pause: (operator, values) => setPause(operator, values, 'pause'),
    unpause: (operator, values) => setPause(operator, values, 'unpause'),
  },
})

async function showStatus(operator: OperatorClient): Promise<Found> {
  const status = await operator.status()
  const { contracts, currency, unit } = status
  return { json: { currency, unit, ...contracts }, lines: [describePool(status)] }
}

type Paying = Values<typeof keyOptions>

async function fund(operator: Operated, values: Paying, [amount = '']: readonly string[]) {
  const payer = await openPayer(operator, values)
  // It fails where the contract is not there: what is sent to an empty address is lost.
  await payer.read.liquidity()
  const amountWei = readWei(amount, payer.unit)
  const hash = await payer.treasury.payLoan(payer.loan, fundCalls, [], amountWei)
  const words = `Gave ${writeAmount(amountWei, payer.unit)} to the pool`
  return describeMove(payer, hash, amountWei, words)
}

async function defund(operator: Operated, values: Paying, [amount = '']: readonly string[]) {
  const payer = await openPayer(operator, values)
  const { read, treasury, loan, unit } = payer
  const before = await read.liquidity()
  const amountWei = amount === 'all' ? before : readWei(amount, unit)
  const owner = await read.owner()
  if (!isAddressEqual(owner, treasury.address)) {
    throw new StackError(`The pool belongs to ${owner}, and the key is ${treasury.address}'s.`)
  }
  if (amountWei > before || amountWei === 0n) {
    throw new StackError(`The pool has ${writeAmount(before, unit)} free. Nothing was sent.`)
  }
  const hash = await treasury.callLoan(loan, 'defund', [amountWei])
  const words = `Took ${writeAmount(amountWei, unit)} from the pool to ${treasury.address}`
  return describeMove(payer, hash, amountWei, words)
}

async function setPause(operator: Operated, values: Paying, wish: 'pause' | 'unpause') {
  const { read, treasury, loan } = await openPayer(operator, values)
  const owner = await read.owner()
  const allowed = wish === 'pause' ? [owner, await read.guardian()] : [owner]
  if (!allowed.some((one) => isAddressEqual(one, treasury.address))) {
    const who = allowed.filter((one) => one !== zeroAddress).join(' or ')
    throw new StackError(`Only ${who} may ${wish} it, and the key is ${treasury.address}'s.`)
  }
  const isPaused = wish === 'pause'
  if ((await read.paused()) === isPaused) {
    return { json: { isPaused }, lines: [`It is ${wish}d already. Nothing was sent.`] }
  }
  const hash = await treasury.callLoan(loan, wish, [])
  const words = isPaused ? `Paused in ${hash}: ${pauseWords}.` : `The pause is over, by ${hash}.`
  return { json: { hash, isPaused }, lines: [words] }
}

async function describeMove(
  { read, unit }: Awaited<ReturnType<typeof openPayer>>,
  hash: string,
  amountWei: bigint,
  words: string,
): Promise<Found> {
  const freeWei = await read.liquidity()
  return {
    json: { hash, amountWei: `${amountWei}`, freeWei: `${freeWei}` },
    lines: [`${words} in ${hash}.`, `The pool has ${writeAmount(freeWei, unit)} free now.`],
  }
}
