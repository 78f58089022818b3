import type { MemoryStore } from '../../../../src/account/memory.ts'
import { waitForVerdict } from '../../../../src/chain/refusals.ts'
import { type Rpc, RpcError, TransportError } from '../../../../src/chain/rpc.ts'
import { createRandom } from '../../random.ts'
import { refusalWords } from '../../rootstock-pool/refusals.ts'
import { createClock, currentActor, getDeadline, resumeAt } from '../actors.ts'
import type { Place } from '../faults.ts'
import { isProvable } from '../plan.ts'
import { type Done, getSigner, type Outcome, type World } from '../world.ts'
import type { Parts } from './programs.ts'

// What every wait of a program goes through: latency, and whatever goes wrong there.

const never = <Answer>(): Promise<Answer> => new Promise<Answer>(() => {})

const objectHangsMs = 12_000

type Met = ReturnType<typeof applyFault>

/** A message takes so long at most, to the ledger or to the node, where nothing is slow. */
export const longestNearMs = 25
export const longestFarMs = 120

/** Names the place, draws what happens there, and lets the actor die or stall where it has to. */
export function applyFault(world: World, what: string, place: Place) {
  const { plan, scheduler, faultAt, transcript } = world
  const actor = currentActor()
  const count = (actor.counts.get(what) ?? 0) + 1
  actor.counts.set(what, count)
  const key = `${actor.name} ${what}#${count}`
  const random = createRandom(plan.seed, key)
  const isNear = place === 'ledger' || place === 'memory'
  const latencyMs = () =>
    plan.setup.slowness * (isNear ? random.int(2, longestNearMs) : random.int(8, longestFarMs))
  const [outMs, backMs] = [latencyMs(), latencyMs()]
  const fault = faultAt(place, random)
  if (fault !== undefined) {
    for (const { troubles } of [actor, ...actor.waiting]) troubles.add(fault.kind)
    transcript.fault(actor.name, what, fault)
  }
  if (fault?.kind === 'stalls') actor.stalledUntil = scheduler.now() + fault.forMs
  if (fault?.kind === 'dies_before') actor.die(fault.scope)
  return { place, actor, random, fault, outMs, backMs }
}

/** Runs a program's own work, a point where it may die; it takes no time unless it stalls. */
export async function own<Answer>(
  world: World,
  what: string,
  place: 'step' | 'tending',
  work: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const { actor, fault } = applyFault(world, what, place)
  if (!actor.isAlive) return never()
  const answer = await work()
  if (fault?.kind === 'dies_after') {
    actor.die(fault.scope)
    return never()
  }
  if (fault?.kind !== 'stalls') return answer
  return new Promise((resolve) => {
    resumeAt(world.scheduler, actor, actor.stalledUntil, () => resolve(answer))
  })
}

type Ends = { done: Done; lost: (hangs: boolean) => void }

/** Goes there and back: who asked hears of it in the end, unless it has died. */
export function exchange(
  { scheduler }: World,
  { actor, place, fault, outMs, backMs }: Met,
  work: (ends: Ends) => void,
  deadline = Number.POSITIVE_INFINITY,
): Promise<unknown> {
  if (!actor.isAlive) return never()
  const isNode = place === 'read' || place === 'send'
  const error = isNode
    ? new TransportError('the connection was lost')
    : new Error('Network connection lost.')
  return new Promise((resolve, reject) => {
    function finish(time: number, outcome: Outcome): void {
      const isLate = time > deadline
      resumeAt(scheduler, actor, isLate ? deadline : time, () => {
        if (fault?.kind === 'dies_after') return actor.die(fault.scope)
        if (isLate) reject(new TransportError('no answer in time'))
        else if (outcome.ok) resolve(outcome.value)
        else reject(outcome.error)
      })
    }
    function lost(hangs: boolean): void {
      const isPatient = deadline === Number.POSITIVE_INFINITY
      const hungUntil = isPatient ? scheduler.now() + objectHangsMs : deadline
      finish(hangs ? hungUntil : scheduler.now(), { ok: false, error })
    }
    function done(outcome: Outcome): void {
      const lateMs = fault?.kind === 'reply_late' ? fault.byMs : 0
      if (fault?.kind === 'reply_lost') lost(fault.hangs)
      else finish(scheduler.now() + backMs + lateMs, outcome)
    }
    const lateMs = fault?.kind === 'request_late' ? fault.byMs : 0
    const arrives = scheduler.now() + outMs + lateMs
    // The caller gives up even if the request is still on its way.
    if (lateMs > 0 && arrives > deadline) finish(deadline + 1, { ok: true, value: undefined })
    const arrive = () => (fault?.kind === 'request_lost' ? lost(fault.hangs) : work({ done, lost }))
    scheduler.at(arrives, arrive, isNode ? 'quiet' : undefined)
  })
}

