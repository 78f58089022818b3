import { drawDigits, isTill } from '../../account/check-digit.ts'
import type { AskedOf, ToldOf } from '../answers.ts'
import { type Caller, type CallerOptions, type RefusedRequest, refused } from './caller.ts'

type AgentOptions = Pick<CallerOptions, 'relayer' | 'newId'>

export const listAgents = async ({ relayer }: AgentOptions): Promise<ToldOf<'agents'>> => ({
  agents: await relayer.ledger.listTills(),
})

/** Gives a number's account a till; an existing one of this name stays. */
export async function addAgent(
  { relayer, newId }: AgentOptions,
  { account: { address: account } }: Caller,
  { name, kind }: AskedOf<'agents/add'>,
): Promise<ToldOf<'agents/add'> | RefusedRequest> {
  const { ledger } = relayer
  const known = (await ledger.listTills()).find(
    (till) => till.account === account && till.name === name && till.kind === kind,
  )
  if (known !== undefined) return known
  for (let attempt = 0; attempt < 40; attempt++) {
    const till = drawDigits(attempt < 20 ? 5 : 6)
    if (!isTill(till)) continue
    const given = await ledger.setTill({ id: newId(), till, to: { account, name, kind } })
    if (given?.account === account) return given
  }
  return refused(409, 'no free number was found: ask again')
}

/** Removes a till; payments that were already sent to it arrive. */
export async function removeAgent(
  { relayer, newId }: AgentOptions,
  { till }: AskedOf<'agents/remove'>,
): Promise<ToldOf<'agents/remove'> | RefusedRequest> {
  const known = await relayer.ledger.findTill(till)
  if (known === undefined) return refused(404, 'nobody has this number')
  await relayer.ledger.setTill({ id: newId(), till })
  return known
}
