import * as z from 'zod/mini'
import { notAvailable } from '../not-available.ts'
import { logSubscriptionParam } from '../objects/log-filter.ts'
import { data } from '../objects/values.ts'
import { method } from './method.ts'

const types = ['newHeads', 'logs', 'newPendingTransactions', 'syncing'] as const

export const ethSubscribe = method({
  name: 'eth_subscribe',
  summary: 'Starts a subscription; over WebSocket only',
  params: {
    type: z.enum(types, { error: `must be one of ${types.join(', ')}` }),
    filter: z.optional(logSubscriptionParam),
  },
  result: data,
  example: { params: ['newHeads'], result: '0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c' },
  effect: true,
  async call({ type, filter }, { subscriptions }) {
    if (subscriptions === undefined) {
      throw notAvailable('eth_subscribe', ' over HTTP: it needs a WebSocket')
    }
    return await subscriptions.add(
      type === 'logs' ? { kind: type, filter: filter ?? {} } : { kind: type },
    )
  },
})