const nodeLine =
  (world: World): Rpc =>
  (method, params, { signal, onUnproved }) => {
    const { scheduler, records, conditions, plan } = world
    const isReceipt = method === 'eth_getTransactionReceipt'
    if (isReceipt && !isProvable(plan, `${params[0]}`)) onUnproved?.(false)
    const met = applyFault(world, method, method === 'eth_sendRawTransaction' ? 'send' : 'read')
    const { actor, random } = met
    const asked = { ...met, method, params }
    if (actor.isAlive) records.asked.push({ at: scheduler.now(), by: actor.name, method })
    const deadline = getDeadline(signal)
    const ask = () =>
      exchange(
        world,
        met,
        ({ done, lost }) => {
          const isDown = conditions.nodeDown.some(
            ({ until, share }) => scheduler.now() < until && random.chance(share),
          )
          if (!isDown) return done(miscounted(world, asked, answerOf(world, asked)))
          actor.troubles.add('node_down')
          lost(random.chance(0.5))
        },
        deadline,
      )
    return met.place === 'send' ? gatherVerdicts(world, met, ask, deadline) : ask()
  }

/** Has a node with a false verdict answer beside the others, for as long as it gives one. */
function gatherVerdicts(
  world: World,
  met: Met,
  ask: () => Promise<unknown>,
  deadline: number,
): Promise<unknown> {
  const { scheduler, conditions } = world
  const verdict = conditions.falseVerdicts.find(({ until }) => scheduler.now() < until)
  if (verdict === undefined) return ask()
  const error = new RpcError(-32010, refusalWords(verdict.refusal))
  const plain = { ...met, fault: undefined }
  const refuse = () => exchange(world, plain, ({ done }) => done({ ok: false, error }), deadline)
  const nodes = { first: [refuse, ask], last: [ask, refuse], only: [refuse] }[verdict.place]
  const attempts = nodes.map((send) => send())
  return waitForVerdict(attempts, createClock(scheduler, 0).sleep)
}

/** Asks the price feed, which answers with the price of the moment, or not at all. */
const feedLine =
  (world: World): typeof fetch =>
  async (_, init) => {
    const { scheduler, records } = world
    const { micros = 0n } = records.prices.at(-1) ?? {}
    const price = {
      kes: Number(micros) / 1e6,
      last_updated_at: Math.floor(scheduler.now() / 1_000),
    }
    const body = JSON.stringify({ unit: price })
    const answer = { ok: micros > 0n, headers: new Headers(), body: null, text: async () => body }
    const deadline = init?.signal ? getDeadline(init.signal) : undefined
    const met = applyFault(world, 'rate', 'read')
    const asked = exchange(world, met, ({ done }) => done({ ok: true, value: answer }), deadline)
    return (await asked) as Response
  }

type Asked = Met & { method: string; params: readonly unknown[] }

function answerOf({ node, chain, scheduler }: World, { method, params, fault }: Asked): Outcome {
  const refused = (error: Error): Outcome => ({ ok: false, error })
  const failed = () => refused(new RpcError(-32603, 'Internal error'))
  if (fault?.kind === 'error_before') return failed()
  if (fault?.kind === 'quota') return refused(new RpcError(-32010, 'account exceeds quota'))
  try {
    const behindMs = fault?.kind === 'replica_behind' ? fault.byMs : 0
    const value = node(method, params, chain.headAt(scheduler.now() - behindMs))
    if (fault?.kind === 'error_after') return failed()
    if (fault?.kind !== 'garbled') return { ok: true, value }
    // Sending, it is the transport that finds no JSON in it; reading, the node's own parser.
    return method === 'eth_sendRawTransaction'
      ? refused(new TransportError('the answer is no JSON'))
      : { ok: true, value: '<html>' }
  } catch (error) {
    if (error instanceof RpcError) return refused(error)
    throw error
  }
}

/** Has the node lie to Workers about the count; rounds learn the truth and repair it. */
function miscounted({ conditions, scheduler }: World, { actor, method }: Asked, outcome: Outcome) {
  const lies = conditions.miscounts.filter(({ until }) => scheduler.now() < until)
  const by = Math.max(0, ...lies.map((lie) => lie.by))
  if (by === 0 || method !== 'eth_getTransactionCount' || !outcome.ok) return outcome
  if (actor.name.startsWith('round') || !Number.isInteger(Number(outcome.value))) return outcome
  actor.troubles.add('miscounted')
  return { ok: true as const, value: `0x${(Number(outcome.value) + by).toString(16)}` }
}

/** Gives what a program needs on a computer whose clock is wrong by this much. */
export const createParts = (world: World, skewMs = 0): Parts => ({
  setup: world.plan.setup,
  signing: world.signing,
  signer: getSigner(world),
  clock: createClock(world.scheduler, skewMs),
  log: world.log,
  rpc: nodeLine(world),
  step: (what, work) => own(world, what, 'step', work),
  feed: feedLine(world),
})

/** Opens the memories of accounts, as a program reaches them. */
export function memoryLine(world: World): MemoryStore {
  const ask = <Answer>(what: string, work: (by: string) => Answer) => {
    const met = applyFault(world, `memory.${what}`, 'memory')
    const answer = ({ done }: Ends) => done({ ok: true, value: work(met.actor.name) })
    return exchange(world, met, answer) as Promise<Answer>
  }
  return {
    load: (account) => ask('load', (by) => world.memories.load(by, account)),
    save: (account, row, version) =>
      ask('save', (by) => world.memories.save(by, account, row, version)),
  }
}
