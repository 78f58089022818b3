import type { Hex } from 'viem'
import { type Chain, chains } from '../../src/chain/chains.ts'
import { settings } from '../../src/compose/environment.ts'
import { flag, type Values } from './command.ts'
import { Misused, StackError } from './report.ts'
import { secretNames } from './secrets.ts'

export type Options = ReturnType<typeof readOptions>

/** Says of each variable of the Worker that a local stack does not take, what it has instead. */
const ownVariables: Readonly<Record<string, string>> = {
  ENVIRONMENT: 'a local stack is for development',
  POOL_RULES: 'the node tells which rules its pool has; --rootstock adds those of Rootstock',
  LOAN_ADDRESS: 'the stack finds or deploys its contracts',
  FORWARDER_ADDRESS: 'the stack finds or deploys its contracts',
  RPC_KEY_HASHES: 'the stack makes a key, which .dev/stack.json holds',
  CALLBACK_SECRET: 'a local stack is open to this machine',
  OBJECT_LOCATION: 'the objects are on this machine',
  ...Object.fromEntries(secretNames.map((name) => [name, 'the stack makes its own secrets'])),
}
/** Names what a start reads by itself and passes on in its own form. */
const readElsewhere = ['NODE_URL', 'CHAIN_ID']

export const startFlags = { reset: flag, rootstock: flag, deno: flag }

export function readOptions(flags: Values<typeof startFlags>, env: NodeJS.ProcessEnv) {
  const nodeUrls = readNodeUrls(env.NODE_URL, 'NODE_URL')
  const chainId = readChainId(env.CHAIN_ID)
  if (nodeUrls.length === 0 && chainId !== 31)
    throw new StackError('CHAIN_ID=30 needs a node of that chain in NODE_URL: the local one is 31.')
  if (nodeUrls.length > 0 && flags.rootstock)
    throw new StackError('--rootstock puts its pool before the local chain, not before NODE_URL.')
  return {
    ...flags,
    port: readPort(env.PORT),
    /** Is empty for a stack with its own chain. */
    nodeUrls,
    chainId,
    deployerKey: readDeployerKey(env.DEPLOYER_KEY),
    variables: readVariables(env),
    unusedLines: describeUnused(env),
  }
}

export function readPort(text: string | undefined): number {
  const port = Number(text || 3000)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  throw new StackError(`PORT is "${text}": it has to be a number from 1 to 65535.`)
}

export function readNodeUrls(text: string | undefined, name: string): string[] {
  const urls = (text ?? '').split(',').map((url) => url.trim())
  const named = urls.filter((url) => url !== '')
  const wrong = named.find((url) => !isWebAddress(url))
  if (wrong === undefined) return named
  throw new StackError(`${name} has "${wrong}": it has to be an http or https address.`)
}

const isWebAddress = (url: string) => /^https?:$/.test(URL.parse(url)?.protocol ?? '')

/** Reads the origin of a deployment's address. @throws {StackError} it is no address */
export function readOrigin(url: string): string {
  if (isWebAddress(url)) return new URL(url).origin
  throw new StackError(`"${url}" is not an address.`)
}

/** Reads the chain; the default is the test network, so that an omission spends no real money. */
export function readChainId(text: string | undefined): Chain['id'] {
  const chain = Object.values(chains).find(({ id }) => `${id}` === (text || '31'))
  if (chain !== undefined) return chain.id
  throw new StackError(`CHAIN_ID is "${text}": it has to be 31 (testnet) or 30 (mainnet).`)
}

/** Reads the key and never shows it: a mistyped key is almost the real one. */
export function readDeployerKey(text: string | undefined): Hex | undefined {
  if (!text) return undefined
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text) ?? []
  if (digits !== undefined) return `0x${digits}`
  throw new StackError('DEPLOYER_KEY has to be a private key: 64 hex digits, with or without 0x.')
}

/** Reads the Worker's variables from the environment: all but those that a local stack sets. */
export function readVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = settings.filter((name) => !(name in ownVariables) && !readElsewhere.includes(name))
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}

/** Writes a line for each variable of the environment that a local stack does not take. */
const describeUnused = (env: NodeJS.ProcessEnv): string[] =>
  Object.entries(ownVariables).flatMap(([name, reason]) =>
    env[name] ? [`${name} is not used here: ${reason}.`] : [],
  )

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

export const environments = { testnet: 31, mainnet: 30 } as const

export function readEnvironment(text: string | undefined, flag: string): keyof typeof environments {
  if (text === 'testnet' || text === 'mainnet') return text
  throw new StackError(`${flag} has to be testnet or mainnet.`)
}
