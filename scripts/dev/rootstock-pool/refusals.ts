import type { SendRefusal } from '../../../src/chain/refusals.ts'
import { RpcError } from '../../../src/chain/rpc.ts'

/** Lists a pool's refusals in the words of RSKj and geth; `means` is our name of each. */
export const poolRefusals = {
  known: {
    means: 'known',
    rskj: 'pending transaction with same hash already exists',
    geth: 'already known',
  },
  known_queued: {
    means: 'known',
    rskj: 'queued transaction with same hash already exists',
    geth: 'already known',
  },
  too_large: {
    means: 'other',
    rskj: "transaction's size is higher than defined maximum: {bytes} > {maxBytes}",
    geth: 'oversized data',
  },
  over_block: {
    means: 'other',
    rskj: "transaction's gas limit of {gas} is higher than the block's gas limit of {blockGas}",
    geth: 'exceeds block gas limit',
  },
  nonce_used: { means: 'nonce_used', rskj: 'transaction nonce too low', geth: 'nonce too low' },
  nonce_too_high: {
    means: 'nonce_too_high',
    rskj: 'transaction nonce too high',
    geth: 'nonce too high',
  },
  poor: {
    means: 'insufficient_funds',
    rskj: 'insufficient funds',
    geth: 'insufficient funds for gas * price + value',
  },
  price_too_low: {
    means: 'price_too_low',
    rskj: "transaction's gas price lower than block's minimum",
    geth: 'transaction underpriced',
  },
  price_too_high: {
    means: 'price_too_high',
    rskj: "transaction's gas price exceeds cap",
    geth: 'tx fee exceeds the configured cap',
  },
  basic_cost: {
    means: 'other',
    rskj: "transaction's basic cost is above the gas limit",
    geth: 'intrinsic gas too low',
  },
  underbid: {
    means: 'nonce_occupied',
    rskj: 'gas price not enough to bump transaction',
    geth: 'replacement transaction underpriced',
  },
  quota: { means: 'quota', rskj: 'account exceeds quota', geth: 'account exceeds quota' },
  poor_for_all: {
    means: 'insufficient_funds',
    rskj: 'insufficient funds to pay for pending and new transactions',
    geth: 'insufficient funds for gas * price + value',
  },
} as const satisfies Record<string, { means: SendRefusal } & Record<'rskj' | 'geth', string>>

export type PoolRefusal = keyof typeof poolRefusals

/** Writes RSKj's refusal; `values` replace the names in braces. */
export const refusalWords = (
  refusal: PoolRefusal,
  values: Readonly<Record<string, unknown>> = {},
): string => poolRefusals[refusal].rskj.replaceAll(/\{(\w+)\}/g, (_, name) => `${values[name]}`)

/** Creates RSKj's answer to an unexpected error (RskErrorResolver). */
export const internalFault = (): RpcError => new RpcError(-32603, 'Internal server error')
