import type { ExportPage, ExportPosition } from '../../relay/ledger/backup/export-format.ts'
import type {
  Identity,
  RestoreAnswer,
  RestoreBegun,
  SetBack,
  SetBackAnswer,
} from '../../relay/ledger/port.ts'
import type { Relayer } from '../../relay/relayer.ts'
import type { ActionAnswer, ActionRequest } from '../schemas/actions.ts'
import type { ExportAnswer } from '../schemas/restore.ts'
import { type RefusedRequest, refuseRequest } from './caller.ts'

export type RestoreOptions = {
  relayer: Pick<Relayer, 'ledger' | 'log'>
  identity: () => Promise<Identity>
  /** Sets the ledger back to a former state; undefined if the store has no history. */
  setBack: ((to: SetBack) => Promise<SetBackAnswer>) | undefined
  newId: () => string
}

export function createRestoreActions({ relayer, identity, newId, setBack }: RestoreOptions) {
  const { ledger, log } = relayer
  const logRestore = (message: string) => log({ level: 'warn', event: 'operator.restore', message })

  async function exportPage(position: ExportPosition): Promise<ExportAnswer | RefusedRequest> {
    const page = await ledger.exportPage(await identity(), position)
    if (page.kind !== 'page') return conflict(describeExportRefusal(page))
    const { head, entries, next = null } = page
    return { head, entries, next }
  }

  return {
    exportPage,
    restoreActions: {
      async 'restore/begin'({ head, adds }: ActionRequest<'restore/begin'>) {
        const request = { id: newId(), head, identity: await identity(), adds }
        const beginning = await ledger.beginRestore(request)
        if (beginning.kind !== 'begun') return conflict(describeBeginRefusal(beginning))
        logRestore('An operator restores the ledger: no session is decided')
        return { added: 0, kept: 0 }
      },
      async 'restore/entries'({ exportedAt, entries }: ActionRequest<'restore/entries'>) {
        return toRestoreAnswer(await ledger.restore(exportedAt, entries))
      },
      async 'restore/end'({ exportedAt }: ActionRequest<'restore/end'>) {
        const ended = await ledger.endRestore(exportedAt)
        if (ended.kind === 'restored') logRestore('The ledger is restored')
        return toRestoreAnswer(ended)
      },
      async 'set-back'(request: ActionRequest<'set-back'>) {
        if (setBack === undefined) return conflict('Redis has no history to set back to')
        const answer = await setBack('to' in request ? { time: Date.parse(request.to) } : request)
        if (answer.kind === 'refused') return conflict(answer.reason)
        const { undo } = answer
        logRestore(`An operator set the ledger back; the bookmark ${undo} takes it back`)
        // Recorded afterwards, because setting back removes earlier records.
        await ledger.recordAction({ id: newId(), action: 'set-back', detail: { undo } })
        return { undo }
      },
    },
  }
}

const conflict = (error: string) => refuseRequest(409, error)

const toRestoreAnswer = ({
  kind,
  ...answer
}: RestoreAnswer): ActionAnswer<'restore/end'> | RefusedRequest =>
  'added' in answer ? answer : conflict('no restore of this export is under way')

const describeExportRefusal = (refusal: Exclude<ExportPage, { kind: 'page' }>): string =>
  refusal.kind === 'unused_ledger'
    ? 'the ledger is empty: it has never been used'
    : `the ledger was begun with other values of: ${refusal.names.join(', ')}`

function describeBeginRefusal(beginning: Exclude<RestoreBegun, { kind: 'begun' }>): string {
  switch (beginning.kind) {
    case 'other_schema':
      return `the export has another schema than this version, which has ${beginning.schema}`
    case 'other_ledger':
      return `the export is of another ledger: it differs in ${beginning.names.join(', ')}`
    case 'other_restore':
      return 'another export is being restored: restore that one to its end, or resume'
    case 'in_use': {
      const open = beginning.isOpen ? ['has payments that are open'] : []
      const newer = beginning.isNewer ? ['is newer than the export'] : []
      return `the ledger ${[...open, ...newer].join(' and ')}: say that the export is to be added to it`
    }
  }
}
