import type { SetBack, SetBackAnswer } from '../../relay/ledger/port.ts'
import type { Relayer } from '../../relay/relayer.ts'
import type { ActionAnswer, ActionRequest } from '../schemas/actions.ts'
import { type RefusedRequest, refuseRequest } from './caller.ts'

export type BackupOptions = {
  relayer: Pick<Relayer, 'ledger' | 'log'>
  /** Sets the ledger back to a former state; undefined if the store has no history. */
  setBack: ((to: SetBack) => Promise<SetBackAnswer>) | undefined
  newId: () => string
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
