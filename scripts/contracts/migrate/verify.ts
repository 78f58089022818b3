import type { Chain } from '../../../src/chain/chains.ts'
import type { Debt, Moved } from '../loan-books.ts'
import { type Survey, sum, surveyPair } from './accounts.ts'
import { findTodo, type Migration, printOutside, showAmount, type Todo } from './plan.ts'
import type { Pair } from './records.ts'

/** Finds what speaks against that every account has moved, and that nothing was lost on the way. */
export async function verifyMigration(migration: Migration): Promise<string[]> {
  const { move } = migration
  const todo = await findTodo(migration)
  printOutside(migration, todo.outside)
  return [
    ...todo.tasks.map(({ state }) => `${state.address} has not moved`),
    ...todo.stuck.map(({ address, reason }) => `${address} has not moved: ${reason}`),
    // Loans are for forwarded callers, so who owes is a phone.
    ...todo.outside
      .filter(({ debt }) => debt !== undefined && !debt.isWrittenOff)
      .map(({ address }) => `${address} owes, and no given number fits: a number is missing`),
    ...debtFindings(todo.survey, move.from),
    ...(move.kind === 'pair'
      ? await verifyPair(migration, todo.survey, move.to)
      : verifySecret(migration, todo)),
  ]
}

async function verifyPair(migration: Migration, old: Survey, to: Pair): Promise<string[]> {
  const { client, chain, maxBlocks, log, phones } = migration
  const fresh = await surveyPair(client, to, { block: old.block, maxBlocks })
  const { moved, accounts } = old.books
  const { takenOver } = fresh.books
  for (const [what, sums] of Object.entries({ left: moved, arrived: takenOver })) {
    log(`${sums.size} accounts ${what} with ${sumsUp([...sums.values()], chain)}`)
  }
  const unequal = [...new Set([...moved.keys(), ...takenOver.keys()])].filter((address) => {
    const [one, other] = [moved.get(address), takenOver.get(address)]
    return ['wei', 'owedWei', 'times'].some((of) => one?.[of as 'wei'] !== other?.[of as 'wei'])
  })
  const unlisted = [...accounts].filter(
    ([address, { isListed }]) =>
      isListed && phones.has(address) && fresh.states.get(address)?.isListed !== true,
  )
  return [
    ...unequal.map((address) => `${address} left with something else than it arrived with`),
    ...unlisted.map(([address]) => `${address} is not listed: the creditor calls setBorrowers`),
    ...debtFindings(fresh, to),
  ]
}

function verifySecret({ chain, phones, log }: Migration, { survey }: Todo): string[] {
  const own = survey.books.passages.filter(({ from }) => phones.has(from))
  log(
    `${own.length} accounts passed on with ${sumsUp(
      own.map(({ amount, owed }) => ({ wei: amount, owedWei: owed })),
      chain,
    )}`,
  )
  log(`all balances together are ${showAmount(survey.balancesWei, chain)}`)
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

function sumsUp(all: readonly Pick<Moved, 'wei' | 'owedWei'>[], chain: Chain): string {
  const amount = showAmount(sum(all.map(({ wei }) => wei)), chain)
  return `${amount}, owing ${showAmount(sum(all.map(({ owedWei }) => owedWei)), chain)}`
}

/** Finds who does not owe what the events say, with the fee and by the date that they say. */
function debtFindings({ books, states }: Survey, { loan }: Pair): string[] {
  return [...states.values()]
    .filter(({ address, debt }) => !isSameDebt(debt, books.accounts.get(address)))
    .map(({ address }) => `${address} does not owe in ${loan} what the events say`)
}

function isSameDebt(one: Debt | undefined, other: Debt | undefined): boolean {
  if (!one?.owedWei || !other?.owedWei) return (one?.owedWei ?? 0n) === (other?.owedWei ?? 0n)
  return (['owedWei', 'feeRate', 'dueAt', 'isWrittenOff'] as const).every(
    (of) => one[of] === other[of],
  )
}
