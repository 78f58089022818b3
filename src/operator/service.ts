import { formatUnits, type Hex, parseUnits } from 'viem'
import { parseCaller } from '../account/phone.ts'
import type { Relayer } from '../relay/relayer.ts'
import { cached } from '../runtime/cached.ts'
import { describeFault } from '../runtime/log.ts'
import { addAgent, listAgents, removeAgent } from './actions/agents.ts'
import { type AliasOptions, badNumber, keepAccounts, otherSecrets } from './actions/alias.ts'
import { answerExport, answerImport, type BackupOptions, setLedgerBack } from './actions/backup.ts'
import {
  type Caller,
  changePinState,
  depositFor,
  holdAccount,
  lookUpCaller,
  type RefusedRequest,
  refuseRequest,
  traceSession,
} from './actions/caller.ts'
import { type CashOutOptions, cashOutFor } from './actions/cash-out.ts'
import { findByText } from './actions/find.ts'
import { readLoans, writeLoansCsv } from './actions/loans.ts'
import { outbidNonce } from './actions/outbid.ts'
import { erasePerson, exportPerson } from './actions/person.ts'
import { postTestAlert, type TestAlertOptions } from './actions/test-alert.ts'
import { changeWallets, issueWalletCode } from './actions/wallets.ts'
import { listCurrentAlerts } from './alerting/alerts.ts'
import { describeHealth, describeSilence, type HealthData, type KnownHealthData } from './health.ts'
import { type IntakeSetting, intakeActions } from './kept/audit.ts'
import type { PagePosition } from './kept/backup.ts'
import type { WholeLedger } from './kept/steps.ts'
import type { PaymentTrace } from './kept/takings.ts'
import { writeMetrics } from './metrics.ts'
import { toAlert, toIso, toPaymentDetails, toPaymentSummary } from './records.ts'
import type { ActionAnswer, ActionName, ActionRequest } from './schemas/actions.ts'
import { describeIntake, describeStatus, type RelayerNonces } from './status.ts'

export type Operator = ReturnType<typeof createOperator>

/** Reports that the ledger gave no answer, so that nothing was done. */
export class LedgerSilent extends Error {
  override readonly name = 'LedgerSilent'
}

export type OperatorOptions = CashOutOptions &
  AliasOptions &
  BackupOptions &
  TestAlertOptions & {
    relayer: Relayer<WholeLedger>
    readCondition: () => Promise<HealthData>
    /** Returns a condition that may be a second old. */
    readSharedCondition: () => Promise<HealthData>
  }

type Actions = {
  [Key in ActionName]: (request: ActionRequest<Key>) => Promise<ActionAnswer<Key> | RefusedRequest>
}

const nodeTimeoutMs = 3_000
/** Limits the age of the relayer's nonces in a status, in ms. */
const noncesTtlMs = 5_000
const maxAuditEntries = 200

