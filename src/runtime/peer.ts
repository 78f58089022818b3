import { convertIPv4ToBinary, convertIPv6ToBinary } from 'hono/utils/ipaddr'
import { tryTo } from './log.ts'

/** Describes a network by the first bits of 128; IPv4 is mapped to IPv6 (RFC 4291, 2.5.5.2). */
type Network = { address: bigint; bits: number }

/** Parses an IPv4 or IPv6 address as 128 bits; undefined for anything else. */
function parseIpAddress(text: string): bigint | undefined {
  // What follows is the name of an interface (RFC 4007), which another host's address lacks.
  if (text.includes('%')) return undefined
  return tryTo(() =>
    text.includes(':') ? convertIPv6ToBinary(text) : (0xffffn << 32n) | convertIPv4ToBinary(text),
  )
}

/** Parses an address, or a network in CIDR notation (RFC 4632); undefined for anything else. */
export function parseNetwork(text: string): Network | undefined {
  const [addressText = '', length, ...more] = text.split('/')
  const address = parseIpAddress(addressText)
  const maxBits = addressText.includes(':') ? 128 : 32
  const bits = length === undefined ? maxBits : /^\d{1,3}$/.test(length) ? Number(length) : -1
  if (address === undefined || more.length > 0 || bits < 0 || bits > maxBits) return undefined
  return { address, bits: 128 - maxBits + bits }
}

/** Tells whether a peer is in one of these networks; one without a valid address is in none. */
export function isInNetworks(networks: readonly Network[], peer: string | undefined): boolean {
  const address = parseIpAddress(peer ?? '')
  return networks.some(
    (network) =>
      address !== undefined && (address ^ network.address) >> BigInt(128 - network.bits) === 0n,
  )
}
