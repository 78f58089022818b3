import type { Hex } from 'viem'
import { z } from 'zod'
import { classifyRefusal } from '../../chain/refusals.ts'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Flight, fly, outcomeOf } from '../../runtime/flight.ts'
import { faultOf, type Log } from '../../runtime/log.ts'
import { withinTime } from '../../runtime/time-limit.ts'
import { codes } from '../codes.ts'
import { UntrueAnswer } from '../objects/untrue-answer.ts'
import { quantity, toQuantity } from '../objects/values.ts'
import type { Upstream } from './http-upstream.ts'
import { MalformedAnswer } from './malformed-answer.ts'
import type { AskOptions, Node, Profile } from './node.ts'

/** The nodes behind one network, used as if they were one that does not fail. */
export type Upstreams = {
  /**
   * Runs reading work against one node; against another when that one fails, answers nonsense or is
   * slow. The first good answer counts.
   *
   * @throws {RpcError} a node answered with an error object
   * @throws {TransportError} no node gave an answer
   */
  readonly ask: <T>(
    work: (node: Node) => Promise<T>,
    signal: AbortSignal,
    options?: AskOptions,
  ) => Promise<T>
  /** Runs the work against up to two nodes that are at the head; at least one answer. */
  readonly askTwo: <T>(
    work: (node: Node) => Promise<T>,
    signal: AbortSignal,
  ) => Promise<{ name: string; value: T }[]>
  /**
   * Hands a signed transaction to every node; one that takes it is enough. `hash` is the
   * transaction's own: a node that answers another one has not said that it took this one.
   *
   * @throws {RpcError} every node refused it
   * @throws {TransportError} none took it and at least one did not answer: it may have been sent
   */
  readonly send: (raw: Hex, hash: Hex, signal: AbortSignal) => Promise<void>
  /** The number of the most recent block. Among several nodes it never goes back. */
  readonly head: (signal: AbortSignal) => Promise<number>
  /** The highest block seen so far, without asking. */
  readonly knownHead: () => number | undefined
  /**
   * Notes the latest block that a node showed.
   *
   * @throws {TransportError} among several nodes: it is older than one that was shown before
   */
  readonly sawHead: (node: Node, number: number) => void
  /** A node gave an answer that is proved wrong: for a while it is asked last. */
  readonly distrust: (name: string, why: string) => void
}

type Identity = { profile: Profile; client: string }

type State = {
  readonly upstream: Upstream
  identity: Identity | undefined
  suspendedUntil: number
  distrustedUntil: number
  /** When the operator was last told that its answers are malformed. */
  malformedToldAt: number
  strikes: number
  latencyMs: number | undefined
  height: number | undefined
}

/** A node that failed is asked last for this long, twice as long after each further failure. */
const suspensionMs = 500
const longestSuspensionMs = 30_000

/** A node that lied is asked last for this long. */
const distrustMs = 60_000

/** The operator is told no more often than this that a node's answers are malformed. */
const malformedMs = 60_000

/** A read is given to a second node when the first has not answered within these bounds. */
const hedge = { leastMs: 100, mostMs: 1_000, latencies: 4 }

/** One node's time for one piece of work, where another could be asked instead. */
const attemptMs = 4_000

/** How long the heights of several nodes are believed. */
const heightsMs = 1_000

/** Nodes that have not told their height so long after the first one are not waited for. */
const slowHeightMs = 400

/** A head that no node has shown for so long was never one, or its chain is gone. */
const headMs = 30_000

/** A height further than this above the others has to be shown by number too. */
const plausibleLead = 2

