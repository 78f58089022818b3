import type { Chain } from '../../src/chain/chains.ts'
import { StackError } from '../stack/report.ts'

/** The environments of wrangler.toml, and the chain of each. */
export const environments = { testnet: 31, mainnet: 30 } as const satisfies Readonly<
  Record<string, Chain['id']>
>

export type EnvironmentName = keyof typeof environments

/** @throws {StackError} there is no such environment */
export function readEnvironment(text: string | undefined, flag: string): EnvironmentName {
  if (text === 'testnet' || text === 'mainnet') return text
  throw new StackError(`${flag} has to be testnet or mainnet.`)
}
