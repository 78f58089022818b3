import { type Address, type Hex, isAddressEqual, isHex } from 'viem'
import * as z from 'zod/mini'
import { accountAddress } from '../account/memory.ts'
import { type PhoneNumber, parseTypedPhone, parseUnlistedPhone } from '../account/phone.ts'
import { isPin } from '../account/pin.ts'
import { findNobody, type NobodyKind, parseAddress } from '../chain/payees.ts'
import { weiSchema } from '../loan/amounts.ts'
import { localMoney } from '../loan/local-worth.ts'

export type Recipient =
  /** An address that was typed, or a saved wallet with its name. */
  | { kind: 'address'; address: Address; name?: string }
  | { kind: 'phone'; phone: PhoneNumber }
  /** The account that a till number had when the session first read it. */
  | { kind: 'till'; address: Address; label: string; isBill: boolean }
  | KnownRecipient

/** Describes a recipient of an earlier transfer; `label` is the shortened number. */
export const knownRecipient = z.object({
  kind: z.literal('known'),
  address: accountAddress,
  label: z.string(),
  /** Holds its number, encrypted for the caller, where the caller's list has none. */
  sealed: z.optional(z.string()),
  /** Holds the last transfer to this recipient; undefined if that sent the whole balance. */
  amountWei: z.optional(weiSchema),
  /** Holds its amount in local money, if it was agreed in that. */
  local: z.optional(localMoney),
})

export type KnownRecipient = z.output<typeof knownRecipient>

/** Describes a payment that its sender calls a mistake; `recipient` is the other party. */
export const draftRecall = z.object({
  intentId: z.custom<Hex>((value) => isHex(value)),
  recipient: knownRecipient,
  amountWei: weiSchema,
  /** Holds the amount in local money, if it was agreed in that. */
  agreed: z.optional(localMoney),
  /** Tells until when it is held back (Unix time in ms); undefined if it is not yet. */
  until: z.optional(z.int()),
})

export type DraftRecall = z.output<typeof draftRecall>

export type RecipientFault =
  | 'unknown_form'
  /** The checksum (EIP-55 or EIP-1191) is wrong, so the address was mistyped. */
  | 'bad_checksum'
  | 'own_number'
  | 'own_account'
  | NobodyKind
  | 'contract'

export type RecipientRules = {
  chainId: number
  caller: PhoneNumber
  /** The caller's own account, which is no recipient; undefined in the demonstration. */
  ownAccount?: Address | undefined
  /** Lists the contracts of this service, which must not receive money. */
  reserved: readonly Address[]
}

/** Parses an address, or a phone number in E.164 or the caller's national form. */
export function parseRecipient(
  typed: string,
  rules: RecipientRules,
):
  | { kind: 'recipient'; recipient: Extract<Recipient, { kind: 'address' | 'phone' }> }
  /** A number that no numbering plan lists is a recipient if it has an account. */
  | { kind: 'fault'; fault: RecipientFault; unlisted?: PhoneNumber | undefined } {
  const text = typed.trim()
  if (!/^0x/i.test(text)) return parsePhone(text, rules)
  const digits = text.slice(2)
  if (!/^[0-9a-f]{40}$/i.test(digits)) return createFault('unknown_form')
  const isUpperCase = digits === digits.toUpperCase()
  const address = parseAddress(`0x${isUpperCase ? digits.toLowerCase() : digits}`, rules.chainId)
  if (address === undefined) return createFault('bad_checksum')
  const fault = findAddressFault(address, rules)
  if (fault !== undefined) return createFault(fault)
  return { kind: 'recipient', recipient: { kind: 'address', address } }
}

/** Tells whether an address is the caller's own account. */
export const isOwnAccount = (
  address: Address,
  { ownAccount }: Pick<RecipientRules, 'ownAccount'>,
): boolean => ownAccount !== undefined && isAddressEqual(ownAccount, address)

/** Tells why an address can receive nothing from the caller, as far as the address itself shows. */
export function findAddressFault(
  address: Address,
  rules: Pick<RecipientRules, 'reserved' | 'ownAccount'>,
): NobodyKind | 'own_account' | 'contract' | undefined {
  if (isOwnAccount(address, rules)) return 'own_account'
  const isReserved = rules.reserved.some((other) => isAddressEqual(other, address))
  return isReserved ? 'contract' : findNobody(address)
}

function parsePhone(text: string, { caller }: RecipientRules) {
  const phone = parseTypedPhone(text, caller)
  // What may be a PIN is looked up only with a `+` and its country.
  const unlisted = phone || isPin(text) ? undefined : parseUnlistedPhone(text, caller)
  if (caller === (phone ?? unlisted)) return createFault('own_number')
  if (phone === undefined) return { ...createFault('unknown_form'), unlisted }
  return { kind: 'recipient', recipient: { kind: 'phone', phone } } as const
}

const createFault = (fault: RecipientFault) => ({ kind: 'fault', fault }) as const
