import type { Address } from 'viem'
import { opens, reads, writes } from '../../relay/ledger/port.ts'
import { parts } from '../../relay/ledger/steps.ts'
import type { Kept, KeptDraft, KeptRow } from './tables.ts'

/** Records an operator's action and its time (Unix time in ms). */
export type AuditEntry = KeptRow<'audit'>

export type IntakeSetting = Parameters<typeof parts.setIntake>[1]

type Renumbering = Parameters<typeof parts.renumber>[1] & { id: string }

/** Describes a session's change of a wallet: it adds that of a code, or cancels a replacement. */
type WalletChange = {
  /** Names the change; the message is sealed under this name in the place of a session. */
  id: string
  action: 'redeem-wallet' | 'cancel-wallet'
  account: Address
  wallet: Address
  /** Holds the message to the account's phone, sealed; undefined if none is sent. */
  sealed?: string | undefined
}

/** Returns the id of what an operator does: equal ids of two operators are two entries. */
export const toActionId = (by: string, id: string): string => `${by}/${id}`

/** Returns the operator of an entry; null for a caller, or of older versions. */
export const readActor = (id: string): string | null => /^([a-z0-9-]+)\//.exec(id)?.[1] ?? null

const intakeActions = { open: 'resume', paused: 'pause', draining: 'drain' } as const

const lookUps = ['lookup', 'session']

/** Records an operator's action once per id; `at` is given of one in another ledger. */
export function recordAction(
  rows: KeptDraft,
  { id, action, detail, at = rows.now }: Omit<AuditEntry, 'at'> & { at?: number },
): void {
  if (rows.row('audit', id) !== undefined) return
  rows.put('audit', { id, at: Math.min(at, rows.now), action, detail })
}

type AuditQuery = { limit: number; leavesOut?: boolean | undefined; before?: number | undefined }

/**
 * Lists a page of entries, the newest first, of about 500 that one step searches; the next one has
 * those before `next`.
 */
function listAudit({ rows }: Kept, { limit, leavesOut = false, before }: AuditQuery) {
  const listing = { table: 'audit', list: 'age', newest: true, ...(before && { before }) } as const
  const { matches, nextScore } = parts.searchPage(
    (most) => rows.list({ ...listing, limit: most }),
    'at',
    ({ action }) => !(leavesOut && lookUps.includes(action)),
  )
  const last = matches[limit - 1]
  // A page has all entries of a time, so that none is between two pages.
  const entries = last === undefined ? matches : matches.filter(({ at }) => at >= last.at)
  const next = entries.length < matches.length ? last?.at : nextScore && nextScore + 1
  return { entries, next }
}

export const auditSteps = {
  /** Records an operator's action once per id. An entry never holds a phone number. */
  recordAction: writes(({ rows }: Kept, entry: Omit<AuditEntry, 'at'>) => {
    recordAction(rows, entry)
    if (entry.action === 'set-back') parts.recordSetBack(rows)
  }),
  /** Returns a page of operators' actions, the newest first, also without look-ups. */
  listAudit: reads(listAudit),
  /** Sets whether new payments are accepted; a drain may name the next account secret. */
  setIntake: writes((step: Kept, kind: IntakeSetting, id: string, nextAccountKey?: string) => {
    const hasNextKey = kind === 'draining' && nextAccountKey !== undefined
    const detail: AuditEntry['detail'] = hasNextKey ? { next: 'ACCOUNT_KEY_SECRET' } : {}
    recordAction(step.rows, { id, action: intakeActions[kind], detail })
    return parts.setIntake(step, kind, nextAccountKey)
  }),
  /** Holds or releases an account: a held one begins no payment. */
  setHold: writes(
    (step: Kept, account: Address, mustHold: boolean, id: string, reason?: string) => {
      const detail = { account, ...(reason && { reason }) }
      recordAction(step.rows, { id, action: mustHold ? 'hold' : 'release', detail })
      return parts.setHold(step, account, mustHold, reason)
    },
  ),
  /** Accepts a price for the kept currency; undefined if none is kept. */
  acceptRate: writes((step: Kept, id: string, micros: bigint) => {
    const accepted = parts.acceptRate(step, micros)
    if (accepted === undefined) return undefined
    const detail = { currency: accepted.currency, micros: accepted.micros }
    recordAction(step.rows, { id, action: 'rate', detail })
    return accepted
  }),
  /**
   * Records accounts of former number forms, but not of numbers that have paid from their present
   * one, and adopts another table of forms.
   */
  renumber: writes((step: Kept, { id, ...renumbering }: Renumbering) => {
    const { numbering, kept } = renumbering
    const renumbered = parts.renumber(step, renumbering)
    if (renumbered.kind === 'renumbered' && kept !== undefined) {
      recordAction(step.rows, { id, action: 'alias', detail: { numbering, kept: `${kept}` } })
    }
    return renumbered
  }),
  /** Records once that a session changes a wallet, with the message that tells of it. */
  recordWalletChange: opens(({ rows }: Kept, change: WalletChange): void => {
    const { id, action, account, wallet, sealed } = change
    if (rows.row('audit', id) !== undefined) return
    recordAction(rows, { id, action, detail: { account, wallet } })
    if (sealed === undefined) return
    const message = { session: id, party: 'sender', sealed, tells: 'wallet' } as const
    rows.put('sms', { ...message, state: 'due', at: rows.now, attempts: 0 })
  }),
}
