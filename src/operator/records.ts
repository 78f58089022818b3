import type { Address } from 'viem'
import type { Chain } from '../chain/chains.ts'
import type { PaymentRecord, PaymentTrace } from '../relay/ledger/port.ts'
import { executeGas } from '../relay/relayer.ts'
import type { PaymentDetails, PaymentSummary, StatusAnswer } from './answers.ts'

/** What an operator runs. */
export type Subject = {
  chain: Chain
  /** Its address: told once it is asked for, since deriving a key takes long. */
  relayer: () => Address
  loan: Address
  forwarder: Address
  guards: Readonly<StatusAnswer['guards']>
  /** How nodes have done in this process. */
  nodes: () => StatusAnswer['nodes']
}

/** A time as answers tell it. */
export const isoOf = (at: number): string => new Date(at).toISOString()

export const isoOrNull = (at: number | undefined | null): string | null =>
  at === undefined || at === null ? null : isoOf(at)

/** Where people look at a transaction. */
export const linkOf = ({ explorer }: Chain, hash: string): string => `${explorer}/tx/${hash}`

/** A payment as an operator is told of it. */
export function toPaymentSummary(chain: Chain, record: PaymentRecord): PaymentSummary {
  const { intentId, acceptedAt, history, reason, gas: _, deadline: __, ...told } = record
  return {
    ...told,
    intent: intentId,
    acceptedAt: isoOf(acceptedAt),
    changedAt: isoOf(history.at(-1)?.[1] ?? acceptedAt),
    reason: reason === '' ? null : reason,
    explorer: told.hash === null ? null : linkOf(chain, told.hash),
  }
}

/** Everything that is known of one payment, and the gas that its transaction used. */
export function toPaymentDetails(
  chain: Chain,
  trace: PaymentTrace,
  gasUsed: number | undefined,
): PaymentDetails {
  const { transactions, ...record } = trace
  const { deadline, gas, history, hash: minedAs } = record
  return {
    ...toPaymentSummary(chain, record),
    deadline: deadline === null ? null : isoOf(deadline * 1_000),
    gasUsed: gasUsed ?? null,
    transitions: history.map(([state, at]) => ({ state, at: isoOf(at) })),
    transactions: transactions.map(
      ({ hash, nonce, gasPriceWei, recordedAt, sentAt, failures }) => ({
        hash,
        nonce,
        gasPriceWei,
        failures,
        gasLimit: (gas ?? 0) + executeGas,
        recordedAt: isoOf(recordedAt),
        sentAt: isoOrNull(sentAt),
        isMined: trace.block !== null && hash === minedAs,
        explorer: linkOf(chain, hash),
      }),
    ),
  }
}
