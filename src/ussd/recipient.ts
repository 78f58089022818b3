import { type Address, isAddressEqual } from 'viem'
import { parseAddress } from '../account/address.ts'
import { type PhoneNumber, parseRecipient as parsePhone } from '../account/phone.ts'

/** Where money is sent to, as far as the text alone can tell. */
export type Recipient =
  | { kind: 'address'; address: Address }
  | { kind: 'phone'; phone: PhoneNumber }

export type RecipientRules = {
  chainId: number
  caller: PhoneNumber
  /** Addresses that no money may be sent to: the contracts themselves. The zero address never is. */
  reserved: readonly Address[]
}

/**
 * An address, or a phone number in E.164 or the caller's national form. Mixed-case addresses have to
 * carry this chain's checksum (EIP-1191) or Ethereum's (EIP-55). Undefined for anything else.
 */
export function parseRecipient(typed: string, rules: RecipientRules): Recipient | undefined {
  const text = typed.trim()
  if (!/^0x/i.test(text)) {
    const phone = parsePhone(text, rules.caller)
    return phone === undefined || phone === rules.caller ? undefined : { kind: 'phone', phone }
  }
  const address = parseAddress(`0x${text.slice(2)}`, rules.chainId)
  if (address === undefined || BigInt(address) === 0n) return undefined
  if (rules.reserved.some((other) => isAddressEqual(other, address))) return undefined
  return { kind: 'address', address }
}
