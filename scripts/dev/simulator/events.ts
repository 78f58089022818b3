import type { Address, Hex } from 'viem'
import { createRandom } from '../random.ts'
import { poorWei, richWei, startGasPriceWei } from './ground.ts'
import { unlock } from './lender/product.ts'
import type { ChainState, ModelBlock } from './model/chain.ts'
import { accountOf } from './model/contracts.ts'
import type { ModelTransaction } from './model/signing.ts'
import type { Item } from './plan.ts'
import type { Workers } from './relay/workers.ts'
import { blockWords, nameOf, short } from './story.ts'
import { poolViewOf, type World } from './world.ts'

/** Whom the relay knows nothing of. */
const strangerAddress: Address = `0x${'5e'.repeat(20)}`

const noOpGas = 21_000

type ItemOf<Kind extends Item['kind']> = Extract<Item, { kind: Kind }>

/** When an item of a plan and its consequences are over, in ms from its phase's start. */
export function endOf(item: Item): number {
  return item.at + ('forMs' in item ? item.forMs : 0)
}

/** Lets an item of the plan happen. */
export function happen(world: World, workers: Workers, item: Item): void {
  const words = begin(world, workers, item)
  if (words !== undefined) world.story.tell(() => words)
}

/** What happened, in words. */
function begin(world: World, workers: Workers, item: Item): string | undefined {
  const { chain, scheduler, host, weather, records } = world
  switch (item.kind) {
    case 'dial':
      workers.deliver(item, item.phase, false)
      return undefined
    case 'reorganization':
      return reorganize(world, item)
    case 'alternation':
      return alternate(world, item)
    case 'eviction':
      return evict(world, item)
    case 'price':
      return raisePrice(world, item)
    case 'lasting_price':
      weather.usualGasPriceWei = timesUp(startGasPriceWei, item.times)
      chain.setMinGasPrice(weather.usualGasPriceWei)
      return `The least gas price is ${item.times} times what it was, and stays so.`
    case 'shortage':
      return runShort(world, item)
    case 'unlisted':
      return unlist(world, item)
    case 'pause':
      return pause(world, item)
    case 'withdrawal':
      return withdraw(world, item)
    case 'foreign':
      sendForeign(world, item)
      return "Another program uses the relayer's key."
    case 'loss':
      host.loseEverything()
      records.losses.push({ at: scheduler.now(), row: undefined })
      return 'The ledger loses everything.'
    case 'row_loss':
      return loseRow(world, item)
    case 'restart':
      host.crash(item.downMs)
      return `The ledger's object dies, for ${item.downMs} ms.`
    case 'worker_restart':
      workers.restart(item.worker)
      return `Worker ${item.worker} dies.`
    case 'freeze':
      workers.freeze(item.worker, item.forMs)
      return `Worker ${item.worker} is not run for ${item.forMs} ms.`
    case 'node_down':
      weather.nodeDown.push({ until: scheduler.now() + item.forMs, share: item.share })
      return `The node is down for ${item.forMs / 1000} s, for ${item.share * 100} % of all questions.`
    case 'no_blocks':
      weather.blocksStopUntil = Math.max(weather.blocksStopUntil, scheduler.now() + item.forMs)
      return `There are no blocks for ${item.forMs / 1000} s.`
    case 'unlock': {
      const account = world.callers[item.caller]
      if (account !== undefined) void unlock(world.memories, account)
      return `An operator gives caller ${item.caller} all tries back.`
    }
    case 'miscount':
      weather.miscounts.push({ until: scheduler.now() + item.forMs, by: item.by })
      return `Workers are told of ${item.by} transactions too many for ${item.forMs / 1000} s.`
  }
}

/** Which transactions of a branch that is lost come back to the pool. */
const returnsOf =
  ({ plan: { seed, knobs } }: World, { at }: Item) =>
  ({ hash }: ModelTransaction) =>
    createRandom(seed, `${hash} ${at}`).chance(knobs.returned)

function reorganize(world: World, item: ItemOf<'reorganization'>): string {
  const now = world.scheduler.now()
  const { removed, added } = world.chain.reorganize(
    item.depth,
    item.blocks,
    now,
    returnsOf(world, item),
  )
  world.records.reorganizations.push({ at: now, removed: removed.length })
  const list = (blocks: ModelBlock[]) => blocks.map(blockWords).join(' | ') || 'none'
  return `The chain loses ${removed.length} blocks (${list(removed)}) and gets ${added.length} others (${list(added)}).`
}

