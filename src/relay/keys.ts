import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { bytesToHex, type LocalAccount } from 'viem'
import { type Chain, chains } from '../chain/chains.ts'
import { createKeyAccount } from '../runtime/key-account.ts'

/** Derives a relayer key on the chain's HD path (BIP-44). Keep it: it costs thousands of hashes. */
export function deriveRelayerAccount(
  mnemonic: string,
  chainId: Chain['id'],
  index: number,
): LocalAccount {
  const { privateKey } = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive(
    `${chains[chainId].accountPath}/${index}`,
  )
  if (privateKey === null) throw new Error('the path leads to no private key')
  return createKeyAccount(bytesToHex(privateKey))
}
