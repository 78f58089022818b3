import type { Address, Hex } from 'viem'
import { createRandom } from '../random.ts'
import { poorWei, richWei, startGasPriceWei } from './ground.ts'
import { unlock } from './lender/product.ts'
import type { ChainState, ModelBlock } from './model/chain.ts'
import { accountOf as loanAccountOf } from './model/contracts.ts'
import type { ModelTransaction } from './model/signing.ts'
import type { Item } from './plan.ts'
import { crash, loseEverything, loseRow } from './relay/object.ts'
import { deliver, freezeWorker, restartWorker } from './relay/workers.ts'
import { blockWords, nameOf, short, wordsOf } from './story.ts'
import { accountOf, type World } from './world.ts'

/** Whom the relay knows nothing of. */
const strangerAddress: Address = `0x${'5e'.repeat(20)}`

const noOpGas = 21_000

type ItemOf<Kind extends Item['kind']> = Extract<Item, { kind: Kind }>

/** When an item of a plan and its consequences are over, in ms from its phase's start. */
export function endOf(item: Item): number {
  return item.at + ('forMs' in item ? item.forMs : 0)
}

/** Lets an item of the plan happen. */
export function happen(world: World, item: Item): void {
  const { phase: _, at: __, ...what } = item
  if (item.kind !== 'dial') world.story.tell(() => wordsOf(what))
  begin(world, item)
}

function begin(world: World, item: Item): void {
  const { chain, scheduler, weather, records } = world
  const until = scheduler.now() + ('forMs' in item ? item.forMs : 0)
  switch (item.kind) {
    case 'dial':
      deliver(world, item, item.phase, false)
      break
    case 'reorganization':
      reorganize(world, item)
      break
    case 'alternation':
      alternate(world, item)
      break
    case 'eviction':
      evict(world, item)
      break
    case 'price':
      raisePrice(world, item)
      break
    case 'lasting_price':
      weather.usualGasPriceWei = timesUp(startGasPriceWei, item.times)
      chain.setMinGasPrice(weather.usualGasPriceWei)
      break
    case 'shortage':
      changeFor(world, item, (state, isBack) => {
        state.relayerWei = isBack ? richWei : poorWei
      })
      break
    case 'unlisted':
      changeFor(world, item, (state, isBack) => {
        state.isRelayerAllowed = isBack
      })
      break
    case 'pause':
      changeFor(world, item, (state, isBack) => {
        state.isPaused = !isBack
      })
      break
    case 'withdrawal':
      withdraw(world, item)
      break
    case 'foreign':
      sendForeign(world, item)
      break
    case 'loss':
      loseEverything(world)
      records.losses.push({ at: scheduler.now(), row: undefined })
      break
    case 'row_loss':
      loseOneRow(world, item)
      break
    case 'restart':
      crash(world, item.downMs)
      break
    case 'worker_restart':
      restartWorker(world, item.worker)
      break
    case 'freeze':
      freezeWorker(world, item.worker, item.forMs)
      break
    case 'node_down':
      weather.nodeDown.push({ until, share: item.share })
      break
    case 'no_blocks':
      weather.blocksStopUntil = Math.max(weather.blocksStopUntil, until)
      break
    case 'unlock':
      void unlock(world.memories, accountOf(world, item.caller))
      break
    case 'miscount':
      weather.miscounts.push({ until, by: item.by })
      break
  }
}

/** Which transactions of a branch that is lost come back to the pool. */
const returnsOf =
  ({ plan: { seed, knobs } }: World, { at }: Item) =>
  ({ hash }: ModelTransaction) =>
    createRandom(seed, `${hash} ${at}`).chance(knobs.returned)

/** Takes blocks away, and puts others in their place or takes a branch up again. */
function branch(
  { records, scheduler, story }: World,
  { removed, added }: { removed: ModelBlock[]; added: ModelBlock[] },
): void {
  records.reorganizations.push({ at: scheduler.now(), removed: removed.length })
  const list = (blocks: ModelBlock[]) => blocks.map(blockWords).join(' | ') || 'none'
  story.tell(() => `The chain loses ${list(removed)} and gets ${list(added)}.`)
}

function reorganize(world: World, item: ItemOf<'reorganization' | 'alternation'>): void {
  const { chain, scheduler } = world
  const returns = returnsOf(world, item)
  branch(world, chain.reorganize(item.depth, item.blocks, scheduler.now(), returns))
}

/** Another branch takes some blocks' place, and they come back where the watch still sees them. */
function alternate(world: World, item: ItemOf<'alternation'>): void {
  const { chain, scheduler, plan } = world
  const tip = chain.head()
  reorganize(world, item)
  after(world, item, () => {
    if (chain.depthBelow(tip) > plan.knobs.rules.watchBlocks - 6) return
    branch(world, chain.resume(tip, scheduler.now(), returnsOf(world, item)))
  })
}

function evict({ plan, pool, story }: World, item: ItemOf<'eviction'>): void {
  const random = randomOf(plan.seed, item)
  const dropped = pool.all().filter(() => random.chance(item.share))
  for (const { hash } of dropped) pool.remove(hash)
  story.tell(() => `The pool drops ${dropped.map(nameOf).join(', ') || 'nothing'}.`)
}

function raisePrice(world: World, item: ItemOf<'price'>): void {
  const { chain, weather } = world
  chain.setMinGasPrice(timesUp(weather.usualGasPriceWei, item.times))
  after(world, item, () => chain.setMinGasPrice(weather.usualGasPriceWei))
}

/** Changes the chain's state with the next block, and back with one after so many ms. */
function changeFor(
  world: World,
  item: ItemOf<'shortage' | 'unlisted' | 'pause'>,
  change: (state: ChainState, isBack: boolean) => void,
): void {
  world.chain.change((state) => change(state, false))
  after(world, item, () => world.chain.change((state) => change(state, true)))
}

function withdraw({ chain, callers }: World, { caller }: ItemOf<'withdrawal'>): void {
  chain.change((state) => {
    const account = loanAccountOf(state, callers[caller] ?? strangerAddress)
    loanAccountOf(state, strangerAddress).balanceWei += account.balanceWei
    account.balanceWei = 0n
  })
}

function loseOneRow(world: World, item: ItemOf<'row_loss'>): void {
  const { plan, records, scheduler, story } = world
  const row = loseRow(world, item.table, randomOf(plan.seed, item))
  if (row === undefined) return
  records.losses.push({ at: scheduler.now(), row: { table: item.table, ...row } })
  story.tell(() => `The ledger loses the row ${short(row.key)} of ${item.table}.`)
}

/** What of an item is left to chance. */
const randomOf = (seed: number, { kind, at }: Item) => createRandom(seed, `${kind} ${at}`)

const timesUp = (wei: bigint, times: number) => (wei * BigInt(Math.round(times * 10))) / 10n

/** Once what lasts for so long is over. */
function after({ scheduler, story }: World, item: Item & { forMs: number }, change: () => void) {
  const end = () => {
    change()
    story.tell(() => `${item.kind} is over`)
  }
  scheduler.at(scheduler.now() + item.forMs, end, 'quiet')
}

/** A transaction with the relayer's key that the relay knows nothing of. */
function sendForeign(world: World, { nonce: where, times }: ItemOf<'foreign'>) {
  const { chain, pool, records, signing } = world
  const stateNonce = chain.head().state.nonce
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
