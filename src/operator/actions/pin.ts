import type { Memory } from '../../account/memory.ts'
import { maxTries, unlocked, withoutWish } from '../../account/pin.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import type { PinAnswer, PinRequest } from '../answers.ts'
import { isoOrNull } from '../records.ts'
import { type CallerOptions, callerBy, type RefusedRequest } from './caller.ts'

export type PinOptions = CallerOptions & { memory: Memory }

const actions = {
  unblock: { change: unlocked, message: 'An operator unblocks a caller' },
  'keep-pin': { change: withoutWish, message: 'An operator has a caller keep a PIN' },
} as const

/** Lets a caller spend again, or keep a PIN, once the audit has it. @throws {Error} no answer */
export async function tendPin(
  options: PinOptions,
  { phone, action }: PinRequest,
  vitals: Pick<Vitals, 'identity'>,
): Promise<PinAnswer | RefusedRequest> {
  const caller = await callerBy(options, phone, vitals)
  if ('error' in caller) return caller
  const { address } = caller.account
  const { relayer, memory, newId } = options
  const { change, message } = actions[action]
  await relayer.ledger.note({ id: newId(), action, detail: { account: address } })
  relayer.log({ level: 'warn', event: 'operator.pin', message })
  const { pin, isDormant = false } = await memory.change(address, change)
  return {
    account: address,
    isChosen: pin !== undefined,
    isBlocked: pin !== undefined && pin.tries >= maxTries,
    isDormant,
    replaceableAt: isoOrNull(pin?.replaceableAt),
  }
}
