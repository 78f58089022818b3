import type { Ledger, SetBack, SetBackAnswer } from '../../relay/ledger/steps.ts'
import type { Relayer } from '../../relay/relayer.ts'
import type { PagePosition } from '../kept/backup.ts'
import type { Vitals, WholeLedger } from '../kept/steps.ts'
import type { ActionAnswer, ActionRequest } from '../schemas/actions.ts'
import type { ExportAnswer } from '../schemas/backup.ts'
import { otherSecrets } from './alias.ts'
import { type RefusedRequest, refuseRequest } from './caller.ts'

export type BackupOptions = {
  relayer: Pick<Relayer<WholeLedger>, 'ledger' | 'log'>
  /** Sets the ledger back to a former state; undefined if the store has no history. */
  setBack: ((to: SetBack) => Promise<SetBackAnswer>) | undefined
  identity: () => Promise<Parameters<Ledger['identify']>[0]>
  newId: () => string
}

/** Exports a page of what only operators know, and whose accounts it names. */
export async function answerExport(
  { relayer, identity }: BackupOptions,
  position: PagePosition,
  vitals: Vitals,
): Promise<ExportAnswer | RefusedRequest> {
  if (vitals.identity?.kind !== 'same') return otherSecrets
  const { next = null, ...kept } = await relayer.ledger.exportKept(position)
  return { ...(await nameAccounts(identity)), ...kept, next }
}

/** Imports such a page, if its accounts are those of this deployment and payments are paused. */
export async function answerImport(
  { relayer: { ledger, log }, identity, newId }: BackupOptions,
  { chainId, accountKey, ...kept }: ActionRequest<'import'>,
  vitals: Vitals,
): Promise<ActionAnswer<'import'> | RefusedRequest> {
  const own = await nameAccounts(identity)
  const isOfOther = chainId !== own.chainId || accountKey !== own.accountKey
  if (isOfOther || vitals.identity?.kind !== 'same') {
    return refuseRequest(409, 'the export has another chain or account secret')
  }
  const imported = await ledger.importKept(newId(), kept)
  if (imported.kind === 'open') {
    return refuseRequest(409, 'payments are taken: pause them first')
  }
  const { added, refused } = imported
  log({ level: 'warn', event: 'operator.import', message: 'An operator imports an export' })
  return { added, refused }
}

/** Names the chain and the secret by which numbers lead to accounts. */
async function nameAccounts(identity: BackupOptions['identity']) {
  const { chainId, fingerprints } = await identity()
  return { chainId, accountKey: fingerprints.ACCOUNT_KEY_SECRET ?? '' }
}

export async function setLedgerBack(
  { relayer: { ledger, log }, setBack, newId }: BackupOptions,
  request: ActionRequest<'set-back'>,
): Promise<ActionAnswer<'set-back'> | RefusedRequest> {
  if (setBack === undefined) return refuseRequest(409, 'Redis has no history to set back to')
  const answer = await setBack('to' in request ? { time: Date.parse(request.to) } : request)
  if (answer.kind === 'refused') return refuseRequest(409, answer.reason)
  const { undo } = answer
  const message = `An operator set the ledger back; the bookmark ${undo} takes it back`
  log({ level: 'warn', event: 'operator.set-back', message })
  // Recorded afterwards, because setting back removes earlier records.
  await ledger.recordAction({ id: newId(), action: 'set-back', detail: { undo } })
  return { undo }
}
