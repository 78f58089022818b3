import * as z from 'zod/mini'
import { createNotAvailableError } from '../codes.ts'
import { logSubscriptionParam } from '../objects/log.ts'
import { data } from '../objects/values.ts'
import { type Context, defineMethod } from './method.ts'

const types = ['newHeads', 'logs', 'newPendingTransactions', 'syncing'] as const

export const subscriptionMethods = [
  defineMethod({
    name: 'eth_subscribe',
    summary: 'Starts a subscription; over WebSocket only',
    params: {
      type: z.enum(types, { error: `must be one of ${types.join(', ')}` }),
      filter: z.optional(logSubscriptionParam),
    },
    result: data,
    hasEffect: true,
    call: async ({ type, filter }, context) =>
      await getSubscriptions(context, 'eth_subscribe').add(
        type === 'logs' ? { kind: type, filter: filter ?? {} } : { kind: type },
      ),
  }),
  defineMethod({
    name: 'eth_unsubscribe',
    summary: 'Ends a subscription; over WebSocket only',
    params: { id: z.string({ error: 'must be the id of a subscription' }) },
    result: z.boolean(),
    hasEffect: true,
    call: async ({ id }, context) => getSubscriptions(context, 'eth_unsubscribe').remove(id),
  }),
]

function getSubscriptions({ subscriptions }: Context, name: string) {
  if (subscriptions !== undefined) return subscriptions
  throw createNotAvailableError(name, ' over HTTP: it needs a WebSocket')
}
