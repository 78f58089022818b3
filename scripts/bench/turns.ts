/** Which target's turn it is: the order turns with each round, so that nobody always follows the same. */
export async function takeTurns<Name extends string, Taken>(
  names: readonly Name[],
  rounds: number,
  take: (name: Name) => Promise<Taken>,
): Promise<Record<Name, Taken[]>> {
  const taken = Object.fromEntries(names.map((name) => [name, [] as Taken[]])) as unknown as Record<
    Name,
    Taken[]
  >
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      taken[name].push(await take(name))
    }
  }
  return taken
}
