import { pbkdf2Sync } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import { validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import { bytesToHex, type LocalAccount } from 'viem'
import { type Chain, chains } from '../chain/chains.ts'
import { createKeyAccount } from '../runtime/key-account.ts'

declare module 'node:crypto' {
  /** Is native in workerd (`nodejs_compat`), Deno and Node; Cloudflare's types leave it out. */
  export function pbkdf2Sync(
    password: string,
    salt: string,
    iterations: number,
    length: number,
    digest: 'sha512',
  ): Uint8Array
}

/**
 * Derives a relayer key on the chain's HD path (BIP-44). Keep it: it costs thousands of hashes.
 * @throws {Error} these are no words of BIP-39, or their checksum is wrong
 */
export function deriveRelayerAccount(
  mnemonic: string,
  chainId: Chain['id'],
  index: number,
): LocalAccount {
  if (!validateMnemonic(mnemonic, wordlist)) throw new Error('this is no phrase of BIP-39')
  // Without a passphrase.
  const seed = pbkdf2Sync(mnemonic.normalize('NFKD'), 'mnemonic', 2048, 64, 'sha512')
  const { privateKey } = HDKey.fromMasterSeed(new Uint8Array(seed)).derive(
    `${chains[chainId].accountPath}/${index}`,
  )
  if (privateKey === null) throw new Error('the path leads to no private key')
  return createKeyAccount(bytesToHex(privateKey))
}
