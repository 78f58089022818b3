import { type Address, isAddressEqual } from 'viem'
import { parseAddress } from '../account/address.ts'
import { type PhoneNumber, parseTypedPhone, parseUnlistedPhone } from '../account/phone.ts'

export type Recipient =
  /** Holds an address, with its name if it is one of the caller's wallets. */
  | { kind: 'address'; address: Address; name?: string }
  | { kind: 'phone'; phone: PhoneNumber }
  /** Holds an account with a till; the session keeps it even if the number changes hands. */
  | { kind: 'till'; address: Address; label: string; isBill: boolean }
  | KnownRecipient

/** Describes someone the caller sent to by number; only `label` is kept of it. */
export type KnownRecipient = {
  kind: 'known'
  address: Address
  label: string
  /** Holds the amount sent last; undefined if that was the whole balance. */
  amountWei?: bigint | undefined
}

export type RecipientFault =
  | 'unknown_form'
  /** Has a wrong EIP-55 checksum: it was mistyped. */
  | 'bad_checksum'
  | 'own_number'
  | 'zero_address'
  | 'contract'

export type RecipientRules = {
  chainId: number
  caller: PhoneNumber
  /** Lists addresses that must not receive money: the contracts. The zero address never may. */
  reserved: readonly Address[]
  /** Maps numbers that no numbering plan lists to whether they have an account. */
  accountExists?: ReadonlyMap<PhoneNumber, boolean> | undefined
}

/** Reads an address, or a phone number in E.164 or the caller's national form. */
export function parseRecipient(
  typed: string,
  rules: RecipientRules,
):
  | { kind: 'recipient'; recipient: Extract<Recipient, { kind: 'address' | 'phone' }> }
  /** Asks the caller of this function to look up whether the number has an account. */
  | { kind: 'unlisted'; phone: PhoneNumber }
  | { kind: 'fault'; fault: RecipientFault } {
  const text = typed.trim()
  if (!/^0x/i.test(text)) return parsePhone(text, rules)
  const digits = text.slice(2)
  if (!/^[0-9a-f]{40}$/i.test(digits)) return fault('unknown_form')
  const isUpperCase = digits === digits.toUpperCase()
  const address = parseAddress(`0x${isUpperCase ? digits.toLowerCase() : digits}`, rules.chainId)
  if (address === undefined) return fault('bad_checksum')
  if (BigInt(address) === 0n) return fault('zero_address')
  if (rules.reserved.some((other) => isAddressEqual(other, address))) return fault('contract')
  return { kind: 'recipient', recipient: { kind: 'address', address } }
}

function parsePhone(text: string, { caller, accountExists }: RecipientRules) {
  const listed = parseTypedPhone(text, caller)
  const phone = listed ?? (accountExists && parseUnlistedPhone(text, caller))
  if (phone === undefined) return fault('unknown_form')
  if (phone === caller) return fault('own_number')
  const isOpened = listed !== undefined || accountExists?.get(phone)
  if (isOpened === undefined) return { kind: 'unlisted', phone } as const
  if (!isOpened) return fault('unknown_form')
  return { kind: 'recipient', recipient: { kind: 'phone', phone } } as const
}

const fault = (fault: RecipientFault) => ({ kind: 'fault', fault }) as const
