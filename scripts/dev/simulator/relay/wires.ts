import type { MemoryStore } from '../../../../src/account/memory.ts'
import { type Rpc, RpcError, TransportError } from '../../../../src/chain/rpc.ts'
import type { Ledger } from '../../../../src/relay/ledger/port.ts'
import { type LedgerMethod, ledgerThrough } from '../../../../src/relay/ledger/steps.ts'
import type { Signer } from '../../../../src/relay/signer.ts'
import { createRandom, type Random } from '../../random.ts'
import { type Actor, type Actors, deadlineOf } from '../actors.ts'
import type { Fault, Faults, Place } from '../faults.ts'
import type { Asked } from '../history.ts'
import type { KeptMemories } from '../lender/kept-memory.ts'
import type { ModelChain } from '../model/chain.ts'
import type { ModelNode } from '../model/model-node.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Story } from '../story.ts'

/** What every wait of a program goes through: latency, and whatever goes wrong there. */
export type Wires = {
  rpc: Rpc
  /** A Worker's calls of the ledger's object. */
  ledger: Ledger
  /** The memories of accounts. */
  memory: MemoryStore
  /** The provider of messages, which takes each that reaches it. */
  sms: (to: string, text: string) => Promise<void>
  /** The object's own calls of its ledger, and what it asks of its storage: points where it may die. */
  own: <Answer>(what: string, work: () => Answer | Promise<Answer>) => Promise<Answer>
  signer: (signer: Signer) => Signer
  /** Work of the program itself, which takes no time unless it stalls. */
  step: <Answer>(what: string, work: () => Promise<Answer>) => Promise<Answer>
}

export type WireOptions = {
  seed: number
  scheduler: Scheduler
  actors: Actors
  faults: Faults
  story: Story
  chain: ModelChain
  node: ModelNode
  /** Whether the node can be reached: all of its calls fail while it cannot. */
  isNodeDown: (random: Random) => boolean
  /** What is added to the relayer's count where a Worker asks for it. */
  miscount: () => number
  host: () => ObjectHost
  memories: KeptMemories
  /** A message reaches the provider. */
  texted: (to: string, text: string) => void
  /** Multiplies every latency. */
  slowness: number
  /** Called with what goes to the node. */
  asked: (call: Asked) => void
}

type Outcome = { ok: true; value: unknown } | { ok: false; error: Error }

/** Where the ledger's object lives. */
type ObjectHost = {
  call(name: string, method: LedgerMethod, args: unknown[], done: (outcome: Outcome) => void): void
  crash(downMs: number): void
}

/** Nobody hears of it any more. */
export const never = <Answer>(): Promise<Answer> => new Promise<Answer>(() => {})

/** How long a call of an object hangs that gets no answer. */
const objectHangsMs = 12_000

export function createWires(options: WireOptions): Wires {
  const { scheduler, actors } = options
  const meet = meeting(options)

  async function own<Answer>(what: string, work: () => Answer | Promise<Answer>): Promise<Answer> {
    const { actor, fault } = meet(what, 'tending')
    if (!actor.isAlive) return never()
    const answer = await work()
    if (fault?.kind === 'dies_after') {
      actor.die(fault.scope)
      return never()
    }
    return answer
  }

  async function step<Answer>(what: string, work: () => Promise<Answer>): Promise<Answer> {
    const { actor } = meet(what, 'step')
    if (!actor.isAlive) return never()
    const answer = await work()
    if (actor.stalledUntil > scheduler.now()) await untilAwake(actor)
    return answer
  }

  function untilAwake(actor: Actor): Promise<void> {
    return new Promise((resolve) => {
      actors.resumeAt(actor, actor.stalledUntil, resolve)
    })
  }

  return {
    rpc: nodeWire(options, meet),
    ledger: ledgerThrough(objectWire(options, meet)),
    ...lenderWires(options, meet),
    own,
    step,
    signer: (signer) => ({
      ...signer,
      sign: (transaction) => step('sign', () => signer.sign(transaction)),
    }),
  }
}

type Met = {
  place: Place
  actor: Actor
  random: Random
  fault: Fault | undefined
  /** How long it takes there and back. */
  outMs: number
  backMs: number
}

type Meet = (what: string, place: Place) => Met

/** Names the place, draws what happens there, and lets the actor die or stall where it has to. */
function meeting({ seed, scheduler, actors, faults, story, slowness }: WireOptions): Meet {
  return (what, place) => {
    const actor = actors.current()
    const key = `${actor.name} ${what}#${actor.count(what)}`
    const random = createRandom(seed, key)
    const isNear = place === 'ledger' || place === 'memory'
    const outMs = isNear ? random.int(2, 25) : random.int(8, 120)
    const backMs = isNear ? random.int(2, 25) : random.int(8, 120)
    const fault = faults.at(key, place, random)
    if (fault !== undefined) {
      actor.troubles.add(fault.kind)
      story.fault(actor.name, what, fault)
    }
    if (fault?.kind === 'stalls') actor.stalledUntil = scheduler.now() + fault.forMs
    if (fault?.kind === 'dies_before') actor.die(fault.scope)
    return { place, actor, random, fault, outMs: outMs * slowness, backMs: backMs * slowness }
  }
}

type Done = (outcome: Outcome) => void

/**
 * There and back: whatever is lost or late on the way, who asked hears of it in the end, unless it has died.
 * `work` is done at the other end, and tells what came of it or has the line lost.
 */
