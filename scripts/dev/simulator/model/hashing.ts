import { hash } from 'node:crypto'
import type { Hex } from 'viem'

/** 32 bytes that these parts decide: what stands for a hash or a signature where none has to be real. */
export function digest(...parts: readonly (string | number | bigint)[]): Hex {
  return `0x${hash('sha256', parts.join('|'), 'hex')}`
}
