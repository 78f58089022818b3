import type { Address } from 'viem'
import type { StepContext } from '../draft.ts'
import { loadOrRebuildQueue } from '../payments/account-totals.ts'
import { readRelayer } from '../payments/nonces.ts'
import { listPhasePayments } from '../payments/payment-states.ts'
import type { Renumbered } from '../port.ts'
import {
  type GatewayCounts,
  type Identified,
  type Identity,
  movableIdentity,
  type Renumbering,
} from '../port.ts'
import { openPhases } from '../transitions.ts'
import { forgetSeen } from './chain.ts'
import { noteGateways } from './gateways.ts'
import { note, readIntake } from './operations.ts'

/** Tells whether any work is open; opening work writes a row that is read here. */
export function isAnythingOpen({ rows, relayer }: StepContext): boolean {
  // The key may have changed.
  const known = rows.row('meta', 'identity.RELAYER_MNEMONIC')?.value ?? relayer
  if (readRelayer(rows, known).open.length + loadOrRebuildQueue(rows).waiting > 0) return true
  return openPhases.some((phase) => listPhasePayments(rows, phase, 1).length > 0)
}

/** Returns the values of an identity that the ledger does not have. */
function listDifferent(
  { rows }: StepContext,
  { chainId, fingerprints }: Identity,
): [string, string][] {
  const told = Object.entries({ chain: `${chainId}`, ...fingerprints })
  return told.filter(([name, value]) => rows.row('meta', `identity.${name}`)?.value !== value)
}

/** Returns the values of an identity that the ledger has otherwise. */
function listConflicting(step: StepContext, identity: Identity): [string, string][] {
  return listDifferent(step, identity).filter(
    ([name]) => step.rows.row('meta', `identity.${name}`) !== undefined,
  )
}

export const describeDifferences = (step: StepContext, identity: Identity): string[] =>
  listConflicting(step, identity).map(([name]) => name)

/** Tells whether a payment has another key or forwarder than the ledger: rounds would miss it. */
export const isByOthers = (step: StepContext, identity: Identity | undefined): boolean =>
  identity !== undefined && describeDifferences(step, identity).length > 0

/** Allows key and forwarder to change, and the account secret only to one that a drain names. */
function mayChange({ rows }: StepContext, name: string, value: string): boolean {
  if (movableIdentity.includes(name)) return true
  const intake = readIntake(rows)
  const isNext = intake.kind === 'draining' && intake.nextAccountKey === value
  return name === 'ACCOUNT_KEY_SECRET' && isNext
}

/** Tells whether the ledger has this identity, or may adopt it. */
export function checkIdentity(step: StepContext, identity: Identity): Identified {
  const names = listConflicting(step, identity)
    .filter(([name, value]) => !mayChange(step, name, value) || isAnythingOpen(step))
    .map(([name]) => name)
  return names.length > 0 ? { kind: 'different', names } : { kind: 'same' }
}

/** Tells whether the ledger has another forwarder or key than these. */
export function hasMoved(step: StepContext, identity: Identity): boolean {
  return listConflicting(step, identity).some(([name]) => movableIdentity.includes(name))
}

/** Adopts an identity, if the ledger may, and then records the gateways' counts. */
export function identify(
  step: StepContext,
  identity: Identity,
  counted?: GatewayCounts,
): Identified {
  const same = checkIdentity(step, identity)
  // All or nothing: a refusal leaves every value as it was.
  if (same.kind === 'different') return same
  if (hasMoved(step, identity)) forgetSeen(step)
  for (const [name, value] of listDifferent(step, identity)) {
    step.rows.put('meta', { name: `identity.${name}`, value })
  }
  noteGateways(step.rows, counted)
  return same
}

const numberingRow = 'identity.NUMBERING'

/** Records former accounts, but not for a number that has paid from its present one. */
export function renumber(
  { rows }: StepContext,
  { id, numbering, accounts, kept }: Renumbering,
): Renumbered {
  const isServing = rows.row('meta', numberingRow)?.value === numbering
  if (isServing && readIntake(rows).kind === 'open') return { kind: 'serving' }
  const refused: Address[] = []
  for (const [present, former] of accounts) {
    const account = present.toLowerCase()
    const known = rows.row('aliases', account)
    const [paid] = rows.list({ table: 'payments', list: 'account', group: present, limit: 1 })
    if (known === undefined && paid === undefined) {
      rows.put('aliases', { account, former, kept_at: rows.now })
    } else if (known?.former !== former) refused.push(present)
  }
  if (kept !== undefined) {
    rows.put('meta', { name: numberingRow, value: numbering })
    note(rows, { id, action: 'alias', detail: { numbering, kept: `${kept}` } })
  }
  return { kind: 'renumbered', refused }
}

export const findFormerAccount = ({ rows }: StepContext, account: Address): Address | undefined =>
  rows.row('aliases', account.toLowerCase())?.former as Address | undefined
