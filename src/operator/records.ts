import type { Address } from 'viem'
import type { Chain } from '../chain/chains.ts'
import type { ActiveAlert, PaymentRecord, PaymentTrace } from '../relay/ledger/port.ts'
import { executeGas } from '../relay/relayer.ts'
import type { AlertName, PaymentDetails, PaymentSummary, StatusAnswer } from './answers.ts'

/** Names what an operator runs. */
export type Subject = {
  chain: Chain
  /** Gives its address: asked for once it is needed, since deriving a key takes long. */
  relayer: () => Address
  loan: Address
  forwarder: Address
  guards: Readonly<StatusAnswer['guards']>
  /** Tells how nodes have done in this process. */
  nodes: () => StatusAnswer['nodes']
}

/** Writes a time (Unix time in ms) as answers have it. */
export const toIso = (at: number): string => new Date(at).toISOString()

export const isoOrNull = (at: number | undefined | null): string | null =>
  at === undefined || at === null ? null : toIso(at)

/** Links to where people look at a transaction. */
export const toLink = ({ explorer }: Chain, hash: string): string => `${explorer}/tx/${hash}`

export const toAlert = ({ name, says, raisedAt, calmSince }: ActiveAlert) => ({
  name: name as AlertName,
  says,
  raisedAt: toIso(raisedAt),
  overSince: isoOrNull(calmSince),
})

/** Tells of a payment without what leads to its caller. */
export function toPaymentSummary(chain: Chain, record: PaymentRecord): PaymentSummary {
  const { intentId, acceptedAt, history, reason, gas: _, deadline: __, ...told } = record
  return {
    ...told,
    intent: intentId,
    acceptedAt: toIso(acceptedAt),
    changedAt: toIso(history.at(-1)?.[1] ?? acceptedAt),
    reason: reason === '' ? null : reason,
    explorer: told.hash === null ? null : toLink(chain, told.hash),
  }
}

/** Tells all that is known of one payment, with the gas that its transaction used. */
export function toPaymentDetails(chain: Chain, trace: PaymentTrace, gas?: number): PaymentDetails {
  const { transactions, screen, messages, batch, ...record } = trace
  const { deadline, history, block, hash: minedAs } = record
  return {
    ...toPaymentSummary(chain, record),
    deadline: isoOrNull(deadline && deadline * 1_000),
    gasUsed: gas ?? null,
    batch,
    screen: screen?.lines.join('\n') ?? null,
    messages: messages.map(({ at, ...message }) => ({ ...message, at: toIso(at) })),
    transitions: history.map(([state, at]) => ({ state, at: toIso(at) })),
    transactions: transactions.map(({ recordedAt, sentAt, ...told }) => ({
      hash: told.hash,
      nonce: told.nonce,
      gasPriceWei: told.gasPriceWei,
      failures: told.failures,
      gasLimit: (record.gas ?? 0) + executeGas,
      recordedAt: toIso(recordedAt),
      sentAt: isoOrNull(sentAt),
      isMined: block !== null && told.hash === minedAs,
      explorer: toLink(chain, told.hash),
    })),
  }
}
