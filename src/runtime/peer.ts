/** Describes a network by the first bits of 128; IPv4 is mapped to IPv6 (RFC 4291, 2.5.5.2). */
type Network = { address: bigint; bits: number }

const ipv4 = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/

/** Parses an IPv4 or IPv6 address as 128 bits; undefined for anything else. */
function parseIpAddress(text: string): bigint | undefined {
  const dotted = ipv4.exec(text)?.slice(1).map(Number)
  if (dotted?.some((part) => part > 255)) return undefined
  if (dotted) return dotted.reduce((sum, part) => (sum << 8n) | BigInt(part), 0xffffn)
  const mapped = /^::ffff:([\d.]+)$/i.exec(text)?.[1]
  if (mapped?.includes('.')) return ipv4.test(mapped) ? parseIpAddress(mapped) : undefined
  const [head = '', tail, ...more] = text.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const given = [...(before ?? []), ...(after ?? [])]
  const missing = 8 - given.length
  if (more.length > 0 || (tail === undefined ? missing !== 0 : missing < 1)) return undefined
  if (given.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return undefined
  const groups = [...(before ?? []), ...Array<string>(missing).fill('0'), ...(after ?? [])]
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
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
