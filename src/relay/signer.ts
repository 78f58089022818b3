import { createHmac, pbkdf2Sync } from 'node:crypto'
import { validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import {
  type Address,
  bytesToBigInt,
  concat,
  type Hex,
  numberToBytes,
  parseTransaction,
  serializeTransaction,
  zeroAddress,
} from 'viem'
import { type Chain, chains } from '../chain/chains.ts'
import { hashKeccak } from '../runtime/keccak.ts'
import { createKeyAccount, type KeyAccount } from '../runtime/key-account.ts'
import { curveOrder, getPublicKey } from '../runtime/secp256k1/curve.ts'
import type { SignedTransaction } from './ledger/values.ts'

/** Tells what a transaction does, whatever its nonce and price are. */
export type TransactionContent = { to: Address; data: Hex; gas: number }

/** Describes a transaction to sign: legacy (EIP-155), since Rootstock takes no other. */
type UnsignedTransaction = TransactionContent & { nonce: number; gasPriceWei: bigint }

export type Signer = ReturnType<typeof createSigner>

export function createSigner(account: KeyAccount, chainId: number) {
  return {
    address: account.address,
    /** Signs at once: nothing else runs between a decision and its signature. */
    sign({ gasPriceWei, gas, ...transaction }: UnsignedTransaction): SignedTransaction {
      const unsigned = {
        ...transaction,
        type: 'legacy',
        chainId,
        gas: BigInt(gas),
        gasPrice: gasPriceWei,
      } as const
      const digest = hashKeccak(serializeTransaction(unsigned))
      const raw = serializeTransaction(unsigned, account.signDigest(digest))
      return { hash: hashKeccak(raw), raw, gasPriceWei }
    },
    readContent({ raw }: SignedTransaction): TransactionContent {
      const { to, data = '0x', gas = 0n } = parseTransaction(raw)
      return { to: to ?? zeroAddress, data, gas: Number(gas) }
    },
  }
}

declare module 'node:crypto' {
  // Are native in workerd (`nodejs_compat`), Deno and Node; Cloudflare's types leave them out.
  export function pbkdf2Sync(
    password: string,
    salt: string,
    iterations: number,
    length: number,
    digest: 'sha512',
  ): Uint8Array
  export function createHmac(
    digest: 'sha256' | 'sha512',
    key: string | Uint8Array,
  ): { update(data: string | Uint8Array): { digest(): Uint8Array; digest(form: 'hex'): string } }
}

/** Derives a relayer key on the chain's path (BIP-44). @throws {Error} no phrase of BIP-39 */
export function deriveRelayerAccount(mnemonic: string, chainId: Chain['id'], index: number) {
  if (!validateMnemonic(mnemonic, wordlist)) throw new Error('this is no phrase of BIP-39')
  const seed = pbkdf2Sync(mnemonic.normalize('NFKD'), 'mnemonic', 2048, 64, 'sha512')
  const path = `${chains[chainId].accountPath}/${index}`
  return createKeyAccount(deriveKey(new Uint8Array(seed), path))
}

/** Derives a private key on a path such as `m/44'/137'/0'/0/0` (BIP-32). */
function deriveKey(seed: Uint8Array, path: string): Uint8Array {
  let node = hash('Bitcoin seed', seed)
  for (const step of path.split('/').slice(1)) {
    const [key, chainCode] = [node.slice(0, 32), node.slice(32)]
    const isHardened = step.endsWith("'")
    const place = numberToBytes(Number.parseInt(step, 10) + (isHardened ? 2 ** 31 : 0), { size: 4 })
    const parent = isHardened ? concat([new Uint8Array(1), key]) : getPublicKey(key, 'compressed')
    const child = hash(chainCode, concat([parent, place]))
    const added = bytesToBigInt(child.slice(0, 32))
    if (added >= curveOrder) throw new Error('the path leads to no private key')
    const scalar = (added + bytesToBigInt(key)) % curveOrder
    node = concat([numberToBytes(scalar, { size: 32 }), child.slice(32)])
  }
  return node.slice(0, 32)
}

const hash = (key: string | Uint8Array, data: Uint8Array): Uint8Array =>
  new Uint8Array(createHmac('sha512', key).update(data).digest())
