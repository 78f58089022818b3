/** Tells how many repetitions the tests make that repeat one thing with other numbers. */
export type Depth = ReturnType<typeof openDepth>

/** Reads `TEST_FULL` and `SEED`; a drawn seed is set for the processes that follow. */
export function openDepth(environment: Record<string, string | undefined>) {
  environment.SEED ||= `${Math.floor(Math.random() * 2 ** 31)}`
  const seed = Number(environment.SEED)
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new Error(`SEED has to be a whole number, and not "${environment.SEED}"`)
  }
  return {
    /** Runs every repetition, as in `npm run test:full`; otherwise a sample of each. */
    isFull: environment.TEST_FULL === '1',
    /** The seed of the samples and of every other random choice. */
    seed,
  }
}

/** Returns the first line of every run. */
export function describeDepth({ isFull, seed }: Depth): string {
  const again = `SEED=${seed} ${isFull ? 'npm run test:full' : 'npm test'}`
  const what = isFull ? 'Runs every repetition' : 'Runs a sample of each repetition'
  return `${what} with seed ${seed}. To repeat this run: ${again}`
}