export function createUpstreams({
  upstreams,
  chainId,
  blockNumber,
  clock,
  background,
  log,
}: {
  upstreams: readonly Upstream[]
  chainId: number
  /** The number of the block that a node shows for a selector; `null` when it shows none. */
  blockNumber: (node: Node, selector: string) => Promise<number | null>
  clock: Clock
  /** Keeps the runtime alive for work that nobody waits for. */
  background: (work: Promise<unknown>) => void
  log: Log
}): Upstreams {
  const states = upstreams.map(
    (upstream): State => ({
      upstream,
      identity: undefined,
      suspendedUntil: 0,
      distrustedUntil: 0,
      malformedToldAt: Number.NEGATIVE_INFINITY,
      strikes: 0,
      latencyMs: undefined,
      height: undefined,
    }),
  )
  const several = states.length > 1
  let head: { number: number; shownAt: number } | undefined
  let heightsAt = Number.NEGATIVE_INFINITY
  let survey: { startedAt: number; flight: Flight<void> } | undefined

  return {
    async ask(work, signal, { mayLag = false } = {}) {
      await freshenHeights(signal)
      return await race(candidates(), work, signal, mayLag)
    },

    async askTwo(work, signal) {
      await freshenHeights(signal)
      const able = candidates().filter((state) => isAble(state) && !isBehind(state))
      const [first, second] = able
      if (first === undefined || second === undefined || first === second) {
        let name = ''
        const value = await race(
          candidates(),
          (node) => {
            name = node.name
            return work(node)
          },
          signal,
          false,
        )
        return [{ name, value }]
      }
      const attempts = [first, second].map(async (state) => ({
        name: state.upstream.name,
        value: await attemptInTime(state, work, signal),
      }))
      const outcomes = await Promise.allSettled(attempts)
      const answers = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      if (answers.length > 0) return answers
      throw worst(outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])))
    },

    async send(raw, hash, signal) {
      const sent = states.map((state) => handOver(state, raw, hash, signal))
      background(Promise.allSettled(sent))
      try {
        await Promise.any(sent)
      } catch (error) {
        const failures: unknown[] = error instanceof AggregateError ? error.errors : [error]
        const lost = failures.find((failure) => !(failure instanceof RpcError))
        if (lost === undefined) throw failures[0]
        throw new TransportError('the transaction may have been sent', { cause: lost })
      }
    },

    async head(signal) {
      if (!several) {
        const number = await race(candidates(), readHeight, signal, false)
        head = { number, shownAt: clock.now() }
        return number
      }
      if (isSurveyDue()) await surveyed(signal)
      if (head === undefined || clock.now() - head.shownAt > headMs) {
        throw new TransportError('no node told its height')
      }
      return head.number
    },

    knownHead: () => head?.number,

    sawHead(node, number) {
      const known = head?.number ?? 0
      if (!several) {
        head = { number, shownAt: clock.now() }
        return
      }
      const state = states.find(({ upstream }) => upstream.name === node.name)
      if (state !== undefined) state.height = number
      if (number < known) throw new TransportError(`${node.name} is behind`)
      // Higher ones wait for the next survey, which looks closer.
      if (number <= known + plausibleLead) head = { number, shownAt: clock.now() }
    },

    distrust(name, why) {
      const state = states.find(({ upstream }) => upstream.name === name)
      if (state !== undefined) distrust(state, why)
    },
  }

  /** The nodes in the order in which they are asked; a single one twice, for a lost connection. */
  function candidates(): State[] {
    const [only] = states
    if (only !== undefined && !several) return [only, only]
    const rank = (state: State): number => (isAble(state) ? 0 : 2) + (isBehind(state) ? 1 : 0)
    return states.toSorted((a, b) => rank(a) - rank(b))
  }

  function isAble(state: State): boolean {
    return state.suspendedUntil <= clock.now() && isTrusted(state)
  }

  function isTrusted({ distrustedUntil }: State): boolean {
    return distrustedUntil <= clock.now()
  }

  /** Or has not told its height yet, while others have. */
  function isBehind({ height }: State): boolean {
    return head !== undefined && (height === undefined || height < head.number)
  }

  function race<T>(
    order: readonly State[],
    work: (node: Node) => Promise<T>,
    signal: AbortSignal,
    mayLag: boolean,
  ): Promise<T> {
    const stop = new AbortController()
    const failures: unknown[] = []
    let started = 0
    let running = 0
    let absent: { value: T } | undefined

    return new Promise((resolve, reject) => {
      if (!startNext()) giveUp()

      function startNext(): boolean {
        const state = order[started]
        if (state === undefined || stop.signal.aborted || signal.aborted) return false
        started += 1
        running += 1
        const since = clock.now()
        const once = several
          ? attemptInTime(state, work, AbortSignal.any([signal, stop.signal]))
          : attempt(state, work, signal)
        once.then(
          (value) => {
            running -= 1
            if (value === null && mayLag && several && absent === undefined) {
              absent = { value }
              if (startNext() || running > 0) return
            }
            finish(() => resolve(value))
          },
          (error: unknown) => {
            running -= 1
            if (stop.signal.aborted) return noteBeaten(state, since)
            if (error instanceof RpcError && !(mayDiffer(error) && several)) {
              return finish(() => reject(error))
            }
            failures.push(error)
            if (!startNext() && running === 0) giveUp()
          },
        )
        if (several) void hedgeAfter(state)
        return true
      }

      function giveUp(): void {
        const found = absent
        if (found !== undefined) finish(() => resolve(found.value))
        else finish(() => reject(worst(failures)))
      }

      function finish(settle: () => void): void {
        if (stop.signal.aborted) return
        settle()
        stop.abort()
      }

      async function hedgeAfter(state: State): Promise<void> {
        const patience = (state.latencyMs ?? hedge.mostMs / 2) * hedge.latencies
        const delay = Math.min(hedge.mostMs, Math.max(hedge.leastMs, patience))
        await clock.sleep(delay, stop.signal)
        startNext()
      }
    })
  }

  function attemptInTime<T>(
    state: State,
    work: (node: Node) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    return withinTime(clock, attemptMs, (limit) =>
      attempt(state, work, AbortSignal.any([signal, limit])),
    )
  }

  async function attempt<T>(
    state: State,
    work: (node: Node) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const since = clock.now()
    try {
      const value = await work(await nodeOf(state, signal))
      succeeded(state, clock.now() - since)
      return value
    } catch (error) {
      if (error instanceof RpcError) succeeded(state, clock.now() - since)
      else if (error instanceof UntrueAnswer) distrust(state, error.message)
      else if (error instanceof MalformedAnswer) malformed(state, error.message)
      else if (!wasStopped(signal)) failed(state, error)
      throw error
    }
  }

  function succeeded(state: State, tookMs: number): void {
    state.strikes = 0
    state.latencyMs = state.latencyMs === undefined ? tookMs : state.latencyMs * 0.8 + tookMs * 0.2
  }

  function failed(state: State, error: unknown): void {
    if (!(error instanceof TransportError)) return
    const forMs = Math.min(longestSuspensionMs, suspensionMs * 2 ** state.strikes)
    state.strikes += 1
    suspend(state, forMs, 'node.failed', faultOf(error))
    // It may come back as another client, or another chain.
    state.identity = undefined
  }

  /** A hedge was faster: the slow one is not waited for again at once. */
  function noteBeaten(state: State, since: number): void {
    if (clock.now() - since < hedge.leastMs) return
    const forMs = Math.min(longestSuspensionMs, suspensionMs * 2 ** state.strikes)
    state.strikes += 1
    suspend(state, forMs, 'node.slow', 'another node was faster')
  }

  function distrust(state: State, message: string): void {
    if (isTrusted(state)) warn(state, 'node.distrusted', message)
    state.distrustedUntil = clock.now() + distrustMs
  }

  /**
   * Says nothing of the node's other answers: a customer chose the question, and a node may have a
   * way of its own with it. So the next node is asked, and this one keeps its place.
   */
  function malformed(state: State, message: string): void {
    const now = clock.now()
    if (now - state.malformedToldAt < malformedMs) return
    state.malformedToldAt = now
    warn(state, 'node.malformed', message)
  }

  function suspend(state: State, forMs: number, event: string, message: string): void {
    if (isAble(state)) warn(state, event, message)
    state.suspendedUntil = Math.max(state.suspendedUntil, clock.now() + forMs)
  }

  function warn({ upstream }: State, event: string, message: string): void {
    log({ level: 'warn', event, message, node: upstream.name })
  }

  async function nodeOf(state: State, signal: AbortSignal): Promise<Node> {
    const { upstream } = state
    const { profile, client } = state.identity ?? (await identify(state, signal))
    return {
      name: upstream.name,
      profile,
      client,
      async call(method, params, result) {
        const outcome = result.safeParse(await upstream.call(method, params, signal))
        if (outcome.success) return outcome.data
        throw new MalformedAnswer(`${upstream.name} returned a malformed ${method} result`, {
          cause: new Error(z.prettifyError(outcome.error)),
        })
      },
    }
  }

  async function identify(state: State, signal: AbortSignal): Promise<Identity> {
    const { upstream } = state
    const [id, client] = await Promise.all([
      upstream.call('eth_chainId', [], signal),
      upstream.call('web3_clientVersion', [], signal).catch((error: unknown) => {
        if (error instanceof RpcError) return ''
        throw error
      }),
    ])
    if (Number(id) !== chainId) {
      throw new UntrueAnswer(`${upstream.name} serves another chain than ${chainId}`)
    }
    const identity: Identity = {
      client: `${client}`,
      profile: /^rsk/i.test(`${client}`) ? 'rskj' : 'ethereum',
    }
    state.identity = identity
    return identity
  }

  async function handOver(state: State, raw: Hex, hash: Hex, signal: AbortSignal): Promise<void> {
    await withinTime(clock, attemptMs, (limit) =>
      offer(state, raw, hash, AbortSignal.any([signal, limit])),
    )
  }

  async function offer(state: State, raw: Hex, hash: Hex, signal: AbortSignal): Promise<void> {
    const { upstream } = state
    try {
      // A node of another chain is not told what is meant for this one.
      if (state.identity === undefined) await identify(state, signal)
      const answer = await upstream.call('eth_sendRawTransaction', [raw], signal)
      // RSKj may not know the transaction yet, and says zero.
      if (answer === hash || /^0x0{64}$/.test(`${answer}`)) return
      throw new MalformedAnswer(`${upstream.name} answered the hash of another transaction`)
    } catch (error) {
      if (error instanceof RpcError && classifyRefusal(error) === 'known') return
      if (error instanceof UntrueAnswer) distrust(state, error.message)
      else if (error instanceof MalformedAnswer) malformed(state, error.message)
      else if (!(error instanceof RpcError) && !wasStopped(signal)) failed(state, error)
      throw error
    }
  }

  /** Among several nodes the heights are looked at once a second; nobody waits but the first. */
  async function freshenHeights(signal: AbortSignal): Promise<void> {
    if (!several || !isSurveyDue()) return
    const running = surveyed(signal)
    if (head === undefined) await running
    else background(running)
  }

  /** The first survey is waited for by whoever comes while it runs: there is nothing before it. */
  function isSurveyDue(): boolean {
    const isFirst = head === undefined && survey !== undefined
    return isFirst || clock.now() - heightsAt >= heightsMs
  }

  async function surveyed(signal: AbortSignal): Promise<void> {
    const now = clock.now()
    // The survey of a caller who left may never end: neither wait for it without an end nor for long.
    if (survey !== undefined && now - survey.startedAt <= attemptMs) {
      await outcomeOf(survey.flight, clock, attemptMs, signal)
      return
    }
    const own = { startedAt: now, flight: { outcome: undefined } }
    survey = own
    const ended = fly(own.flight, surveyHeights).finally(() => {
      if (survey === own) survey = undefined
    })
    await Promise.race([ended, clock.sleep(attemptMs, signal)])
  }

  async function surveyHeights(): Promise<void> {
    heightsAt = clock.now()
    const told = states.map(tellHeight)
    background(Promise.allSettled(told))
    await Promise.any(told).catch(() => undefined)
    await Promise.race([Promise.allSettled(told), clock.sleep(slowHeightMs)])
    // Suspended nodes count too: a customer whose questions take too long must not stop the head.
    const known = states.filter(({ height }) => height !== undefined)
    const trusted = known.filter(isTrusted)
    const heights = (trusted.length > 0 ? trusted : known).map(({ height = 0 }) => height)
    if (heights.length === 0) return
    const number = Math.max(...heights)
    const now = clock.now()
    if (head === undefined || number >= head.number || now - head.shownAt > headMs) {
      head = { number, shownAt: now }
    }
  }

  /** A node that does not tell its height has none, until it tells one again. */
  async function tellHeight(state: State): Promise<void> {
    try {
      state.height = await withinTime(clock, attemptMs / 2, (limit) =>
        attempt(state, confirmedHeight, limit),
      )
    } catch (error) {
      state.height = undefined
      // What it says of its head is asked for by the service and by no customer.
      if (error instanceof MalformedAnswer) failed(state, error)
      throw error
    }
  }

  /** A node's height; one that is far ahead of what is known has to be found by its number too. */
  async function confirmedHeight(node: Node): Promise<number> {
    const number = await blockNumber(node, 'latest')
    if (number === null) throw new UntrueAnswer('a node shows no latest block')
    if (head === undefined || number > head.number + plausibleLead) {
      const again = await blockNumber(node, toQuantity(number))
      if (again === null) throw new UntrueAnswer('a node lied about its height')
    }
    return number
  }
}

async function readHeight(node: Node): Promise<number> {
  return Number(await node.call('eth_blockNumber', [], quantity))
}

/** Whether another node may well answer what this one refused to. */
function mayDiffer({ code, message }: RpcError): boolean {
  return (
    code === codes.methodNotFound ||
    code === codes.internal ||
    code === codes.limitExceeded ||
    code === codes.timeout ||
    /header not found|unknown block|missing trie node|out ?of ?range|not found|rate.?limit|too many requests|time(d )?.?out/i.test(
      message,
    )
  )
}

/** What to tell of several failures: an answer of a node before the lack of one. */
function worst(failures: readonly unknown[]): Error {
  const refused = failures.filter((failure) => failure instanceof RpcError)
  const best = refused.find(({ code }) => code !== codes.methodNotFound) ?? refused[0]
  return best ?? new TransportError('no node gave an answer', { cause: failures[0] })
}

/** Ended from outside, by whoever asked, rather than by its own time limit. */
function wasStopped({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError')
}
