import type { ExportPlace } from '../../relay/ledger/backup/export-format.ts'
import type {
  Identity,
  RestoreAnswer,
  RestoreBegun,
  SetBack,
  SetBackAnswer,
} from '../../relay/ledger/port.ts'
import type { Relayer } from '../../relay/relayer.ts'
import type { AskedOf, ExportAnswer, ToldOf } from '../answers.ts'
import { type RefusedRequest, refused } from './caller.ts'

export type RestoreOptions = {
  relayer: Pick<Relayer, 'ledger' | 'log'>
  identity: () => Promise<Identity>
  /** Sets the ledger back; undefined if the store keeps no history. */
  setBack: ((to: SetBack) => Promise<SetBackAnswer>) | undefined
  newId: () => string
}

export function createRestores({ relayer, identity, newId, setBack }: RestoreOptions) {
  const { ledger, log } = relayer
  const say = (message: string) => log({ level: 'warn', event: 'operator.restore', message })

  async function exported(place: ExportPlace): Promise<ExportAnswer | RefusedRequest> {
    const page = await ledger.exportPage(await identity(), place)
    if (page.kind === 'different') return conflict(whyNotExported(page.names))
    const { head, entries, next = null } = page
    return { head, entries, next }
  }

  return {
    exported,
    restoring: {
      async 'restore/begin'({ head, adds }: AskedOf<'restore/begin'>) {
        const restoring = { id: newId(), head, identity: await identity(), adds }
        const begun = await ledger.beginRestore(restoring)
        if (begun.kind !== 'begun') return conflict(whyNotBegun(begun))
        say('An operator restores the ledger: no session is decided')
        return { added: 0, kept: 0 }
      },
      async 'restore/entries'({ exportedAt, entries }: AskedOf<'restore/entries'>) {
        return restored(await ledger.restore(exportedAt, entries))
      },
      async 'restore/end'({ exportedAt }: AskedOf<'restore/end'>) {
        const ended = await ledger.endRestore(exportedAt)
        if (ended.kind === 'restored') say('The ledger is restored')
        return restored(ended)
      },
      async 'set-back'(asked: AskedOf<'set-back'>) {
        if (setBack === undefined) return conflict('Redis keeps no history')
        const answer = await setBack('to' in asked ? { time: Date.parse(asked.to) } : asked)
        if (answer.kind === 'refused') return conflict(answer.reason)
        const { undo } = answer
        say(`An operator set the ledger back; the bookmark ${undo} takes it back`)
        // Recorded in the restored ledger: what was written before is gone.
        await ledger.recordAction({ id: newId(), action: 'set-back', detail: { undo } })
        return { undo }
      },
    },
  }
}

const conflict = (error: string) => refused(409, error)

const restored = ({ kind, ...answer }: RestoreAnswer): ToldOf<'restore/end'> | RefusedRequest =>
  'added' in answer ? answer : conflict('no restore of this export is under way')

const whyNotExported = (names: readonly string[]): string =>
  names.length === 0
    ? 'the ledger was never begun: it holds nothing'
    : `the ledger was begun with other values of: ${names.join(', ')}`

function whyNotBegun(begun: Exclude<RestoreBegun, { kind: 'begun' }>): string {
  switch (begun.kind) {
    case 'other_schema':
      return `the export has another schema than this version, which has ${begun.schema}`
    case 'other_ledger':
      return `the export is of another ledger: it differs in ${begun.names.join(', ')}`
    case 'other_restore':
      return 'another export is being restored: restore that one to its end, or resume'
    case 'in_use': {
      const open = begun.isOpen ? ['has payments that are open'] : []
      const newer = begun.isNewer ? ['is newer than the export'] : []
      return `the ledger ${[...open, ...newer].join(' and ')}: say that the export is to be added to it`
    }
  }
}
