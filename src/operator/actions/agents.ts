import { drawDigits, isTillNumber } from '../../account/check-digit.ts'
import type { ActionAnswer, ActionRequest } from '../schemas/actions.ts'
import { type Caller, type CallerOptions, type RefusedRequest, refuseRequest } from './caller.ts'

type AgentOptions = Pick<CallerOptions, 'relayer' | 'newId'>

export const listAgents = async ({ relayer }: AgentOptions): Promise<ActionAnswer<'agents'>> => ({
  agents: await relayer.ledger.listTills(),
})

/** Assigns a till to a number's account, or returns its till of the same name and kind. */
export async function addAgent(
  { relayer, newId }: AgentOptions,
  { account: { address: account } }: Caller,
  { name, kind }: ActionRequest<'agents/add'>,
): Promise<ActionAnswer<'agents/add'> | RefusedRequest> {
  const { ledger } = relayer
  const knownTill = (await ledger.listTills()).find(
    (till) => till.account === account && till.name === name && till.kind === kind,
  )
  if (knownTill !== undefined) return knownTill
  for (let attempt = 0; attempt < 40; attempt++) {
    const till = drawDigits(attempt < 20 ? 5 : 6)
    if (!isTillNumber(till)) continue
    const assigned = await ledger.setTill({ id: newId(), till, to: { account, name, kind } })
    if (assigned?.account === account) return assigned
  }
  return refuseRequest(409, 'no free till was found: try again')
}

/** Removes a till; payments on their way to the till still arrive. */
export async function removeAgent(
  { relayer, newId }: AgentOptions,
  { till }: ActionRequest<'agents/remove'>,
): Promise<ActionAnswer<'agents/remove'> | RefusedRequest> {
  const existing = await relayer.ledger.findTill(till)
  if (existing === undefined) return refuseRequest(404, 'no account has this till')
  await relayer.ledger.setTill({ id: newId(), till })
  return existing
}
