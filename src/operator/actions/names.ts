import * as z from 'zod/mini'
import { shortenName } from '../../account/names.ts'
import { hexAddress, phone } from '../schemas/fields.ts'
import { callerAction, recordInAudit, refuseRequest } from './action.ts'

/**
 * Offers a verified name to its holder, whom payers see once the holder agrees; null takes all
 * names of an account away. Neither the audit nor the log has the name.
 */
export const verifyName = callerAction({
  request: z.object({ phone, name: z.nullable(z.string().check(z.maxLength(100))) }),
  /** Holds the name as payers see it. */
  answer: z.object({ account: hexAddress, name: z.nullable(z.string()) }),
  async run(options, { address: account }, { name: given }) {
    const name = given === null ? null : shortenName(given)
    if (name === undefined)
      return refuseRequest(400, 'a name has letters alone, 2 to 15 in the first word')
    if (name !== null && !options.recipientNames) {
      return refuseRequest(409, 'RECIPIENT_NAMES is off')
    }
    await recordInAudit(options, name === null ? 'remove-name' : 'verify-name', { account })
    await options.names.verify(account, name)
    return { account, name }
  },
})
