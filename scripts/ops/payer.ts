import type { Address } from 'viem'
import { createCoinUnit, parseAmount, type Unit } from '../../src/loan/amounts.ts'
import { loanAt } from '../contracts/reads.ts'
import { openNode } from '../stack/chain/node.ts'
import { type KeySource, keyUsage, readKeyOf } from '../stack/money/key-source.ts'
import { openTreasury } from '../stack/money/treasury.ts'
import { readChainId } from '../stack/options.ts'
import { Misused, StackError } from '../stack/report.ts'
import type { Operated } from './command-line.ts'

/** Opens a deployment's chain and who pays there. @throws {StackError} no node or key is named */
export async function openPayer({ status, nodeUrl, terminal }: Operated, source: KeySource) {
  const { env } = terminal
  const { chainId, contracts, relayers, currency, unit } = await status()
  if (nodeUrl === undefined) {
    throw new StackError('Set NODE_URL to a node of the chain of this deployment.')
  }
  const node = await openNode([nodeUrl], readChainId(`${chainId}`))
  const treasury = await openTreasury(node, await readKeyOf(source, env), env)
  if (treasury === undefined) {
    throw new StackError(`The node is not an anvil, and no key is named.\n${keyUsage}`)
  }
  const loan = contracts.loan as Address
  const coin = createCoinUnit(currency)
  return { relayers, currency, coin, unit, node, treasury, loan, read: loanAt(node.client, loan) }
}

/** Reads an amount of a unit as wei. @throws {Misused} it is not an amount, or it is zero */
export function readWei(amount: string, unit: Unit): bigint {
  const parsed = parseAmount(amount, unit)
  if (parsed.kind === 'amount') return parsed.wei
  throw new Misused(`"${amount}" is not an amount: a number above 0, such as 0.5.`)
}
