import type { Address } from 'viem'
import type { Draft, StepContext } from '../draft.ts'
import { addGatewayCounts, type GatewayCounts } from '../payments/counts.ts'
import { listPhasePayments } from '../payments/payment-states.ts'
import { readQueue, readRelayerTotals } from '../payments/totals.ts'
import { reads, writes } from '../port.ts'
import { openPhases } from '../transitions.ts'
import { forgetDeploymentFacts } from './chain.ts'
import { readIntake } from './operations.ts'

/**
 * Identifies the deployment that rows belong to, by the variables of its environment: fingerprints
 * of secrets, and addresses. The relayer's key and the forwarder may change while nothing is open;
 * the account secret only to one that a drain has named.
 */
export type Identity = { chainId: number; fingerprints: Readonly<Record<string, string>> }

/** Lists the variables that may change while nothing is open. */
const movableIdentity: readonly string[] = ['FORWARDER_ADDRESS', 'RELAYER_MNEMONIC']

/** Maps accounts to those of numbers' former forms; the last call has `kept`, the total. */
type Renumbering = {
  numbering: string
  accounts: readonly (readonly [present: Address, former: Address])[]
  kept?: number | undefined
}

type Renumbered =
  /** `refused` lists accounts that have paid, or have another former account already. */
  | { kind: 'renumbered'; refused: Address[] }
  /** Means that the ledger uses this table now, and has to be paused first. */
  | { kind: 'serving' }

export type Identified = { kind: 'same' } | { kind: 'different'; names: string[] }

/** Tells whether any work is open. It reads rows that every step writes which opens work. */
function isAnythingOpen({ rows, relayer }: StepContext): boolean {
  // This process may have another key than the ledger.
  const knownRelayer = rows.row('meta', 'identity.RELAYER_MNEMONIC')?.value ?? relayer
  if (readRelayerTotals(rows, knownRelayer).open.length + readQueue(rows).waiting > 0) return true
  return openPhases.some((phase) => listPhasePayments(rows, phase, 1).length > 0)
}

/** Returns the values of an identity that the ledger does not have, by name. */
function listChangedValues({ rows }: StepContext, { chainId, fingerprints }: Identity) {
  const values = Object.entries({ chain: `${chainId}`, ...fingerprints })
  return values.filter(([name, value]) => rows.row('meta', `identity.${name}`)?.value !== value)
}

/** Returns the values of an identity for which the ledger has another value, by name. */
function listConflictingValues(step: StepContext, identity: Identity): [string, string][] {
  const isKnown = (name: string) => step.rows.row('meta', `identity.${name}`) !== undefined
  return listChangedValues(step, identity).filter(
    // A ledger of version 1.0 names no unit, and counts the currency.
    ([name, value]) =>
      isKnown(name) || (name === 'UNIT' && value.startsWith('0x') && isKnown('chain')),
  )
}

export const describeDifferences = (step: StepContext, identity: Identity): string[] =>
  listConflictingValues(step, identity).map(([name]) => name)

/**
 * Tells whether a relay has another identity than the ledger, where no round would find its
 * payments, or another key than the store's process, which signs: they do not restart together.
 */
export function isOfOtherDeployment(step: StepContext, identity: Identity | undefined): boolean {
  if (identity === undefined) return false
  const { RELAYER_MNEMONIC: key = step.relayer } = identity.fingerprints
  return key !== step.relayer || describeDifferences(step, identity).length > 0
}

/** Allows key and forwarder to change, and the account secret only to one that a drain names. */
function mayChange({ rows }: StepContext, name: string, value: string): boolean {
  if (movableIdentity.includes(name)) return true
  const intake = readIntake(rows)
  const isNext = intake.kind === 'draining' && intake.nextAccountKey === value
  return name === 'ACCOUNT_KEY_SECRET' && isNext
}

export function checkIdentity(step: StepContext, identity: Identity): Identified {
  const names = listConflictingValues(step, identity)
    .filter(([name, value]) => !mayChange(step, name, value) || isAnythingOpen(step))
    .map(([name]) => name)
  return names.length > 0 ? { kind: 'different', names } : { kind: 'same' }
}

/** Tells whether the ledger has another forwarder or relayer's key than this identity. */
export function hasMoved(step: StepContext, identity: Identity): boolean {
  return listConflictingValues(step, identity).some(([name]) => movableIdentity.includes(name))
}

function identify(step: StepContext, identity: Identity, counted?: GatewayCounts): Identified {
  const check = checkIdentity(step, identity)
  // A refusal leaves every value as it was.
  if (check.kind === 'different') return check
  if (hasMoved(step, identity)) forgetDeploymentFacts(step)
  for (const [name, value] of listChangedValues(step, identity)) {
    step.rows.put('meta', { name: `identity.${name}`, value })
  }
  addGatewayCounts(step.rows, counted)
  return check
}

const numberingRow = 'identity.NUMBERING'

export function renumber(
  { rows }: StepContext,
  { numbering, accounts, kept }: Renumbering,
): Renumbered {
  const isServing = rows.row('meta', numberingRow)?.value === numbering
  if (isServing && readIntake(rows).kind === 'open') return { kind: 'serving' }
  const refused = keepFormerAccounts(rows, accounts)
  if (kept !== undefined) rows.put('meta', { name: numberingRow, value: numbering })
  return { kind: 'renumbered', refused }
}

/** Keeps former accounts, and returns those of numbers that have paid or keep another. */
export function keepFormerAccounts(rows: Draft, accounts: Renumbering['accounts']): Address[] {
  const refused: Address[] = []
  for (const [present, former] of accounts) {
    const account = present.toLowerCase()
    const alias = rows.row('aliases', account)
    const [paid] = rows.list({ table: 'payments', list: 'account', group: present, limit: 1 })
    if (alias === undefined && paid === undefined) {
      rows.put('aliases', { account, former, kept_at: rows.now })
    } else if (alias?.former !== former) refused.push(present)
  }
  return refused
}

export const identitySteps = {
  /**
   * Adopts this identity, or refuses one that the ledger must not continue with. Then records the
   * gateways' counts.
   */
  identify: writes(identify),
  /** Returns the account that a number had in its former form, if the ledger has one. */
  findFormerAccount: reads(
    ({ rows }, account: Address) =>
      rows.row('aliases', account.toLowerCase())?.former as Address | undefined,
  ),
}
