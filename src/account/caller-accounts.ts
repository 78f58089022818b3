import { type Address, bytesToBigInt, isAddressEqual, type LocalAccount } from 'viem'
import { createKeyAccount } from '../runtime/key-account.ts'
import { createRecent } from '../runtime/recent.ts'
import { curveOrder } from '../runtime/secp256k1/curve.ts'
import { listFormerForms } from './numbering.ts'
import type { PhoneNumber } from './phone.ts'
import { createKeyedHash, type KeyedHash, type Secret } from './secrets.ts'

/** Names the derivation, so that another one can be added and old accounts stay reachable. */
const derivationVersion = 'v1'

export type CallerAccounts = (phone: PhoneNumber) => Promise<LocalAccount>

/** Limits the cached accounts, which save later deliveries of a session a derivation. */
const maxCached = 1_000

/** Derives callers' accounts. No key is stored, because the secret alone derives them all. */
export function createCallerAccounts(keySecret: Secret): CallerAccounts {
  const hash = createKeyedHash(keySecret)
  const cache = createRecent<LocalAccount>(maxCached)
  return async (phone) => {
    const cached = cache.get(phone)
    if (cached !== undefined) return cached
    const account = deriveAccount(hash, phone)
    cache.set(phone, account)
    return account
  }
}

/** Derives a number's account from its present form, or from the former form on record. */
export function withFormerAccounts(
  getAccount: CallerAccounts,
  findFormerAccount: (account: Address) => Promise<Address | undefined>,
): CallerAccounts {
  return async (phone) => {
    const account = await getAccount(phone)
    const forms = listFormerForms(phone)
    const recorded = forms.length > 0 ? await findFormerAccount(account.address) : undefined
    if (recorded === undefined) return account
    for (const form of forms) {
      const formerAccount = await getAccount(form as PhoneNumber)
      if (isAddressEqual(formerAccount.address, recorded)) return formerAccount
    }
    throw new Error('no known form of the number derives its recorded account')
  }
}

function deriveAccount(hash: KeyedHash, phone: PhoneNumber): LocalAccount {
  for (let attempt = 0; ; attempt++) {
    const candidate = hash('account', derivationVersion, phone, `${attempt}`)
    const scalar = bytesToBigInt(candidate)
    // Once in 2^128 hashes one is not below the group's order, so the next one is used.
    if (scalar > 0n && scalar < curveOrder) return createKeyAccount(candidate)
  }
}