/** Another branch takes some blocks' place, and they come back where the watch still sees them. */
function alternate(world: World, item: ItemOf<'alternation'>): string {
  const { chain, scheduler, records, plan } = world
  const tip = chain.head()
  const returns = returnsOf(world, item)
  const { removed } = chain.reorganize(item.depth, item.blocks, scheduler.now(), returns)
  records.reorganizations.push({ at: scheduler.now(), removed: removed.length })
  after(world, item.forMs, 'The branch that was lost comes back, if it is not too old.', () => {
    if (chain.depthBelow(tip) > plan.knobs.rules.watchBlocks - 6) return
    const back = chain.resume(tip, scheduler.now(), returns)
    records.reorganizations.push({ at: scheduler.now(), removed: back.removed.length })
  })
  return `Another branch takes the place of ${removed.length} blocks (${removed.map(blockWords).join(' | ')}) for ${item.forMs / 1000} s.`
}

function evict({ plan, pool }: World, item: ItemOf<'eviction'>): string {
  const random = randomOf(plan.seed, item)
  const dropped = pool.all().filter(() => random.chance(item.share))
  for (const { hash } of dropped) pool.remove(hash)
  return `The pool drops ${dropped.map(nameOf).join(', ') || 'nothing'}.`
}

function raisePrice(world: World, item: ItemOf<'price'>): string {
  const { chain, weather } = world
  chain.setMinGasPrice(timesUp(weather.usualGasPriceWei, item.times))
  after(world, item.forMs, 'The least gas price is the usual one.', () =>
    chain.setMinGasPrice(weather.usualGasPriceWei),
  )
  return `The least gas price is ${item.times} times the usual one.`
}

function runShort(world: World, { forMs }: ItemOf<'shortage'>): string {
  changeFor(world, forMs, 'The relayer gets money in the next block.', (state, isBack) => {
    state.relayerWei = isBack ? richWei : poorWei
  })
  return "The relayer's money is gone in the next block."
}

function unlist(world: World, { forMs }: ItemOf<'unlisted'>): string {
  const back = 'The forwarder allows the relayer from the next block on.'
  changeFor(world, forMs, back, (state, isBack) => {
    state.isRelayerAllowed = isBack
  })
  return 'The forwarder does not allow the relayer from the next block on.'
}

function pause(world: World, { forMs }: ItemOf<'pause'>): string {
  changeFor(world, forMs, 'The loan contract goes on in the next block.', (state, isBack) => {
    state.isPaused = !isBack
  })
  return 'The loan contract pauses in the next block.'
}

/** Changes the chain's state with the next block, and back with one after so many ms. */
function changeFor(
  world: World,
  forMs: number,
  back: string,
  change: (state: ChainState, isBack: boolean) => void,
): void {
  world.chain.change((state) => change(state, false))
  after(world, forMs, back, () => world.chain.change((state) => change(state, true)))
}

function withdraw({ chain, callers }: World, { caller }: ItemOf<'withdrawal'>): string {
  chain.change((state) => {
    const account = accountOf(state, callers[caller] ?? strangerAddress)
    accountOf(state, strangerAddress).balanceWei += account.balanceWei
    account.balanceWei = 0n
  })
  return `Caller ${caller}'s money is moved away in the next block.`
}

function loseRow(world: World, item: ItemOf<'row_loss'>): string | undefined {
  const { plan, host, records, scheduler } = world
  const row = host.loseRow(item.table, randomOf(plan.seed, item))
  if (row === undefined) return undefined
  records.losses.push({ at: scheduler.now(), row: { table: item.table, ...row } })
  return `The ledger loses the row ${short(row.key)} of ${item.table}.`
}

/** What of an item is left to chance. */
const randomOf = (seed: number, { kind, at }: Item) => createRandom(seed, `${kind} ${at}`)

const timesUp = (wei: bigint, times: number) => (wei * BigInt(Math.round(times * 10))) / 10n

function after({ scheduler, story }: World, ms: number, words: string, change: () => void): void {
  scheduler.at(
    scheduler.now() + ms,
    () => {
      change()
      story.tell(() => words)
    },
    'quiet',
  )
}

/** A transaction with the relayer's key that the relay knows nothing of. */
function sendForeign(world: World, { nonce: where, times }: ItemOf<'foreign'>) {
  const { chain, pool, records, signing } = world
  const { stateNonce } = poolViewOf(world)
  const nonce = where === 'next' ? stateNonce : stateNonce + pool.minable(stateNonce).length
  const gasPriceWei = chain.minGasPriceWei() * BigInt(times)
  const send = ({ hash, raw }: { hash: Hex; raw: Hex }) => {
    records.foreign.add(hash)
    try {
      world.node('eth_sendRawTransaction', [raw], chain.head())
    } catch {
      // Refused: the story has the pool's words.
    }
  }
  signing.relayer
    .sign({ nonce, to: strangerAddress, data: '0x', gas: noOpGas, gasPriceWei })
    .then(send, (error) => records.noticed.push(['uncaught', `${error}`]))
}
