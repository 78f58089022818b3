import type { Hex } from 'viem'
import type { Chain } from '../../src/chain/chains.ts'
import { Misused, StackError } from '../stack/report.ts'

export function readRequired(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name]
  if (!value) throw new Misused(`${name} is not set.`)
  return value
}

/** Reads where the node is: of several the first. @throws {Misused} none is named */
export function readNodeUrl(env: NodeJS.ProcessEnv): string {
  return readRequired(env, 'NODE_URL').split(',')[0]?.trim() ?? ''
}

/** Reads a secret or a key of 32 bytes. @throws {Misused} without its value */
export function readSecret(env: NodeJS.ProcessEnv, name: string): Hex {
  const value = readRequired(env, name)
  if (/^0x[0-9a-f]{64}$/i.test(value)) return value as Hex
  throw new Misused(`${name} is not 0x and 64 digits.`)
}

export const environments = { testnet: 31, mainnet: 30 } as const satisfies Readonly<
  Record<string, Chain['id']>
>

export function readEnvironment(text: string | undefined, flag: string): keyof typeof environments {
  if (text === 'testnet' || text === 'mainnet') return text
  throw new StackError(`${flag} has to be testnet or mainnet.`)
}
