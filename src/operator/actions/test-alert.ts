import * as z from 'zod/mini'
import { describeFault } from '../../runtime/log.ts'
import { action, recordInAudit, refuseRequest } from './action.ts'

const says = 'This is a test by an operator: nothing is the matter.'

/** Posts an alert that says to be a test, once, and tells whether the webhook took it. */
export const postTestAlert = action({
  request: z.unknown(),
  answer: z.object({ id: z.string(), says: z.string() }),
  async run(options) {
    const { clock, log } = options.relayer
    if (options.postNotice === undefined) return refuseRequest(409, 'no ALERT_WEBHOOK_URL is set')
    await recordInAudit(options, 'test-alert')
    const at = clock.now()
    const id = `test:${at}:raised`
    try {
      await options.postNotice({ id, name: 'test', kind: 'raised', says, raisedAt: at, at })
      return { id, says }
    } catch (error) {
      const message = describeFault(error)
      log({ level: 'warn', event: 'alert.untold', message, alert: 'test' })
      return refuseRequest(409, `the webhook did not take it: ${message}`)
    }
  },
})
