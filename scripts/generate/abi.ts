import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildContracts, readArtifact } from '../contracts/forge.ts'
import { root } from '../stack/folder.ts'

const notice = '// Generated from contracts/src by `npm run generate`; not edited by hand.\n'

/** Writes each part's own ABI, and what it leaves out; TypeScript meets Solidity nowhere else. */
export async function writeAbis(): Promise<Record<string, string>> {
  await buildContracts()
  return {
    'src/loan/abi.ts': notice + renderLoan(),
    'src/relay/forwarder/abi.ts': notice + renderForwarder(),
  }
}

/**
 * Reads an ABI without the second error that is named InsufficientBalance: OpenZeppelin's Clones
 * has it for currency, which a loan contract gives no clone.
 */
function readAbi(contract: string) {
  return readArtifact(contract).abi.filter(
    (entry) =>
      entry.type !== 'error' || entry.name !== 'InsufficientBalance' || entry.inputs.length > 2,
  )
}

const readSources = (paths: readonly string[]): string =>
  paths.map((path) => readFileSync(join(root, path), 'utf8')).join('')

/** Lists what our code names of a contract; `named` are further types that it may meet. */
function listNamed(contract: string, named?: 'error') {
  const sources = readSources(globSync('{src,scripts,test}/**/*.ts', { cwd: root }))
  const isNamed = (name: string) => new RegExp(`['\`.]${name}\\b`).test(sources)
  return readAbi(contract).filter(
    (entry) => entry.type === named || !('name' in entry) || isNamed(entry.name),
  )
}

/** Writes what the Worker names of the loan contract's ABI, and what tools and tests name. */
function renderLoan(): string {
  const users = [
    'calls',
    'loan-book',
    'reader',
    '../operator/chain-state/contracts',
    '../relay/forwarder/target',
  ]
  const source = readSources(users.map((name) => `src/loan/${name}.ts`))
  const whole = listNamed('MicroLoan', 'error')
  const isServed = (entry: (typeof whole)[number]) =>
    'name' in entry &&
    new RegExp(entry.type === 'error' ? `\\b${entry.name}\\b` : `'${entry.name}'`).test(source)
  const rest = literal(whole.filter((entry) => !isServed(entry)))
  return `
/** Lists what the relay itself calls and reads of \`contracts/src/MicroLoan.sol\`. */
export const loanAbi = ${literal(whole.filter(isServed))} as const

/** Lists what tools and tests name of it, too, and its other errors; no bundle has it. */
export const microLoanAbi = /* @__PURE__ */ (() => ${rest.replace('[', '[\n  ...loanAbi,')} as const)()
`
}

/** Writes what is named of RelayForwarder's ABI, its enum and the signed types. */
function renderForwarder(): string {
  const source = readSources(
    ['IRelayForwarder', 'RelayForwarder', 'SpentMarks'].map((name) => `contracts/src/${name}.sol`),
  ).replaceAll(/\/\/.*/g, '')
  const find = (pattern: RegExp): readonly string[] => {
    const found = [...source.matchAll(pattern)]
    if (found[0] === undefined || found.length > 1) {
      throw new Error(`the contracts have ${found.length} times: ${pattern}`)
    }
    return found[0].slice(1)
  }
  const [request = ''] = find(/_TYPEHASH =\s+keccak256\("Request\((.+)\)"\);/g)
  const members = request.split(',').map((member) => {
    const [type, name] = member.split(' ')
    return { name, type }
  })
  const [name, version] = find(/\bEIP712\("(.+)", "(.+)"\)/g)
  const [names = ''] = find(/\benum Status \{([^}]+)\}/g)
  const statuses = names.split(',').map((member) =>
    member
      .trim()
      .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
      .toLowerCase(),
  )
  const [days] = find(/\bLIFETIME = (\d+) days;/g)
  return `
/** Lists what is called and read of \`contracts/src/RelayForwarder.sol\`. */
export const relayForwarderAbi = ${literal(listNamed('RelayForwarder'))} as const

/** The members of the enum \`Status\`, in their order. */
export const requestStatuses = ${literal(statuses)} as const

/** What a caller signs (EIP-712): the domain, but for the chain and the contract, and the types. */
export const requestDomain = ${literal({ name, version })} as const
export const requestTypes = ${literal({ Request: members })} as const

/** \`INTENT_LIFETIME\`: for so many seconds a spent intent id is refused. */
export const intentLifetimeSeconds = ${Number(days) * 86_400}
`
}

/** Writes a value as TypeScript, an entry of a list a line, without `internalType`. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[\n${value.map((one) => `  ${literal(one)},\n`).join('')}]`
  return JSON.stringify(value, (key, one) => (key === 'internalType' ? undefined : one))
}
