import { blockMethods } from './blocks.ts'
import { callMethods } from './calls.ts'
import { ethGetLogs } from './logs.ts'
import type { Method } from './method.ts'
import { networkMethods } from './network.ts'
import { rawDataMethods } from './raw-data.ts'
import { ethSendRawTransaction } from './send-raw-transaction.ts'
import { stateMethods } from './state.ts'
import { subscriptionMethods } from './subscriptions.ts'
import { traceFilter } from './trace-filter.ts'
import { traceMethods } from './traces.ts'
import { transactionMethods } from './transactions.ts'

/** Lists each method that is served; there are no others. */
export const methods: readonly Method[] = [
  ...blockMethods,
  ...callMethods,
  ...networkMethods,
  ...rawDataMethods,
  ...stateMethods,
  ...subscriptionMethods,
  ...traceMethods,
  ...transactionMethods,
  ethGetLogs,
  ethSendRawTransaction,
  traceFilter,
].toSorted((a, b) => (a.name < b.name ? -1 : 1))
