import type { LocalAccount } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { type Chain, chains } from '../chain/chains.ts'

/**
 * The relayer key with this index on the chain's HD path (BIP-44).
 * Costs thousands of hashes (BIP-39's PBKDF2): keep the result.
 */
export function relayerAccount(
  mnemonic: string,
  chainId: Chain['id'],
  index: number,
): LocalAccount {
  // viem's type knows Ethereum's coin only; its derivation takes any path.
  const path = `${chains[chainId].accountPath}/${index}` as `m/44'/60'/${string}`
  return mnemonicToAccount(mnemonic, { path })
}
