import type * as z from 'zod/mini'
import { type RouteName, routeRoles } from '../../src/operator/access.ts'
import type { DeclaredAction } from '../../src/operator/actions/action.ts'
import { type ActionName, actions } from '../../src/operator/actions/list.ts'
import { alertsAnswer } from '../../src/operator/schemas/alerts.ts'
import { operatorError } from '../../src/operator/schemas/fields.ts'
import {
  auditAnswer,
  auditQuery,
  eventsAnswer,
  eventsQuery,
  exportAnswer,
  exportQuery,
} from '../../src/operator/schemas/kept.ts'
import { loansAnswer, loansQuery } from '../../src/operator/schemas/loans.ts'
import * as payments from '../../src/operator/schemas/payments.ts'
import { statusAnswer } from '../../src/operator/schemas/status.ts'
import { type JsonSchema, toJsonSchema } from './json-schema.ts'

type Query = { shape: Readonly<Record<string, z.ZodMiniType>> }
type Read = [summary: string, answer: z.ZodMiniType | 'text/csv', request?: Query]

/** Describes each `GET /operator/<name>`; what is in braces is a part of its path. */
const reads: Record<string, Read> = {
  status: ['How things are: intake, health, relayers, contracts, nodes, counts', statusAnswer],
  alerts: ['What is raised, and what was', alertsAnswer],
  audit: ['What operators did, the newest first', auditAnswer, auditQuery],
  payments: [
    'Payments, the newest first, in pages',
    payments.paymentsAnswer,
    payments.paymentsQuery,
  ],
  'payments/{intent}': ['All that is known of one payment', payments.paymentAnswer],
  events: ['What happened to accounts, in order, after a `seq`', eventsAnswer, eventsQuery],
  export: ['A page of what only operators know', exportAnswer, exportQuery],
  loans: ['The loan book: sums, ages, and the loans of a state', loansAnswer, loansQuery],
  'loans.csv': [
    'The whole loan book as CSV (RFC 4180): times in TIME_ZONE, amounts in `currency`',
    'text/csv',
  ],
}

/** Says what each `POST /operator/<name>` does. */
const summaries: Record<ActionName, string> = {
  pause: 'Takes no new payments; what is open goes on',
  resume: 'Takes payments again',
  drain: 'Takes no new payments, until nothing is open',
  outbid: 'Signs new bytes for a nonce that waits, before a round would',
  rate: "Accepts a price of the coin in the local currency, and counts the feed's changes from it",
  lookup: "Tells of a number's account: balance, debt, payments, refusals, PIN, limits",
  'test-alert': 'Posts a test alert to the webhook once, and tells whether that took it',
  find: 'Finds accounts and payments by what a caller reads out: number, hash, code or till',
  session: 'Tells how a session was decided that a gateway names',
  'person/export': 'Gives in parts what is kept of a person',
  'person/erase': 'Erases what is kept of a person and guards nothing',
  'end-recall': 'Ends what is held back of a payment that its sender calls a mistake',
  hold: 'Holds an account, so that it begins no payment, or releases it',
  deposit: "Has an account's own key deposit what is at its address, once",
  sweep: 'Credits what arrived at the address that Receive shows for a token, once in 6 hours',
  pin: 'Unblocks an account, or has it keep a PIN that was called forgotten',
  alias: 'Has numbers keep the accounts of their former forms',
  name: 'Offers a verified name to its holder, whom payers see once the holder agrees, or takes all away',
  wallet: "Adds a wallet to a number's account, takes one away, or lists them",
  agents: 'Lists who hands out cash, or takes payments with a reference',
  'agents/add': "Gives a number's account a till",
  'agents/remove': 'Takes a till away',
  'wallet-code': 'Makes a code that gives a wallet to the one who dials it, once within an hour',
  'cash-out': 'Pays out of an account to an address outside, once for each key',
  import: 'Adds a page of an export while payments are refused',
  'set-back': 'Sets the ledger back to a time of the last 30 days, on Cloudflare',
}

/** Describes the operator's interface to programs (OpenAPI 3.1). */
export function openApiDocument() {
  const at = (name: string, path: object) => [`/operator/${name}`, path] as const
  const paths = [
    ...Object.entries(reads).map(([name, read]) => at(name, { get: describeRead(name, read) })),
    ...Object.entries(summaries).map(([name, summary]) => {
      const form = actions[name as ActionName]
      return at(name, { post: describeAction(name, summary, form) })
    }),
  ]
  return {
    openapi: '3.1.0',
    info: {
      title: "The operator's interface",
      version: '1',
      description:
        'Is there where OPERATOR_TOKEN or OPERATORS is set. A body is JSON of 4 KB at most, of an import 1 MB. docs/operations.md says what each thing means.',
    },
    servers: [{ url: 'http://127.0.0.1:3000', description: 'The local stack' }],
    security: [{ operatorToken: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { operatorToken: { type: 'http', scheme: 'bearer' } },
      responses: {
        Refused: {
          description:
            '400 malformed, 401 no token of an operator, 403 another role is needed, 404 unknown, 409 not possible now, 413 too large, 503 not known',
          ...inJson(toOutput(operatorError)),
        },
      },
    },
  }
}

const describeRead = (name: string, [summary, answer, request]: Read) => ({
  operationId: name,
  summary,
  description: describeRole(`GET /operator/${name.replace('{intent}', ':intent')}`),
  parameters: [
    ...[...name.matchAll(/\{(\w+)\}/g)].map(([, part]) => ({
      name: part,
      in: 'path',
      required: true,
      schema: toInput(payments.paymentsQuery.shape[part as 'intent']),
    })),
    ...Object.entries(request?.shape ?? {}).map(([part, schema]) => ({
      name: part,
      in: 'query',
      required: false,
      schema: toInput(schema),
    })),
  ],
  responses: listResponses(
    answer === 'text/csv'
      ? { content: { [answer]: { schema: { type: 'string' } } } }
      : inJson(toOutput(answer)),
  ),
})

const describeAction = (
  name: string,
  summary: string,
  { request, answer }: Pick<DeclaredAction, 'request' | 'answer'>,
) => ({
  operationId: name,
  summary,
  description: describeRole(`POST /operator/${name}`),
  requestBody: { required: !request.safeParse(undefined).success, ...inJson(toInput(request)) },
  responses: listResponses(inJson(toOutput(answer))),
})

/** Says which role a route needs; of some its `action` decides. */
function describeRole(route: string): string {
  const needed = routeRoles[route as RouteName]
  if (typeof needed === 'string') return `Needs the role ${needed}.`
  const roles = Object.entries(needed).map(([action, role]) => `${role} to ${action}`)
  return `Needs the role ${roles.join(', and ')}.`
}

const listResponses = (content: object) => ({
  200: { description: 'Done, or told', ...content },
  default: { $ref: '#/components/responses/Refused' },
})

const inJson = (schema: JsonSchema) => ({ content: { 'application/json': { schema } } })
const toInput = (schema: z.ZodMiniType) => toJsonSchema(schema, 'input', 'draft-2020-12')
const toOutput = (schema: z.ZodMiniType) => toJsonSchema(schema, 'output', 'draft-2020-12')
