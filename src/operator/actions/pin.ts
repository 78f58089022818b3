import type { Memory } from '../../account/memory.ts'
import { maxTries, unlocked, withoutWish } from '../../account/pin.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import type { PinAnswer, PinRequest } from '../answers.ts'
import { isoOf } from '../records.ts'
import { type CallerOptions, callerBy, type NoCaller } from './caller.ts'

export type PinTended = ({ kind: 'done' } & PinAnswer) | NoCaller

export type PinOptions = CallerOptions & { memory: Memory }

const actions = {
  unblock: { change: unlocked, message: 'An operator unblocks a caller' },
  'keep-pin': { change: withoutWish, message: 'An operator has a caller keep a PIN' },
} as const

/**
 * What a caller asks for who has shown who they are: to spend again, or that a forgotten PIN is not replaced.
 * The audit has it before anything is changed.
 *
 * @throws {Error} the ledger or the account's memory gave no answer
 */
export async function tendPin(
  options: PinOptions,
  { phone, action }: PinRequest,
  vitals: Pick<Vitals, 'identity'>,
): Promise<PinTended> {
  const caller = await callerBy(options, phone, vitals)
  if (caller.kind !== 'caller') return caller
  const { address } = caller.account
  const { relayer, memory, newId } = options
  const { ledger, log } = relayer
  const { change, message } = actions[action]
  await ledger.note({ id: newId(), action, detail: { account: address } })
  log({ level: 'warn', event: 'operator.pin', message })
  const { pin, isDormant = false } = await memory.change(address, change)
  return {
    kind: 'done',
    account: address,
    isChosen: pin !== undefined,
    isBlocked: pin !== undefined && pin.tries >= maxTries,
    isDormant,
    replaceableAt: pin?.replaceableAt === undefined ? null : isoOf(pin.replaceableAt),
  }
}
