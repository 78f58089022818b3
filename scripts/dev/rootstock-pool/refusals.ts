import type { SendRefusal } from '../../../src/chain/refusals.ts'
import { RpcError } from '../../../src/chain/rpc.ts'

const row = (means: SendRefusal, rskj: string, geth: string) => ({ means, rskj, geth })

/** Lists a pool's refusals in the words of RSKj and geth; `means` is our name of each. */
export const poolRefusals = {
  known: row('known', 'pending transaction with same hash already exists', 'already known'),
  known_queued: row('known', 'queued transaction with same hash already exists', 'already known'),
  too_large: row(
    'other',
    "transaction's size is higher than defined maximum: {bytes} > {maxBytes}",
    'oversized data',
  ),
  over_block: row(
    'other',
    "transaction's gas limit of {gas} is higher than the block's gas limit of {blockGas}",
    'exceeds block gas limit',
  ),
  nonce_used: row('nonce_used', 'transaction nonce too low', 'nonce too low'),
  nonce_too_high: row('nonce_too_high', 'transaction nonce too high', 'nonce too high'),
  poor: row(
    'insufficient_funds',
    'insufficient funds',
    'insufficient funds for gas * price + value',
  ),
  price_too_low: row(
    'price_too_low',
    "transaction's gas price lower than block's minimum",
    'transaction underpriced',
  ),
  price_too_high: row(
    'price_too_high',
    "transaction's gas price exceeds cap",
    'tx fee exceeds the configured cap',
  ),
  basic_cost: row(
    'other',
    "transaction's basic cost is above the gas limit",
    'intrinsic gas too low',
  ),
  underbid: row(
    'nonce_occupied',
    'gas price not enough to bump transaction',
    'replacement transaction underpriced',
  ),
  quota: row('quota', 'account exceeds quota', 'account exceeds quota'),
  poor_for_all: row(
    'insufficient_funds',
    'insufficient funds to pay for pending and new transactions',
    'insufficient funds for gas * price + value',
  ),
}

export type PoolRefusal = keyof typeof poolRefusals

/** Writes RSKj's refusal; `values` replace the names in braces. */
export const refusalWords = (
  refusal: PoolRefusal,
  values: Readonly<Record<string, unknown>> = {},
): string => poolRefusals[refusal].rskj.replaceAll(/\{(\w+)\}/g, (_, name) => `${values[name]}`)

/** Creates RSKj's answer to an unexpected error (RskErrorResolver). */
export const internalFault = (): RpcError => new RpcError(-32603, 'Internal server error')