function exchange(
  { scheduler, actors }: WireOptions,
  { actor, place, fault, outMs, backMs }: Met,
  work: (done: Done, lost: (hangs: boolean) => void) => void,
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
      actors.resumeAt(actor, isLate ? deadline : time, () => {
        if (fault?.kind === 'dies_after') return actor.die(fault.scope)
        if (isLate) reject(new TransportError('no answer in time'))
        else if (outcome.ok) resolve(outcome.value)
        else reject(outcome.error)
      })
    }
    const hungUntil = () =>
      deadline < Number.POSITIVE_INFINITY ? deadline : scheduler.now() + objectHangsMs
    const lost = (hangs: boolean) =>
      finish(hangs ? hungUntil() : scheduler.now(), { ok: false, error })
    const lateMs = fault?.kind === 'request_late' ? fault.byMs : 0
    const arrives = scheduler.now() + outMs + lateMs
    // The caller gives up even if the request is still on its way.
    if (lateMs > 0 && arrives > deadline) finish(deadline + 1, { ok: true, value: undefined })
    const done: Done = (outcome) => {
      if (fault?.kind === 'reply_lost') return lost(fault.hangs)
      const backLateMs = fault?.kind === 'reply_late' ? fault.byMs : 0
      finish(scheduler.now() + backMs + backLateMs, outcome)
    }
    const arrive = () => (fault?.kind === 'request_lost' ? lost(fault.hangs) : work(done, lost))
    scheduler.at(arrives, arrive, isNode ? 'quiet' : undefined)
  })
}

/** The way to the node. */
function nodeWire(options: WireOptions, meet: Meet): Rpc {
  return (method, params, { signal }) => {
    const met = meet(method, method === 'eth_sendRawTransaction' ? 'send' : 'read')
    const { actor, random, fault } = met
    const { scheduler, chain, asked, isNodeDown } = options
    const call = { at: scheduler.now(), by: actor.name, method, params, head: chain.head().number }
    if (actor.isAlive) asked(call)
    const work = (done: Done, lost: (hangs: boolean) => void) => {
      if (!isNodeDown(random)) {
        return done(miscounted(options, actor, method, answerOf(options, method, params, fault)))
      }
      actor.troubles.add('node_down')
      lost(random.chance(0.5))
    }
    return exchange(options, met, work, deadlineOf(signal))
  }
}

function answerOf(
  { node, chain, scheduler }: WireOptions,
  method: string,
  params: readonly unknown[],
  fault: Fault | undefined,
): Outcome {
  switch (fault?.kind) {
    case 'error_before':
      return { ok: false, error: new RpcError(-32603, 'Internal error') }
    case 'quota':
      return { ok: false, error: new RpcError(-32010, 'account exceeds quota') }
  }
  try {
    const view =
      fault?.kind === 'replica_behind' ? chain.headAt(scheduler.now() - fault.byMs) : chain.head()
    const value = node(method, params, view)
    if (fault?.kind === 'error_after') {
      return { ok: false, error: new RpcError(-32603, 'Internal error') }
    }
    if (fault?.kind === 'garbled') {
      // Sending, it is the transport that finds no JSON in it; reading, the node's own parser.
      return method === 'eth_sendRawTransaction'
        ? { ok: false, error: new TransportError('the answer is no JSON') }
        : { ok: true, value: '<html>' }
    }
    return { ok: true, value }
  } catch (error) {
    if (error instanceof RpcError) return { ok: false, error }
    throw error
  }
}

/** A node that lies about the count, to Workers alone: rounds learn what is so, and clear up after it. */
function miscounted(
  { miscount }: WireOptions,
  actor: Actor,
  method: string,
  outcome: Outcome,
): Outcome {
  const by = miscount()
  if (by === 0 || method !== 'eth_getTransactionCount' || !outcome.ok) return outcome
  if (actor.name.startsWith('round') || !Number.isInteger(Number(outcome.value))) return outcome
  actor.troubles.add('miscounted')
  return { ok: true, value: `0x${(Number(outcome.value) + by).toString(16)}` }
}

/** A Worker's way to the ledger's object. */
function objectWire(options: WireOptions, meet: Meet) {
  return (method: LedgerMethod, args: unknown[]): Promise<unknown> => {
    const met = meet(`ledger.${method}`, 'ledger')
    const { actor, fault } = met
    return exchange(options, met, (done, lost) => {
      const host = options.host()
      if (fault?.kind === 'object_dies_before') host.crash(fault.downMs)
      host.call(`${actor.name}'s ledger.${method}`, method, args, (outcome) => {
        if (!outcome.ok) actor.troubles.add('object_down')
        if (fault?.kind !== 'object_dies_after') return done(outcome)
        host.crash(fault.downMs)
        lost(false)
      })
    })
  }
}

/** The ways to what a lender has besides. */
function lenderWires(options: WireOptions, meet: Meet): Pick<Wires, 'memory' | 'sms'> {
  const { memories, texted } = options
  function ask<Answer>(what: string, place: Place, work: (by: string) => Answer): Promise<Answer> {
    const met = meet(what, place)
    const answer = (done: Done) => done({ ok: true, value: work(met.actor.name) })
    return exchange(options, met, answer) as Promise<Answer>
  }
  return {
    memory: {
      load: (account) => ask('memory.load', 'memory', (by) => memories.load(by, account)),
      save: (account, row, version) =>
        ask('memory.save', 'memory', (by) => memories.save(by, account, row, version)),
    },
    sms: (to, text) => ask('sms', 'sms', () => texted(to, text)),
  }
}
