import * as z from 'zod/mini'
import { notAvailable } from '../not-available.ts'
import { method } from './method.ts'

/** Ends a subscription of this connection; `false` when it has none with this id. */
export const ethUnsubscribe = method({
  name: 'eth_unsubscribe',
  summary: 'Ends a subscription; over WebSocket only',
  params: { id: z.string({ error: 'must be the id of a subscription' }) },
  result: z.boolean(),
  example: { params: ['0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c'], result: true },
  effect: true,
  async call({ id }, { subscriptions }) {
    if (subscriptions === undefined) {
      throw notAvailable('eth_unsubscribe', ' over HTTP: it needs a WebSocket')
    }
    return subscriptions.remove(id)
  },
})
