import { type Address, checksumAddress, getAddress } from 'viem'

/**
 * An address in lower case, the form in which it is computed with: libraries refuse the checksums of
 * other chains than Ethereum. Mixed case has to carry this chain's checksum (EIP-1191) or Ethereum's
 * (EIP-55). Undefined for anything else.
 */
export function parseAddress(text: string, chainId: number): Address | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return undefined
  const lower = text.toLowerCase() as Address
  const isKnown =
    text === lower || text === checksumAddress(lower, chainId) || text === getAddress(lower)
  return isKnown ? lower : undefined
}
