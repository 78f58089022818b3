import * as z from 'zod/mini'

export const backupActions = {
  'set-back': {
    /** Holds a time of the last 30 days, or the bookmark that undoes an earlier call. */
    request: z.union([
      z.strictObject({ to: z.iso.datetime() }),
      z.strictObject({ bookmark: z.string().check(z.maxLength(200)) }),
    ]),
    /** Holds the bookmark that undoes this call. */
    answer: z.object({ undo: z.string() }),
    expected: 'the body has to be {"to": "<time in UTC>"}',
  },
}
