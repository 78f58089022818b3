import { describe } from 'vitest'

/** Runs the very tests of the Worker on Deno: `SERVED_BY` says who serves. */
export const onDeno = (what: string, load: () => Promise<unknown>) =>
  describe(`${what} on Deno with Redis`, async () => {
    await load()
  })
