import { callOf } from '../../../src/loan/calls.ts'
import { accountOf, type Call, type MeasuredChain } from './chain.ts'
import { directCalls } from './direct.ts'
import { preparePhones, type RelayedAction, relayedActions } from './relayed.ts'
import {
  executeCall,
  lendForDays,
  loanTerms,
  openWorld,
  type Signed,
  signedGas,
  succeedsWith,
  type World,
} from './world.ts'

/** Gas in the two price lists. */
export type Gas = { rootstock: number; ethereum: number }

/** By action and column: a request's share of a batch, and the least gas that its call takes. */
export type Figures = Record<string, Record<string, Gas>>

export type Measured = { relayed: Figures; direct: Figures }

/** How a transaction is measured, and the least gas that a request has to be signed for to succeed. */
type Meter = {
  transaction: (call: Call) => Promise<Gas>
  leastGas: (world: World, signed: Signed, name: string) => Promise<Gas | undefined>
}

/** The column of the least gas that a call has to be signed for. */
export const leastGasColumn = 'least gas to sign'

export const batchSizes = [1, 5, 10, 20] as const

/** Everything that the tables have, in both price lists, on a chain that traces as geth does. */
export function measureAll(chain: MeasuredChain): Promise<Measured> {
  return measureWith(chain, meterOf(chain))
}

/**
 * The same transactions on a Rootstock node, by their receipts; `ethereum` stays 0. The least gas of a call is
 * tried where it was computed: that much is enough, and one less is not.
 */
export function measureReceipts(chain: MeasuredChain, computed: Measured): Promise<Measured> {
  return measureWith(chain, {
    transaction: async (call) => ({ rootstock: (await chain.send(call)).gasUsed, ethereum: 0 }),
    leastGas: async (world, signed, name) => {
      const rootstock = computed.relayed[name]?.[leastGasColumn]?.rootstock
      if (rootstock === undefined) return undefined
      const isEnough = await succeedsWith(world, signed, rootstock)
      const isLess = await succeedsWith(world, signed, rootstock - 1)
      return isEnough && !isLess ? { rootstock, ethereum: 0 } : undefined
    },
  })
}

function meterOf(chain: MeasuredChain): Meter {
  return {
    transaction: async (call) => {
      const { hash, gasUsed } = await chain.send(call)
      return { rootstock: (await chain.rootstockPrice(hash, call)).gasUsed, ethereum: gasUsed }
    },
    leastGas: async (world, signed) => {
      const ethereum = await leastGas(world, signed)
      if (ethereum === undefined) return undefined
      const call = await executeCall(world, [signed])
      return chain.undoing(async () => {
        const { calls } = await chain.rootstockPrice((await chain.send(call)).hash, call)
        const made = calls.find(({ to }) => to === world.loan.toLowerCase())
        return made && { rootstock: made.leastGas, ethereum }
      })
    },
  }
}

/** Undefined where a request fails with any gas. */
async function leastGas(world: World, signed: Signed): Promise<number | undefined> {
  let [low, high] = [0, signedGas]
  if (!(await succeedsWith(world, signed, high))) return undefined
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (await succeedsWith(world, signed, middle)) high = middle
    else low = middle
  }
  return high
}

async function measureWith(chain: MeasuredChain, meter: Meter) {
  const world = await openWorld(chain)
  // The most expensive call: the first loan of a contract writes to words that are still empty.
  const data = callOf({ kind: 'loan', ...loanTerms })
  const signer = accountOf('the first borrower')
  const firstLoan = 'the first loan of all'
  const first = await meter.leastGas(world, { signer, data, intent: firstLoan }, firstLoan)
  await lendForDays(world)
  await preparePhones(world)
  const relayed: Figures = {
    [firstLoan]: first === undefined ? {} : { [leastGasColumn]: first },
  }
  for (const action of relayedActions()) {
    relayed[action.name] = await measureAction(world, meter, action)
  }
  return { relayed, direct: await measureDirect(world, meter) }
}

async function measureAction(
  world: World,
  meter: Meter,
  { name, requests, beside = [] }: RelayedAction,
): Promise<Record<string, Gas>> {
  const figures: Record<string, Gas> = {}
  const [first] = requests
  if (first !== undefined) {
    const least = await meter.leastGas(world, first, name)
    if (least !== undefined) figures[leastGasColumn] = least
  }
  for (const size of batchSizes) {
    const call = await executeCall(world, [...requests.slice(0, size), ...beside])
    figures[`of ${size}`] = shareOf(await world.chain.undoing(() => meter.transaction(call)), size)
  }
  return figures
}

async function measureDirect(world: World, meter: Meter): Promise<Figures> {
  const figures: Figures = {}
  for (const [name, call] of await directCalls(world)) {
    if (name === 'withdraw') await world.chain.pass(49 * 3_600)
    figures[name] = { gas: await meter.transaction(call) }
  }
  return figures
}

function shareOf({ rootstock, ethereum }: Gas, size: number): Gas {
  return { rootstock: Math.floor(rootstock / size), ethereum: Math.floor(ethereum / size) }
}
