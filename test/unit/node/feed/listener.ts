import { createNodeFeed, type Feed } from '../../../../src/node/feed/network-feed.ts'
import { type FeedDeps, feedLimits } from '../../../../src/node/feed/options.ts'
import { granted } from '../scripted-node.ts'

/** Follows a service's nodes, for clients with an unlimited key. */
export function followNodes(deps: Pick<FeedDeps, 'service' | 'clock'> & Partial<FeedDeps>): Feed {
  const keys = { lookup: async () => ({ ...granted, maxSockets: 1_000, maxSubscriptions: 1_000 }) }
  const others = { socketUrls: [], budget: undefined, keys, limits: feedLimits, log: () => {} }
  return createNodeFeed({ ...others, ...deps }, undefined)
}

let opened = 0

export type Listener = ReturnType<typeof connectTo>

/** Connects a client to a feed, which notes what it is sent and how it is closed. */
export function connectTo(
  feed: Feed,
  { keyHash = granted.hash as string, onSent = (_text: string) => {} } = {},
) {
  opened += 1
  const sent: string[] = []
  const closings: number[] = []
  const reasons: string[] = []
  const socket = {
    id: `${opened}`,
    keyHash,
    send(text: string): void {
      sent.push(text)
      onSent(text)
    },
    close(code: number, reason: string): void {
      closings.push(code)
      reasons.push(reason)
    },
  }
  feed.open(socket, 1_000)
  const say = (text: string) => feed.handleMessage(socket, text)
  const ask = (method: string, ...params: unknown[]) => say(writeCall(method, ...params))
  return {
    ...socket,
    sent,
    closings,
    reasons,
    say,
    ask,
    subscribe: (type: string, ...filter: object[]) => ask('eth_subscribe', type, ...filter),
    /** Lists what it was told of its subscriptions, after so many messages. */
    told: (since = 1) => sent.slice(since).map((text) => JSON.parse(text).params.result),
    leave: () => feed.handleClose(socket),
  }
}

/** Writes a request. */
export const writeCall = (method: string, ...params: unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
