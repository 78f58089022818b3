import { poolRules } from '../chain/chains.ts'
import { type Rpc, RpcError } from '../chain/rpc.ts'
import { type Clock, withTimeLimit } from '../runtime/clock.ts'
import { createWorkSharing } from '../runtime/shared-work.ts'
import { type Cache, type CachedText, createCache, type SharedAnswers } from './cache.ts'
import { codes, createNotAvailableError } from './codes.ts'
import type { Subscriptions } from './feed/subscriptions.ts'
import { methods } from './methods/list.ts'
import type { Context, Method } from './methods/method.ts'
import { readMinedBlock } from './reads/mined-block.ts'
import { buildPaymentProof } from './reads/payment-proof.ts'
import { createUpstream } from './upstream/http-upstream.ts'
import type { UpstreamsOptions } from './upstream/node.ts'
import { createUpstreams, type Upstreams } from './upstream/upstreams.ts'

export type NodeServiceOptions = Pick<UpstreamsOptions, 'chainId' | 'clock' | 'log' | 'waitUntil'> &
  Partial<Pick<UpstreamsOptions, 'mining' | 'comparesAnswers'>> & {
    urls: readonly string[]
    fetch: typeof globalThis.fetch
    shared?: SharedAnswers | undefined
    /** Is called before calls go out to nodes; an exception stops them. */
    onCalls?: ((calls: number) => void) | undefined
  }

const maxCacheLength = 16 * 1024 * 1024

/** Limits an answer's length, as RSKj does. */
const maxAnswerLength = 10 * 1024 * 1024

/** Sets the depth from which a block counts as final, so that answers about it are cached. */
const finalDepth = poolRules.rootstock.confirmations

const maxSharedWaitMs = 250

const methodsByName = new Map(methods.map((method) => [method.name, method]))

/** Finds a method by its name; RSKj's `rsk_*` is the spec's `chain_*`. */
const findMethod = (name: string): Method | undefined =>
  methodsByName.get(name.startsWith('rsk_') ? `chain_${name.slice(4)}` : name)

export const isServed = (name: string): boolean => findMethod(name) !== undefined

export type NodeService = ReturnType<typeof createNodeService>

export function createNodeService(options: NodeServiceOptions) {
  const { chainId, urls, fetch, clock, onCalls, mining, comparesAnswers = false } = options
  const cache = createCache({ maxLength: maxCacheLength, now: clock.now })
  const nodes = urls.map((url, index) =>
    createUpstream({ name: `node ${index + 1}`, url, fetch, onCalls, now: clock.now }),
  )
  const upstreams = createUpstreams(nodes, {
    ...options,
    mining,
    comparesAnswers,
    onUntrueAnswer: cache.dropUnverified,
    async readBlockNumber(node, selector) {
      const block = await readMinedBlock(node, selector, false)
      return block && Number(block.number)
    },
  })
  const sharedCache = createSharedCache(cache, options)
  const sharing = createWorkSharing({ clock, isSharedError: (error) => error instanceof RpcError })
  const deps: Deps = { chainId, upstreams, cache, clock, ...sharing }

  function isFinal(blockNumber: string): boolean {
    const head = upstreams.getKnownHead()
    return head !== undefined && head - Number(blockNumber) >= finalDepth
  }

  /** Answers callers in this process as over HTTP, without cache, envelope, key or quota. */
  const request: Rpc = async (name, params, { signal, onUnproved }) => {
    const method = getMethod(name)
    const provenance = createProvenance(clock)
    const result = await method.call(method.parse(params), createContext(deps, signal, provenance))
    if (!provenance.isProved) onUnproved?.(provenance.isAlone)
    return result
  }

  /** Returns the answer as JSON text, or throws it as an `RpcError`. */
  async function answer(
    name: string,
    params: readonly unknown[],
    signal: AbortSignal,
    subscriptions?: Subscriptions | undefined,
  ): Promise<string> {
    const method = getMethod(name)
    const parsed = method.parse(params)
    if (method.hasEffect) {
      const context = createContext(deps, signal, createProvenance(clock), subscriptions)
      return JSON.stringify(await method.call(parsed, context))
    }
    const key = toCacheKey(method, parsed)
    return (
      cache.get(key)?.text ??
      (await sharing.share(
        key,
        async () => {
          const isShared = method.isImmutable(parsed, isFinal)
          const sharedEntry = isShared ? await sharedCache.find(key) : undefined
          if (sharedEntry !== undefined) return sharedEntry.text
          const provenance = createProvenance(clock)
          const result = await method.call(parsed, createContext(deps, signal, provenance))
          const text = JSON.stringify(result)
          if (text.length > maxAnswerLength) {
            throw new RpcError(
              codes.timeout,
              `an answer has at most ${maxAnswerLength} characters: ask for less`,
            )
          }
          if (result !== null && (isShared || method.isImmutable(parsed, isFinal, result))) {
            const isProved = method.isFullyProved && provenance.isProved
            const entry = { text, unverifiedSince: isProved ? undefined : provenance.oldestAt }
            cache.set(key, entry)
            if (isShared) sharedCache.store(key, entry)
          }
          return text
        },
        signal,
      ))
    )
  }

  return { chainId, nodes: upstreams, request, answer, prove: createProver(deps) }
}

