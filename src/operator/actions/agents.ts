import * as z from 'zod/mini'
import { drawDigits, isTillNumber } from '../../account/check-digit.ts'
import { nameTillSubject } from '../kept/tills.ts'
import { phone, till } from '../schemas/fields.ts'
import { action, callerAction, refuseRequest } from './action.ts'

export const listAgents = action({
  request: z.unknown(),
  answer: z.object({ agents: z.array(till) }),
  run: async ({ relayer }) => ({ agents: await relayer.ledger.listTills() }),
})

/** Assigns a till to a number's account, or returns its till of the same name and kind. */
export const addAgent = callerAction({
  request: z.extend(z.pick(till, { name: true, kind: true }), { phone }),
  answer: till,
  async run({ relayer: { ledger }, nameAction, smsSeals }, { phone, address: account }, request) {
    const { name, kind } = request
    const number = await smsSeals?.sealNumber(phone, nameTillSubject(account))
    const to = { account, name, kind, number }
    const knownTill = (await ledger.listTills()).find(
      (each) => each.account === account && each.name === name && each.kind === kind,
    )
    if (knownTill !== undefined)
      return (await ledger.setTill({ id: nameAction(), till: knownTill.till, to })) ?? knownTill
    for (let attempt = 0; attempt < 40; attempt++) {
      const digits = drawDigits(attempt < 20 ? 5 : 6)
      if (!isTillNumber(digits)) continue
      const assigned = await ledger.setTill({ id: nameAction(), till: digits, to })
      if (assigned?.account === account) return assigned
    }
    return refuseRequest(409, 'no free till was found: try again')
  },
})

/** Removes a till; payments on their way to the till still arrive. */
export const removeAgent = action({
  request: z.pick(till, { till: true }),
  answer: till,
  async run({ relayer: { ledger }, nameAction }, request) {
    const existing = await ledger.findTill(request.till)
    if (existing === undefined) return refuseRequest(404, 'no account has this till')
    await ledger.setTill({ id: nameAction(), till: request.till })
    return existing
  },
})
