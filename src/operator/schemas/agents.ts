import * as z from 'zod/mini'
import { tillKinds } from '../kept/tables.ts'
import { hexAddress, phone } from './fields.ts'

/** Describes a till: the short number of an account that hands out cash, or is paid bills. */
export const till = z.object({
  till: z.string().check(z.regex(/^[0-9]{5,6}$/)),
  account: hexAddress,
  name: z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9 -]{0,11}$/)),
  kind: z.enum(tillKinds),
})

/** Maps each `POST /operator/<name>` about tills to its schema. */
export const agentActions = {
  agents: { request: z.unknown(), answer: z.object({ agents: z.array(till) }) },
  'agents/add': {
    request: z.extend(z.pick(till, { name: true, kind: true }), { phone }),
    answer: till,
    expected: 'the body has to be {"phone": "+…", "name": "Mama Duka", "kind": "agent" or "bill"}',
  },
  'agents/remove': {
    request: z.pick(till, { till: true }),
    answer: till,
    expected: 'the body has to be {"till": "12344"}',
  },
}
