import { BaseError, formatEther } from 'viem'
import { formatExactly, type Unit } from '../../src/loan/amounts.ts'

/** Is an error for the person at the terminal, shown without a stack trace. */
export class StackError extends Error {
  override readonly name: string = 'StackError'
}

/** Is a wrong use of a command, shown with the usage. */
export class Misused extends StackError {}

/** Writes an amount of the chain's currency. */
export function money(wei: bigint | string, currency: string): string {
  return `${formatEther(BigInt(wei))} ${currency}`
}

/** Writes an amount of what a pool counts. */
export const writeAmount = (wei: bigint | string, unit: Unit): string =>
  `${formatExactly(BigInt(wei), unit)} ${unit.symbol}`

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Says what is wrong; the process ends with 1. */
export function fail(words: string): void {
  process.stderr.write(`${words}\n`)
  process.exitCode = 1
}

/** Returns what to print of an error, without the node's address, which may hold a key. */
export function describe(error: unknown): string {
  if (error instanceof StackError) return error.message
  if (error instanceof BaseError) return `${error.name}: ${error.details || error.shortMessage}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
