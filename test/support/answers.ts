import type { AccountFound } from '../../src/operator/schemas/callers.ts'
import type { PaymentSummary } from '../../src/operator/schemas/payments.ts'

// What operators are told of a payment and of an account of which little is known.

export const at = '2026-01-01T19:42:00.000Z'
export const account = `0x${'11'.repeat(20)}` as const

export const payment: PaymentSummary = {
  ...({ intent: `0x${'cd'.repeat(22)}`, state: 'queued', kind: 'transfer', account } as const),
  ...{ recipient: null, agreed: null, code: null, paidOutAt: null, assuredAt: null },
  ...{ spendsWei: '250000000000000000', lentWei: null, acceptedAt: at },
  ...{ relayer: null, nonce: null, attempts: 0, outcome: null, reason: null },
  ...{ hash: null, block: null, explorer: null },
}

/** The same payment where it is asked for alone. */
export const paymentDetails = {
  ...{ ...payment, deadline: null, gasUsed: null, creditedWei: null, screen: null },
  ...{ recall: null, price: null, transitions: [], batch: [], holdSteps: [] },
  ...{ messages: [], transactions: [] },
}

export const accountFound: AccountFound = {
  ...{ account, receiveAddress: null, waitingWei: null, balanceWei: '0', owedWei: '0' },
  ...{ price: null, dueAt: null, heldAt: null, heldFor: null, open: 0, pin: null, till: null },
  ...{ loan: null, payments: [], arrivals: [], refusals: [], tills: [], recalled: [] },
  today: { transfers: 0, mostTransfers: null, sentWei: '0', mostSentWei: null },
  reminded: null,
}
