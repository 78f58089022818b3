import * as z from 'zod/mini'
import type { PagePosition } from '../kept/backup.ts'
import { type ExportAnswer, exportedPage } from '../schemas/kept.ts'
import {
  type ActionOptions,
  action,
  otherSecrets,
  type RefusedRequest,
  recordInAudit,
  refuseRequest,
} from './action.ts'

/** Exports a page of what only operators know, and whose accounts it names. */
export async function answerExport(
  { relayer, identity, readVitals }: Omit<ActionOptions, 'nameAction'>,
  position: PagePosition,
): Promise<ExportAnswer | RefusedRequest> {
  const vitals = await readVitals()
  if (vitals.identity?.kind !== 'same') return otherSecrets
  const { next = null, ...kept } = await relayer.ledger.exportKept(position)
  return { ...(await nameAccounts(identity)), ...kept, next }
}

/** Imports such a page, if its accounts are those of this deployment and payments are paused. */
export const importPage = action({
  request: exportedPage,
  /** Counts the added rows, and lists tills and accounts that the ledger refused. */
  answer: z.object({ added: z.int(), refused: z.array(z.string()) }),
  async run(options, { chainId, accountKey, ...kept }) {
    const { ledger } = options.relayer
    const vitals = await options.readVitals()
    const own = await nameAccounts(options.identity)
    const isOfOther = chainId !== own.chainId || accountKey !== own.accountKey
    if (isOfOther || vitals.identity?.kind !== 'same') {
      return refuseRequest(409, 'the export has another chain or account secret')
    }
    const imported = await ledger.importKept(options.nameAction(), kept)
    if (imported.kind === 'open') {
      return refuseRequest(409, 'payments are taken: pause them first')
    }
    const { added, refused } = imported
    return { added, refused }
  },
})

/** Names the chain and the secret by which numbers lead to accounts. */
async function nameAccounts(identity: ActionOptions['identity']) {
  const { chainId, fingerprints } = await identity()
  return { chainId, accountKey: fingerprints.ACCOUNT_KEY_SECRET ?? '' }
}

export const setLedgerBack = action({
  /** Holds a time of the last 30 days, or the bookmark that undoes an earlier call. */
  request: z.union(
    [
      z.strictObject({ to: z.iso.datetime() }),
      z.strictObject({ bookmark: z.string().check(z.maxLength(200)) }),
    ],
    'the body has to be {"to": "<time in UTC>"}',
  ),
  /** Holds the bookmark that undoes this call. */
  answer: z.object({ undo: z.string() }),
  async run(options, request) {
    const { relayer, setBack } = options
    if (setBack === undefined) return refuseRequest(409, 'Redis has no history to set back to')
    const answer = await setBack('to' in request ? { time: Date.parse(request.to) } : request)
    if (answer.kind === 'refused') return refuseRequest(409, answer.reason)
    const { undo } = answer
    const message = `An operator set the ledger back; the bookmark ${undo} takes it back`
    relayer.log({ level: 'warn', event: 'operator.set-back', message })
    // Recorded afterwards, because setting back removes earlier records.
    await recordInAudit(options, 'set-back', { undo })
    return { undo }
  },
})
