import type { Hex } from 'viem'
import * as z from 'zod/mini'
import { readMined } from '../relay/outcome/receipt.ts'
import { cached } from '../runtime/cached.ts'
import { withTimeLimit } from '../runtime/clock.ts'
import { describeFault } from '../runtime/log.ts'
import { describeLack, getNeededRole, routeRoles } from './access.ts'
import {
  type ActionOptions,
  type DeclaredAction,
  type RefusedRequest,
  refuseRequest,
} from './actions/action.ts'
import { answerExport } from './actions/backup.ts'
import { type ActionAnswer, type ActionName, actions } from './actions/list.ts'
import { readLoans, writeLoansCsv } from './actions/loans.ts'
import { listCurrentAlerts } from './alerting/alerts.ts'
import { describeHealth, describeSilence, type HealthData, type KnownHealthData } from './health.ts'
import { toActionId } from './kept/audit.ts'
import type { PagePosition } from './kept/backup.ts'
import { writeMetrics } from './metrics.ts'
import {
  isoOrNull,
  toAlert,
  toAuditEntry,
  toEventAnswer,
  toIso,
  toPaymentDetails,
  toPaymentSummary,
} from './records.ts'
import type { Actor } from './schemas/fields.ts'
import type { auditQuery } from './schemas/kept.ts'
import { describeStatus } from './status.ts'

export type Operator = ReturnType<typeof createOperator>

/** Reports that the ledger gave no answer, so that nothing was done. */
export class LedgerSilent extends Error {
  override readonly name = 'LedgerSilent'
}

export type OperatorOptions = Omit<ActionOptions, 'readVitals' | 'nameAction'> & {
  newId: () => string
  readCondition: () => Promise<HealthData>
  /** Returns a condition that may be a second old. */
  readSharedCondition: () => Promise<HealthData>
}

/** Parses a request, and acts on it if the actor may. No error repeats a value of the request. */
type Act = <Name extends ActionName>(
  actor: Actor,
  name: Name,
  request: z.input<(typeof actions)[Name]['request']>,
) => Promise<ActionAnswer<Name> | RefusedRequest>

const nodeTimeoutMs = 3_000
/** Limits the age of the relayer's nonce in a status, in ms. */
const nonceTtlMs = 5_000
const signInTimeoutMs = 2_000
const maxAuditEntries = 200
const maxReceived = 50

/** Creates what operators read and do. Each may throw `LedgerSilent`, or what a node did. */
export function createOperator(options: OperatorOptions) {
  async function readKnownHealth(): Promise<KnownHealthData> {
    const { vitals, store, ...rest } = await options.readCondition()
    if (vitals === undefined) throw new LedgerSilent(describeSilence(store))
    return { vitals, ...rest }
  }
  const shared = { ...options, readVitals: async () => (await readKnownHealth()).vitals }
  const act = async (actor: Actor, name: ActionName, request: unknown) => {
    const { request: schema, run }: DeclaredAction = actions[name]
    const parsed = schema.safeParse(request)
    if (!parsed.success) return refuseRequest(400, z.prettifyError(parsed.error))
    const { action = '' } = (parsed.data ?? {}) as { action?: string }
    const route = `POST /operator/${name}` as const
    const lack = describeLack(actor, route, action)
    if (lack !== undefined) return refuseRequest(403, lack)
    // Of other routes, what is called an action may be any text.
    const hasActions = typeof routeRoles[route] !== 'string'
    const looksUp = !hasActions && ['read', 'support'].includes(getNeededRole(route))
    const asked = { event: `operator.${name}`, ...(hasActions && { action }) }
    const message = `An operator acts: ${actor.name}`
    if (!looksUp) options.relayer.log({ level: 'warn', ...asked, message })
    const nameAction = (once = options.newId()) => toActionId(actor.name, once)
    return await run({ ...shared, nameAction }, parsed.data as never)
  }
  const record = (by: string, action: string, detail = {}) => {
    const id = toActionId(by, options.newId())
    return options.relayer.ledger.recordAction({ id, action, detail })
  }
  return {
    act: act as Act,
    recordKey: (by: string, action: string, hash: string) =>
      record(by, action, { key: hash.slice(0, 12) }),
    /** Records a sign-in; a silent ledger keeps nobody from reading that it is silent. */
    recordSignIn: (by: string) => {
      const { clock, log } = options.relayer
      const recorded = withTimeLimit(clock, signInTimeoutMs, record(by, 'sign-in'), () => {
        throw new LedgerSilent('the ledger gave no answer in time')
      })
      return recorded.catch((error: unknown) => {
        const message = `${by} signed in, and the audit may lack it: ${describeFault(error)}`
        log({ level: 'warn', event: 'audit.failed', message })
      })
    },
    exportPage: (position: PagePosition) => answerExport(shared, position),
    ...createReads(options, readKnownHealth),
  }
}

function createReads(options: OperatorOptions, readKnownHealth: () => Promise<KnownHealthData>) {
  const { deployment, relayer } = options
  const { ledger } = relayer
  const { chain, loan } = deployment
  const { node, signer, clock } = relayer
  const readNonce = cached(clock, nonceTtlMs, () =>
    node.getTransactionCount(signer.address, clock.timeout(nodeTimeoutMs)).catch(() => null),
  )
  const readStatus = async ({ name, role }: Actor, chainNonce: number | null) => ({
    ...describeStatus(deployment, await readKnownHealth(), chainNonce),
    you: { name, role },
  })
  return {
    health: async () => describeHealth(await options.readSharedCondition()),
    status: async (actor: Actor) => readStatus(actor, await readNonce()),
    /** Returns the status without asking a node, for pages that reload all day. */
    overview: (actor: Actor) => readStatus(actor, null),
    metrics: async () => writeMetrics(deployment, await readKnownHealth()),
    async payments(query: Parameters<typeof ledger.readPage>[0]) {
      const { payments, next } = await ledger.readPage(query)
      return {
        payments: payments.map((record) => toPaymentSummary(chain, record)),
        next: next === undefined ? null : toIso(next),
      }
    },
    async received(account: string) {
      const found = await ledger.findPayments(account, maxReceived)
      return found.map((record) => toPaymentSummary(chain, record))
    },
    async payment(intent: Hex) {
      const { recalls } = options.settings
      const trace = await ledger.tracePayment(intent, recalls)
      if (trace === undefined) return undefined
      const [mined, rate] = await Promise.all([readMined(relayer, trace, loan), options.readRate()])
      return toPaymentDetails(chain, trace, { ...mined, rate, recalls })
    },
    async alerts() {
      const past = await ledger.listPastAlerts()
      return {
        alerts: listCurrentAlerts(await readKnownHealth(), deployment).map(toAlert),
        past: past.map(toAlert),
        areTold: options.postNotice !== undefined,
      }
    },
    loans: (query: Parameters<typeof readLoans>[1]) => readLoans(options, query),
    loansAsCsv: () => writeLoansCsv(options, options.settings.timeZone),
    async events({ after, limit }: { after: number; limit: number }) {
      return { events: (await ledger.listEvents(after, limit)).map(toEventAnswer) }
    },
    async audit({ lookups, before }: z.output<typeof auditQuery>) {
      const query = { limit: maxAuditEntries, leavesOut: lookups === 'false', before }
      const { entries, next } = await ledger.listAudit(query)
      return { entries: entries.map(toAuditEntry), next: isoOrNull(next) }
    },
  }
}
