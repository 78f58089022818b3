import type { Address } from 'viem'
import type { Chain } from '../../../src/chain/chains.ts'
import { relayerAccount } from '../../../src/relay/keys.ts'

/** The relayer keys that the Worker signs with, from the first index of the HD path on. */
const relayerCount = 1

/** The accounts that pay the gas of this mnemonic's payments. */
export function relayerAddresses(mnemonic: string, chainId: Chain['id']): Address[] {
  return Array.from(
    { length: relayerCount },
    (_, index) => relayerAccount(mnemonic, chainId, index).address,
  )
}
