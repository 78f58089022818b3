import { bytesToHex } from 'viem'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { runWithTimeLimit } from '../../runtime/clock.ts'
import {
  answerMessage,
  countCalls,
  createCustomerBudgets,
  createTooManyBytesError,
  renderRefusals,
  reportUnavailable,
} from '../admission.ts'
import { codes } from '../codes.ts'
import { formatError, parseMessage } from '../message.ts'
import { estimateFilterBytes } from '../objects/log.ts'
import { createNodeSocket } from '../upstream/socket.ts'
import { createFeedChain, createFeedSource } from './chain.ts'
import { createFeedEvents } from './events.ts'
import { createLogReader } from './log-reader.ts'
import { createNotifier } from './notifier.ts'
import type { FeedDeps, FeedOptions } from './options.ts'
import { computePollWaitMs, createPoller, describeUsedUpCalls } from './poller.ts'
import {
  closeCodes,
  createSessions,
  type FeedSocket,
  revokedReason,
  type Session,
} from './sessions.ts'
import type { FeedStore } from './store.ts'
import type { Subscriptions, Topic } from './subscriptions.ts'

export type Feed = ReturnType<typeof createFeed>

const pollMs = 6_000

export function createNodeFeed(deps: FeedDeps, store: FeedStore | undefined): Feed {
  const { service, socketUrls, openSocket, keys, clock, budget } = deps
  const { nodes } = service
  const ask: Parameters<typeof createFeedEvents>[0] = (work) =>
    runWithTimeLimit(clock, pollMs, (signal) =>
      nodes
        .withSignal(signal)
        .ask((node) => work(budget === undefined ? node : budget.countCalls(node))),
    )
  const onChange = () => feed.wake()
  const onHash = () => feed.announcePending()
  const socket = createNodeSocket(socketUrls, clock.now, { onChange, onHash }, openSocket)
  const source = createFeedSource(ask, nodes.recordHead, (bloom) => feed.areLogsWanted(bloom))
  const chain = createFeedChain(source, store?.readBlocks())
  const feed: Feed = createFeed({
    ...deps,
    chain,
    events: createFeedEvents(ask, socket),
    store,
    findKey: keys.lookup,
    nextWaitMs() {
      socket.connectIfDue()
      return computePollWaitMs(
        chain.getBlocks(),
        socket.getReportedHead(),
        clock.now(),
        budget?.getPollIntervalMs(),
      )
    },
    onMissedHead: socket.closeUnlessNew,
  })
  return feed
}

/** Holds the parts of a feed, and who limits what its clients send. */
type FeedParts = Parameters<typeof createPoller>[0] & {
  poller: ReturnType<typeof createPoller>
  budgets: ReturnType<typeof createCustomerBudgets>
}

export function createFeed(options: FeedOptions) {
  const { chain, events, store, clock } = options
  const sessions = createSessions(options, handleLeave)
  const notifier = createNotifier(sessions)
  const logReader = createLogReader({ ...options, sessions, notifier })
  const polled = { ...options, sessions, notifier, logReader }
  const poller = createPoller(polled)
  const parts: FeedParts = { ...polled, poller, budgets: createCustomerBudgets(clock) }

  function handleLeave({ socket, topics }: Session): void {
    if (topics.size > 0) store?.removeSocket(socket.id)
    poller.stopIfUnused()
  }

  return {
    /** Adds a connection; returns false if its key has reached its limit of connections. */
    open: sessions.open,
    /** Restores connections that survived a restart of the feed; drops what others subscribed. */
    restore(sockets: readonly FeedSocket[]): void {
      for (const socket of sockets) sessions.restore(socket)
      for (const { socket, id, topic } of store?.listSubscriptions() ?? []) {
        const session = sessions.get(socket)
        if (session === undefined) store?.removeSocket(socket)
        else session.topics.set(id, { topic, isActive: true })
      }
      // Subscribers are notified of what happened in the meantime.
      poller.resume(notifier.hasTopics() && chain.getBlocks().length > 0)
    },
    async handleMessage(socket: FeedSocket, message: string | ArrayBuffer): Promise<void> {
      const session = sessions.get(socket.id)
      if (session !== undefined) await handleMessage(session, message, parts)
    },
    handleClose: ({ id }: FeedSocket) => sessions.remove(id),
    /** Follows the chain while there are subscriptions. Safe to call at any time. */
    follow: poller.follow,
    wake: poller.wake,
    /** Sends the pending transactions that the socket received, without a poll. */
    announcePending(): void {
      if (notifier.isWanted('newPendingTransactions'))
        notifier.announcePending(events.takeReceived())
    },
    areLogsWanted: notifier.areLogsWanted,
    isFollowed: notifier.hasTopics,
  }
}

/** Polls the chain first, so that a client is notified only of what happens from now on. */
async function join(topic: Topic, { notifier, poller, logReader, budget }: FeedParts) {
  const usedUpReason = describeUsedUpCalls(budget)
  if (usedUpReason !== undefined) throw new RpcError(codes.limitExceeded, usedUpReason)
  notifier.joiningTopics.add(topic)
  const { failedSteps } = await poller.pollOnce()
  const isRead = !failedSteps.has('chain') && !failedSteps.has(topic.kind)
  if (isRead) await logReader.readMissing(topic)
  notifier.joiningTopics.delete(topic)
  if (!isRead) throw new TransportError('the chain could not be read')
}

