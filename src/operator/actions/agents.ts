import * as z from 'zod/mini'
import { drawDigits, isTillNumber } from '../../account/check-digit.ts'
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
  async run({ relayer: { ledger }, nameAction }, { address: account }, { name, kind }) {
    const knownTill = (await ledger.listTills()).find(
      (each) => each.account === account && each.name === name && each.kind === kind,
    )
    if (knownTill !== undefined) return knownTill
    for (let attempt = 0; attempt < 40; attempt++) {
      const number = drawDigits(attempt < 20 ? 5 : 6)
      if (!isTillNumber(number)) continue
      const to = { account, name, kind }
      const assigned = await ledger.setTill({ id: nameAction(), till: number, to })
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
