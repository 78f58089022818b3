/** Waits for all values of an object, as `Promise.all` does for those of a list. */
export async function waitForAll<Work extends object>(work: Work) {
  const values = await Promise.all(Object.values(work))
  const entries = Object.keys(work).map((name, index) => [name, values[index]])
  return Object.fromEntries(entries) as { [Name in keyof Work]: Awaited<Work[Name]> }
}
