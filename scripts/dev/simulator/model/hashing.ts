import { hash } from 'node:crypto'
import type { Hex } from 'viem'

/** Returns 32 bytes for these parts, in place of a hash or a signature that need not be real. */
export function digest(...parts: readonly (string | number | bigint)[]): Hex {
  return `0x${hash('sha256', parts.join('|'), 'hex')}`
}
