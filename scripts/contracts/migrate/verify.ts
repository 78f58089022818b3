import { writeAmount } from '../../stack/report.ts'
import type { Debt } from '../loan-books.ts'
import type { Pair } from './open.ts'
import { printOutside, sumUp } from './plan.ts'
import { findTodo, type Migration, type Survey, surveyPair, type Todo } from './survey.ts'

/** Finds what speaks against that every account has moved, and that nothing was lost on the way. */
export async function verifyMigration(migration: Migration): Promise<string[]> {
  const { pair, to } = migration
  const todo = await findTodo(migration)
  printOutside(migration, todo.outside)
  return [
    ...todo.tasks.map(({ state }) => `${state.address} has not moved`),
    ...todo.stuck.map(({ address, reason }) => `${address} has not moved: ${reason}`),
    // Loans are for forwarded callers, so who owes is a phone.
    ...todo.outside
      .filter(({ owedWei, isWrittenOff }) => owedWei > 0n && !isWrittenOff)
      .map(({ address }) => `${address} owes, and no given number fits: a number is missing`),
    ...debtFindings(todo.survey, pair),
    ...(to === undefined
      ? verifyHeirs(migration, todo)
      : await verifyPair(migration, todo.survey, to)),
  ]
}

async function verifyPair(migration: Migration, old: Survey, to: Pair): Promise<string[]> {
  const { unit, log, phones } = migration
  const fresh = await surveyPair(migration, to, old.block)
  const { moved, accounts } = old.books
  const { takenOver } = fresh.books
  for (const [what, sums] of Object.entries({ left: moved, arrived: takenOver })) {
    log(`${sums.size} accounts ${what} with ${sumUp(sums.values(), unit)}`)
  }
  const unequal = [...new Set([...moved.keys(), ...takenOver.keys()])].filter((address) => {
    const [one, other] = [moved.get(address), takenOver.get(address)]
    return (['balanceWei', 'owedWei', 'times'] as const).some((of) => one?.[of] !== other?.[of])
  })
  const unlisted = [...accounts].filter(
    ([address, { isListed }]) =>
      isListed && phones.has(address) && fresh.states.get(address)?.isListed !== true,
  )
  const unlimited = [...accounts].filter(
    ([address, { limitWei }]) =>
      limitWei > 0n &&
      phones.has(address) &&
      fresh.books.accounts.get(address)?.limitWei !== limitWei,
  )
  return [
    ...unequal.map((address) => `${address} left with something else than it arrived with`),
    ...unlisted.map(([address]) => `${address} is not listed: the creditor calls setBorrowers`),
    ...unlimited.map(
      ([address, { limitWei }]) =>
        `${address} had a limit of ${writeAmount(limitWei, unit)}: the creditor calls setBorrowerLimits`,
    ),
    ...debtFindings(fresh, to),
  ]
}

function verifyHeirs({ unit, phones, log }: Migration, { survey }: Todo): string[] {
  const own = survey.books.passages.filter(({ from }) => phones.has(from))
  const passed = own.map(({ amount, owed }) => ({ balanceWei: amount, owedWei: owed }))
  log(`${own.length} accounts passed on with ${sumUp(passed, unit)}`)
  log(`all balances together are ${writeAmount(survey.balancesWei, unit)}`)
  const strange = own.filter(({ from, to }) => phones.get(from)?.heir?.address !== to)
  const unlisted = [...survey.states.values()].filter(
    ({ address, isListed }) => isListed && phones.has(address),
  )
  return [
    ...strange.map(({ from, to }) => `${from} was passed to ${to}, which no given number fits`),
    ...unlisted.map(({ address }) => {
      const heir = phones.get(address)?.heir?.address
      return `${address} is still listed: the creditor calls setBorrowers for ${heir}`
    }),
  ]
}

/** Finds who does not owe what the events say, with the fee and by the date that they say. */
function debtFindings({ books, states }: Survey, { loan }: Pair): string[] {
  return [...states.values()]
    .filter((state) => !isSameDebt(state, books.accounts.get(state.address)))
    .map(({ address }) => `${address} does not owe in ${loan} what the events say`)
}

function isSameDebt(one: Debt, other: Debt | undefined): boolean {
  if (one.owedWei === 0n) return (other?.owedWei ?? 0n) === 0n
  return (['owedWei', 'feeRate', 'dueAt', 'isWrittenOff'] as const).every(
    (of) => one[of] === other?.[of],
  )
}
