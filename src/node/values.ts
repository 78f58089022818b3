import { z } from 'zod'

/** 32 bytes, as clients write them in parameters; case does not matter. */
export const hashParam = hexParam(/^0x[0-9a-fA-F]{64}$/, 'a 32-byte hash')

/** 20 bytes, in any case: a checksum is the wallet's business (EIP-55 and EIP-1191 both pass). */
export const addressParam = hexParam(/^0x[0-9a-fA-F]{40}$/, 'a 20-byte address')

/** Whole bytes. */
export const dataParam = hexParam(/^0x(?:[0-9a-fA-F]{2})*$/, 'hex data of whole bytes')

/** A number in hex; leading zeros, which nodes disagree about, are dropped before it travels on. */
export const quantityParam = z
  .string({ error: 'must be a hex quantity' })
  .regex(/^0x[0-9a-fA-F]{1,64}$/, { error: 'must be a hex quantity' })
  .transform(canonicalQuantity)

const tags = ['latest', 'earliest', 'pending'] as const

/** A block by number or tag. `safe` and `finalized` are not served on Rootstock: count blocks. */
export const blockParam = z
  .string({ error: 'must be a block number in hex, latest, earliest or pending' })
  .regex(/^(?:latest|earliest|pending|0x[0-9a-fA-F]{1,16})$/, {
    error: 'must be a block number in hex, latest, earliest or pending',
  })
  .transform(canonicalSelector)

/** A block by number, hash or tag. */
export const blockOrHashParam = z
  .string({ error: 'must be a block number in hex, a block hash, latest, earliest or pending' })
  .regex(/^(?:latest|earliest|pending|0x[0-9a-fA-F]{1,16}|0x[0-9a-fA-F]{64})$/, {
    error: 'must be a block number in hex, a block hash, latest, earliest or pending',
  })
  .transform(canonicalSelector)

/** A quantity in an answer (execution-apis `uint`): no leading zeros. */
export const quantity = z.string().regex(/^0x(?:0|[1-9a-f][0-9a-f]*)$/)

/** Whole bytes in an answer. */
export const data = z.string().regex(/^0x[0-9a-f]*$/)

/** 32 bytes in an answer. */
export const hash = z.string().regex(/^0x[0-9a-f]{64}$/)

/** 20 bytes in an answer. */
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)

/** Whether a selector names a block by its hash. */
export function isHash(selector: string): boolean {
  return selector.length === 66
}

/** Without leading zeros, in lower case. */
export function canonicalQuantity(text: string): string {
  const digits = text.slice(2).replace(/^0+(?=.)/, '')
  return `0x${digits.toLowerCase()}`
}

function canonicalSelector(text: string): string {
  if ((tags as readonly string[]).includes(text)) return text
  return text.length === 66 ? text.toLowerCase() : canonicalQuantity(text)
}

function hexParam(pattern: RegExp, what: string) {
  return z
    .string({ error: `must be ${what}` })
    .regex(pattern, { error: `must be ${what}` })
    .transform((text) => text.toLowerCase())
}
