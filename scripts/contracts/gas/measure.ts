import { directCalls, preparePhones, type RelayedAction, relayedActions } from './actions.ts'
import { accountOf, type Call, type MeasuredChain } from './chain.ts'
import { openTokenWorld, prepareTokenPhones, tokenActions, tokenCalls } from './tokens.ts'
import type { Network } from './vm.ts'
import {
  executeCall,
  lendForDays,
  loanCall,
  openWorld,
  type Signed,
  signedGas,
  succeedsWith,
  type World,
} from './world.ts'

/** Lists gas by action and column: a share of a batch, and the least that its call takes. */
type Figures = Record<string, Row>
type Row = Record<string, number>

export type Measured = { relayed: Figures; direct: Figures }

const leastGasColumn = 'least gas to sign'

const batchSizes = [1, 5, 10, 20] as const

/** Measures all that the tables have; an earlier result saves most of the search for the least. */
export async function measureAll(chain: MeasuredChain, earlier: Measured): Promise<Measured> {
  const world = await openWorld(chain)
  // The most expensive call: the first loan of a contract writes to words that are still empty.
  const intent = 'the first loan of all'
  const signer = accountOf('the first borrower')
  const guess = earlier.relayed[intent]?.[leastGasColumn] ?? 0
  const first = await measureLeastGas(world, guess, { signer, data: loanCall, intent })
  const relayed: Figures = { [intent]: first }
  await lendForDays(world)
  await preparePhones(world)
  const direct: Figures = {}
  const measure = async (of: World, actions: RelayedAction[], calls: [string, Call][]) => {
    for (const action of actions) {
      const [name, first] = [action.name, action.requests[0]]
      const guess = earlier.relayed[name]?.[leastGasColumn] ?? 0
      const row = await measureLeastGas(of, guess, first)
      relayed[name] = { ...row, ...(await measureBatches(of, action)) }
    }
    for (const [name, call] of calls) {
      if (name.endsWith('withdraw')) await chain.pass(49 * 3_600)
      const { gasUsed } = await chain.send(call)
      if (name !== '') direct[name] = { gas: gasUsed }
    }
  }
  await measure(world, relayedActions(), await directCalls(world))
  const overToken = await openTokenWorld(chain)
  await prepareTokenPhones(overToken)
  await measure(overToken, tokenActions(), tokenCalls(overToken))
  return { relayed, direct }
}

/** Measures the least gas of a request, which may fail with any. */
async function measureLeastGas(world: World, guess: number, signed?: Signed): Promise<Row> {
  let [low, high] = [0, signedGas]
  if (signed === undefined || !(await succeedsWith(world, signed, high))) return {}
  const look = async (gas: number) => {
    if (await succeedsWith(world, signed, gas)) high = gas
    else low = gas
  }
  for (const gas of [guess, guess - 1]) if (low < gas && gas < high) await look(gas)
  while (high - low > 1) await look(Math.floor((low + high) / 2))
  return { [leastGasColumn]: high }
}

async function measureBatches(world: World, { requests, beside = [] }: RelayedAction) {
  const figures: Row = {}
  for (const size of batchSizes) {
    const call = await executeCall(world, [...requests.slice(0, size), ...beside])
    const { gasUsed } = await world.chain.undoing(() => world.chain.send(call))
    figures[`of ${size}`] = Math.floor(gasUsed / size)
  }
  return figures
}

/** Writes the tables of the contracts' README: Rootstock's gas, and Ethereum's in brackets. */
export function tables({ rootstock, ethereum }: Readonly<Record<Network, Measured>>): string {
  const columns = [leastGasColumn, ...batchSizes.map((size) => `of ${size}`)]
  const heads = batchSizes.map((size) => (size === 1 ? 'alone' : `in ${size}`))
  const table = (kind: keyof Measured, names: readonly string[], titles = names) => {
    const cell = (action: string, name: string) => {
      const [ours, other] = [rootstock, ethereum].map((of) =>
        of[kind][action]?.[name]?.toLocaleString('en-US'),
      )
      return ours === undefined ? '' : `${ours} (${other})`
    }
    const rows = Object.keys(rootstock[kind]).map((action) => [
      action,
      ...names.map((name) => cell(action, name)),
    ])
    const head = [kind, ...titles]
    const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
    return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  }
  const relayed = table('relayed', columns, [leastGasColumn, ...heads])
  return [...relayed, '', ...table('direct', ['gas'])].join('\n')
}
