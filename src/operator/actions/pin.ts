import type { CallerAccounts } from '../../account/keys.ts'
import type { Memory } from '../../account/memory.ts'
import { type Country, parseCaller } from '../../account/phone.ts'
import { maxTries, unlocked, withoutWish } from '../../account/pin.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import type { Relayer } from '../../relay/relayer.ts'
import type { PinAnswer, PinRequest } from '../answers.ts'
import { isoOf } from '../records.ts'

/** What came of what an operator asked about a caller's PIN. */
export type PinTended =
  | ({ kind: 'done' } & PinAnswer)
  | { kind: 'bad_number' }
  /** The ledger was begun with other secrets: the account would be a wrong one. */
  | { kind: 'other_secrets' }

export type PinOptions = {
  relayer: Pick<Relayer, 'ledger' | 'log'>
  accounts: CallerAccounts
  country: Country | undefined
  memory: Memory
  newId: () => string
}

const actions = {
  unblock: { change: unlocked, message: 'An operator unblocks a caller' },
  'keep-pin': { change: withoutWish, message: 'An operator has a caller keep a PIN' },
} as const

/**
 * What a caller asks for who has shown who they are: to spend again, or that a forgotten PIN is not replaced.
 * The number is kept nowhere: the audit has its account, and has it before anything is changed.
 *
 * @throws {Error} the ledger or the account's memory gave no answer
 */
export async function tendPin(
  { relayer: { ledger, log }, accounts, country, memory, newId }: PinOptions,
  { phone, action }: PinRequest,
  { identity }: Pick<Vitals, 'identity'>,
): Promise<PinTended> {
  const number = parseCaller(phone.trim(), country)
  if (number === undefined) return { kind: 'bad_number' }
  if (identity?.kind !== 'same') return { kind: 'other_secrets' }
  const { address } = await accounts(number)
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