export function createOperator(options: OperatorOptions) {
  const { relayer, newId } = options
  const { ledger, log } = relayer

  async function readKnownHealth(): Promise<KnownHealthData> {
    const { vitals, store, ...rest } = await options.readCondition()
    if (vitals === undefined) throw new LedgerSilent(describeSilence(store))
    return { vitals, ...rest }
  }

  /** Runs an action on a number's account, if the ledger began with the same secrets. */
  const runForCaller =
    <Request extends { phone: string }, Answer>(
      act: (options: OperatorOptions, caller: Caller, request: Request) => Promise<Answer>,
    ) =>
    async (request: Request): Promise<Answer | RefusedRequest> => {
      const { vitals } = await readKnownHealth()
      const phone = parseCaller(request.phone.trim(), options.country)
      if (phone === undefined) return badNumber
      if (vitals.identity?.kind !== 'same') return otherSecrets
      return await act(options, { phone, account: await options.accounts(phone) }, request)
    }

  async function setIntake(kind: IntakeSetting, nextAccountKey?: string) {
    // Opening deletes the next secret that a drain named, so the ledger compares it before that.
    if (kind === 'open') await ledger.identify(await options.identity())
    const intake = await ledger.setIntake(kind, newId(), nextAccountKey)
    const message = `An operator changed the intake: ${intakeActions[kind]}`
    log({ level: 'warn', event: 'operator.intake', message })
    const { nonces, carried, mined, queued, stuck } = await ledger.readWork()
    const open = carried.length + mined.length + queued.length + stuck.length
    return { intake: describeIntake(intake, nonces.length + open > 0), open }
  }

  const act: Actions = {
    pause: () => setIntake('paused'),
    resume: () => setIntake('open'),
    drain: ({ nextAccountKey }) => setIntake('draining', nextAccountKey),
    async outbid({ nonce }) {
      await ledger.recordAction({ id: newId(), action: 'outbid', detail: { nonce: `${nonce}` } })
      const message = 'An operator outbids a nonce'
      log({ level: 'warn', event: 'operator.outbid', message, nonce })
      return await outbidNonce(relayer, nonce)
    },
    async rate({ price }) {
      const accepted = await ledger.acceptRate(newId(), parseUnits(price, 6))
      if (accepted === undefined) return refuseRequest(404, 'no feed has offered a price yet')
      log({ level: 'warn', event: 'operator.rate', message: 'An operator accepts a price', price })
      return { currency: accepted.currency, price: formatUnits(BigInt(accepted.micros), 6) }
    },
    lookup: runForCaller(lookUpCaller),
    find: async (request) => findByText(options, request, (await readKnownHealth()).vitals),
    session: runForCaller(traceSession),
    'person/export': runForCaller(exportPerson),
    'person/erase': runForCaller(erasePerson),
    hold: (request) => holdAccount(options, request),
    'cash-out': runForCaller(cashOutFor),
    deposit: runForCaller(depositFor),
    wallet: runForCaller(changeWallets),
    'test-alert': () => postTestAlert(options),
    agents: () => listAgents(options),
    'agents/add': runForCaller(addAgent),
    'agents/remove': (request) => removeAgent(options, request),
    'wallet-code': (request) => issueWalletCode(options, request),
    pin: runForCaller(changePinState),
    alias: async (request) => keepAccounts(options, request, (await readKnownHealth()).vitals),
    import: async (request) => answerImport(options, request, (await readKnownHealth()).vitals),
    'set-back': (request) => setLedgerBack(options, request),
  }

  const exportPage = async (position: PagePosition) =>
    answerExport(options, position, (await readKnownHealth()).vitals)
  return { act, exportPage, ...createReads(options, readKnownHealth) }
}

function createReads(options: OperatorOptions, readKnownHealth: () => Promise<KnownHealthData>) {
  const { deployment, relayer } = options
  const { ledger } = relayer
  const { chain } = deployment
  const readNonces = cached(relayer.clock, noncesTtlMs, () => readRelayerNonces(relayer))
  return {
    health: async () => describeHealth(await options.readSharedCondition()),
    status: async () => describeStatus(deployment, await readKnownHealth(), await readNonces()),
    /** Returns the status without asking a node, for pages that reload all day. */
    overview: async () =>
      describeStatus(deployment, await readKnownHealth(), { chain: null, pool: null }),
    metrics: async () => writeMetrics(deployment, await readKnownHealth()),
    async payments(query: Parameters<typeof ledger.readPage>[0]) {
      const { payments, next } = await ledger.readPage(query)
      return {
        payments: payments.map((record) => toPaymentSummary(chain, record)),
        next: next === undefined ? null : toIso(next),
      }
    },
    async payment(intent: Hex) {
      const trace = await ledger.tracePayment(intent)
      return trace && toPaymentDetails(chain, trace, await readGasUsed(relayer, trace))
    },
    async alerts() {
      const past = await ledger.listPastAlerts()
      return {
        alerts: listCurrentAlerts(await readKnownHealth(), deployment).map(toAlert),
        past: past.map(toAlert),
      }
    },
    loans: (query: Parameters<typeof readLoans>[1]) => readLoans(options, query),
    loansAsCsv: () => writeLoansCsv(options),
    async audit() {
      const entries = await ledger.listAudit(maxAuditEntries)
      return { entries: entries.map(({ id: _, at, ...entry }) => ({ ...entry, at: toIso(at) })) }
    },
  }
}

async function readRelayerNonces({ node, signer, clock }: Relayer): Promise<RelayerNonces> {
  const count = (upTo: 'latest' | 'pending') =>
    node.getTransactionCount(signer.address, clock.timeout(nodeTimeoutMs), upTo).catch(() => null)
  const [chain, pool] = await Promise.all([count('latest'), count('pending')])
  return { chain, pool }
}

/** Reads the gas used by a payment's transaction; undefined if unmined or without an answer. */
async function readGasUsed({ node, clock, log }: Relayer, { hash, block }: PaymentTrace) {
  if (hash === null || block === null) return undefined
  try {
    return (await node.getReceipt(hash, clock.timeout(nodeTimeoutMs)))?.gasUsed
  } catch (error) {
    log({ level: 'warn', event: 'gas.unknown', message: describeFault(error) })
    return undefined
  }
}
