/** How far the tests go that repeat one thing with other numbers. */
export type Depth = {
  /** All repetitions, as `npm run test:full` asks for; otherwise a sample of each. */
  isFull: boolean
  /** What the samples and everything else that is random are drawn from. */
  seed: number
}

/** Reads `TEST_FULL` and `SEED`; a seed that is drawn is put there for the processes to come. */
export function openDepth(environment: Record<string, string | undefined>): Depth {
  environment.SEED ||= `${Math.floor(Math.random() * 2 ** 31)}`
  const seed = Number(environment.SEED)
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new Error(`SEED has to be a whole number, and not "${environment.SEED}"`)
  }
  return { isFull: environment.TEST_FULL === '1', seed }
}

/** The line that every run begins with. */
export function describeDepth({ isFull, seed }: Depth): string {
  const again = `SEED=${seed} ${isFull ? 'npm run test:full' : 'npm test'}`
  return isFull
    ? `All repetitions, seed ${seed}. The same again: ${again}`
    : `A sample of each repetition, seed ${seed}. The same again: ${again}`
}
