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
 *
 * @throws {Error} the terms of a loan could not be read
 */
export async function askAt(parts: AskParts, place: Place): Promise<Screen> {
  const { context } = parts
  const node = context.menu[place.name]
  const wanted = node.kind === 'list' ? (node.facts ?? []) : []
  if (wanted.length === 0) return goOn(promptOf(place, context))
  const account = await parts.account()
  const mayDial = parts.mayDial(account)
  if (wanted.includes('terms')) {
    return mayDial ? askForLoan(parts, place, account) : end(context.say.tooManyDials)
  }
  return goOn(promptOf(place, context, mayDial ? await debtOf(parts, account) : {}))
}

/** What is owed from when a loan is taken, where none is. */
async function askForLoan(parts: AskParts, place: Place, account: Address): Promise<Screen> {
  const { context, loan } = parts
  const [{ owedWei }, terms] = await Promise.all([loan.debt(account), loan.terms()])
  if (owedWei > 0n) {
    const refusal = { reason: 'existing_loan', owedWei } as const
    return end(context.say.refused(refusal, context.amountOf, 'loan'))
  }
  const { principalWei, termSeconds } = terms
  const dueAt = Math.floor(parts.now() / 1_000) + termSeconds
  return goOn(promptOf(place, context, { terms: { principalWei, dueAt } }))
}

async function debtOf({ loan, log }: AskParts, account: Address): Promise<Facts> {
  try {
    return { debt: await loan.debt(account) }
  } catch (error) {
    log({ level: 'warn', event: 'debt.unread', message: faultOf(error) })
    return {}
  }
}
