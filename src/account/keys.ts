import { type Address, bytesToBigInt, bytesToHex, isAddressEqual, type LocalAccount } from 'viem'
import { keyAccount } from '../runtime/key-account.ts'
import { createKeyedHash, type KeyedHash, type Secret } from './keyed-hash.ts'
import { formerForms } from './numbering.ts'
import type { PhoneNumber } from './phone.ts'

/** Is the order of the secp256k1 group (SEC 2, section 2.4.1); a private key is in [1, n). */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Changes only if accounts are derived differently; an old version's accounts stay reachable. */
const derivationVersion = 'v1'

export type CallerAccounts = (phone: PhoneNumber) => Promise<LocalAccount>

/** Limits the cached accounts: a session has several deliveries. */
const rememberedLimit = 1_000

/** Derives callers' accounts, never stored: the secret's holder can sign for every caller. */
export function createCallerAccounts(keySecret: Secret): CallerAccounts {
  const hash = createKeyedHash(keySecret)
  const remembered = new Map<PhoneNumber, LocalAccount>()
  return async (phone) => {
    const known = remembered.get(phone)
    if (known !== undefined) return known
    const account = await deriveAccount(hash, phone)
    if (remembered.size >= rememberedLimit) remembered.clear()
    remembered.set(phone, account)
    return account
  }
}

/** Returns each number's account: of its present form, or of a recorded former one. */
export function keepFormerAccounts(
  own: CallerAccounts,
  formerAccount: (account: Address) => Promise<Address | undefined>,
): CallerAccounts {
  return async (phone) => {
    const account = await own(phone)
    const forms = formerForms(phone)
    const kept = forms.length > 0 ? await formerAccount(account.address) : undefined
    if (kept === undefined) return account
    for (const form of forms) {
      const former = await own(form as PhoneNumber)
      if (isAddressEqual(former.address, kept)) return former
    }
    throw new Error('the account of a number is of no form that is known')
  }
}

async function deriveAccount(hash: KeyedHash, phone: PhoneNumber): Promise<LocalAccount> {
  for (let attempt = 0; ; attempt++) {
    const candidate = await hash('account', derivationVersion, phone, `${attempt}`)
    const scalar = bytesToBigInt(candidate)
    // A hash is outside the group's order once in 2^128: then the next candidate is used.
    if (scalar > 0n && scalar < curveOrder) return keyAccount(bytesToHex(candidate))
  }
}