/** Creates access to answers that processes share; those found are copied into the own cache. */
function createSharedCache(
  cache: Cache,
  { chainId, clock, waitUntil, shared }: NodeServiceOptions,
) {
  return {
    async find(key: string): Promise<CachedText | undefined> {
      if (shared === undefined) return undefined
      const lookup = shared.find(`${chainId} ${key}`).catch(() => undefined)
      const entry = await withTimeLimit(clock, maxSharedWaitMs, lookup, () => undefined)
      if (entry === undefined || !cache.isUsable(entry)) return undefined
      cache.set(key, entry)
      return entry
    },
    store(key: string, entry: CachedText): void {
      if (shared) waitUntil(shared.store(`${chainId} ${key}`, entry).catch(() => undefined))
    },
  }
}

/** Creates what proves, as JSON, that a transaction is in the chain, with `depth` blocks above. */
const createProver =
  (deps: Deps) =>
  async (hash: string, depth: number, signal: AbortSignal): Promise<string> => {
    const context = createContext(deps, signal, createProvenance(deps.clock))
    const prove = () => context.ask((node) => buildPaymentProof(node, hash, depth, context))
    const text = await context.getOrCompute(`proof ${hash}`, 'unproved', async () =>
      JSON.stringify(await prove()),
    )
    return `${text}`
  }

type Deps = { chainId: number; upstreams: Upstreams; cache: Cache; clock: Clock } & ReturnType<
  typeof createWorkSharing
>

/**
 * Tells when the oldest part of an answer was read (Unix ms), whether all are proved, and whether
 * one of several nodes alone gave a part of it in an unknown form.
 */
const createProvenance = ({ now }: Clock) => ({ oldestAt: now(), isProved: true, isAlone: false })

function createContext(
  { chainId, upstreams, cache, clock, share }: Deps,
  signal: AbortSignal,
  provenance: ReturnType<typeof createProvenance>,
  subscriptions?: Subscriptions,
): Context {
  const onUnproved = (isAlone: boolean): void => {
    provenance.isProved = false
    provenance.isAlone ||= isAlone
  }
  return {
    chainId,
    ...upstreams,
    ...upstreams.withSignal(signal, onUnproved),
    subscriptions,
    isAborted: () => signal.aborted,
    async getOrCompute(key, kind, compute) {
      const readCached = (): string | undefined => {
        const entry = cache.get(key)
        const { oldestAt } = provenance
        provenance.oldestAt = Math.min(oldestAt, entry?.unverifiedSince ?? oldestAt)
        return entry?.text
      }
      let computed: string | null | undefined
      const computeAndCache = async (): Promise<string | null> => {
        const unverifiedSince = kind === 'proved' ? undefined : clock.now()
        computed = await compute()
        if (computed !== null) cache.set(key, { text: computed, unverifiedSince })
        return computed
      }
      const cachedText = readCached()
      if (cachedText !== undefined) return cachedText
      await share(`part ${key}`, computeAndCache, signal)
      // Why another request cached nothing shows only if this request computes it too.
      return computed === undefined ? (readCached() ?? (await computeAndCache())) : computed
    },
  }
}

function toCacheKey({ name }: Method, params: Record<string, unknown>): string {
  try {
    return `${name} ${JSON.stringify(params)}`
  } catch (error) {
    // Only parameters that are nested very deeply overflow the stack here.
    if (error instanceof RangeError) {
      throw new RpcError(codes.invalidParams, 'invalid parameters: nested too deeply')
    }
    throw error
  }
}

function getMethod(name: string): Method {
  const method = findMethod(name)
  if (method === undefined) throw createNotAvailableError(name)
  return method
}
