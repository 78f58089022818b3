import { type Address, checksumAddress, getAddress } from 'viem'

/** Parses an address to lower case; a checksum must be this chain's (EIP-1191) or Ethereum's. */
export function parseAddress(text: string, chainId: number): Address | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return undefined
  const lower = text.toLowerCase() as Address
  const isKnown =
    text === lower || text === checksumAddress(lower, chainId) || text === getAddress(lower)
  return isKnown ? lower : undefined
}