function createSubscriptions(
  session: Session,
  maxSubscriptions: number,
  parts: FeedParts,
): Subscriptions {
  const { sessions, limits, store, chain, poller } = parts
  const { id: socket, keyHash } = session.socket
  return {
    async add(wanted) {
      await join(wanted, parts)
      const dueBlocks = chain.getBlocks().filter(({ areLogsDue }) => areLogsDue)
      const passedBlocks = dueBlocks.map(({ hash }) => hash)
      const isHeld = wanted.kind === 'logs' && passedBlocks.length > 0
      const topic: Topic = isHeld ? { ...wanted, passedBlocks } : wanted
      if (sessions.get(socket) !== session) throw new TransportError('the client has left')
      const all = [...sessions.list()]
      const topicsOfKey = listTopics(all.filter((other) => other.socket.keyHash === keyHash))
      if (topicsOfKey.length >= maxSubscriptions) {
        throw new RpcError(
          codes.limitExceeded,
          `at most ${maxSubscriptions} subscriptions for one key`,
        )
      }
      const bytes = countFilterBytes([topic])
      const { perKey, total } = limits.filters
      const isOverKey = countFilterBytes(topicsOfKey) + bytes > perKey
      const isOverTotal = countFilterBytes(listTopics(all)) + bytes > total
      if (bytes > 0 && (isOverKey || isOverTotal)) {
        const owner = isOverKey
          ? `one key take at most ${perKey}`
          : `all keys take at most ${total}`
        const message = `the filters of ${owner} bytes of memory: use shorter ones`
        throw new RpcError(codes.limitExceeded, message)
      }
      const id = bytesToHex(crypto.getRandomValues(new Uint8Array(16)))
      session.topics.set(id, { topic, isActive: false })
      store?.addSubscription({ socket, id, topic })
      return id
    },
    remove(id) {
      if (!session.topics.delete(id)) return false
      store?.removeSubscription(id)
      poller.stopIfUnused()
      return true
    },
  }
}

/** Lists all topics each time, so that closed ones free their bytes. */
const listTopics = (sessions: readonly Session[]): Topic[] =>
  sessions.flatMap(({ topics }) => Array.from(topics.values(), ({ topic }) => topic))

const countFilterBytes = (topics: readonly Topic[]): number =>
  topics.reduce(
    (sum, topic) => sum + (topic.kind === 'logs' ? estimateFilterBytes(topic.filter) : 0),
    0,
  )

async function handleMessage(
  session: Session,
  message: string | ArrayBuffer,
  parts: FeedParts,
): Promise<void> {
  const { sessions, limits, budgets } = parts
  sessions.recordMessage(session)
  if (exceedsBytes(limits.messageBytes, message)) {
    const reason = `a message has at most ${limits.messageBytes} bytes`
    return sessions.close(session, closeCodes.tooBig, reason)
  }
  const text = typeof message === 'string' ? message : new TextDecoder().decode(message)
  const { keyHash } = session.socket
  // The error has no id: to find it, the message would have to be parsed, which is refused here.
  let answer: string | undefined = formatError('null', createTooManyBytesError())
  if (budgets.reserve(keyHash, text.length)) {
    try {
      await budgets.waitTurn(keyHash, text.length)
      answer = await answerText(session, text, parts)
    } finally {
      budgets.release(keyHash, text.length)
    }
  }
  if (answer !== undefined) sessions.send(session, answer)
  for (const subscription of session.topics.values()) subscription.isActive = true
}

/** Tells whether a message is too long in bytes, of which a character has three at most. */
function exceedsBytes(bytes: number, message: string | ArrayBuffer): boolean {
  if (typeof message !== 'string') return message.byteLength > bytes
  if (message.length * 3 <= bytes) return false
  return message.length > bytes || new TextEncoder().encode(message).byteLength > bytes
}

async function answerText(session: Session, text: string, parts: FeedParts) {
  const { sessions, limits, findKey, log } = parts
  const message = parseMessage(text)
  const calls = countCalls(message)
  if (session.runningRequests + calls > limits.requestsPerSocket) {
    const words = `at most ${limits.requestsPerSocket} requests at a time on one connection`
    return renderRefusals(message, new RpcError(codes.limitExceeded, words))
  }
  // Counted without an `await` since the check, so concurrent messages see each other.
  session.runningRequests += calls
  try {
    const key = await findKey(session.socket.keyHash)
    if (key.kind === 'unknown') {
      sessions.close(session, closeCodes.policy, revokedReason)
      return undefined
    }
    const subscriptions = createSubscriptions(session, key.maxSubscriptions, parts)
    const caller = { ...parts, subscriptions, waitUntil: () => {} }
    const outcome = await answerMessage(message, key, caller)
    return outcome.kind === 'answered' ? outcome.text : renderRefusals(message, outcome.error)
  } catch (error) {
    return renderRefusals(message, reportUnavailable(error, log))
  } finally {
    session.runningRequests -= calls
  }
}
