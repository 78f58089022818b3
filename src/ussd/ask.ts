import type { Address } from 'viem'
import type { LoanReader } from '../loan/reader.ts'
import { faultOf, type Log } from '../runtime/log.ts'
import type { Facts, MenuContext } from './menu.ts'
import { end, goOn, type Screen } from './screen.ts'
import { type Place, promptOf } from './walk.ts'

export type AskParts = {
  context: MenuContext
  loan: Pick<LoanReader, 'debt' | 'terms'>
  account: () => Promise<Address>
  /** Whether an account may ask the chain once more at this time. */
  mayDial: (account: Address) => boolean
  /** Unix time in ms. */
  now: () => number
  log: Log
}

/**
 * The screen of a place, with what is read for it. A menu is shown without what could not be read; what a
 * caller agrees to is not.
 */
export async function askAt(parts: AskParts, place: Place): Promise<Screen> {
  const { context, loan } = parts
  const { say, menu, amountOf } = context
  const node = menu[place.name]
  const wanted = node.kind === 'list' ? (node.facts ?? []) : []
  if (wanted.length === 0) return goOn(promptOf(place, context))
  const account = await parts.account()
  const mayDial = parts.mayDial(account)
  const debt = mayDial ? await debtOf(parts, account) : undefined
  const facts: Facts = debt === undefined ? {} : { debt }
  if (!wanted.includes('terms')) return goOn(promptOf(place, context, facts))
  if (!mayDial) return end(say.tooManyDials)
  if (debt === undefined) return end(say.unavailable)
  if (debt.owedWei > 0n) {
    return end(say.refused({ reason: 'existing_loan', owedWei: debt.owedWei }, amountOf, 'loan'))
  }
  const { principalWei, termSeconds } = await loan.terms()
  const dueAt = Math.floor(parts.now() / 1_000) + termSeconds
  return goOn(promptOf(place, context, { ...facts, terms: { principalWei, dueAt } }))
}

async function debtOf({ loan, log }: AskParts, account: Address): Promise<Facts['debt']> {
  try {
    return await loan.debt(account)
  } catch (error) {
    log({ level: 'warn', event: 'debt.unread', message: faultOf(error) })
    return undefined
  }
}
