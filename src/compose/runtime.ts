import type { MemoryStore } from '../account/memory.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { FeedKeeper, SocketKeeper } from '../node/feed/options.ts'
import type { SharedAnswers } from '../node/shared-answers.ts'
import type { ConsoleOptions } from '../pages/console/route.tsx'
import type { AcceptPayment, Ledger, SetBack, SetBackAnswer } from '../relay/ledger/port.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { PeerOf } from '../ussd/route.ts'
import type { App } from './app.ts'

export type Runtime = {
  clock: Clock
  log: Log
  fetch: typeof globalThis.fetch
  /** Tells from which address a request came, as the platform says: no client can write it. */
  findPeer?: PeerOf
  /** Keeps work alive after the reply. */
  background: (work: Promise<unknown>) => void
}

export type Stores = {
  ledger: Ledger
  /** Has a payment accepted where the ledger is; undefined where this process does it itself. */
  accept?: AcceptPayment
  /** Begins a round; undefined where this process does that by itself. */
  wake?: () => Promise<void>
  setBack?: (to: SetBack) => Promise<SetBackAnswer>
  /** Is asked for each time: a Durable Object's stub that failed stays broken. */
  keyStore: () => KeyStore
  memory: () => MemoryStore
  /** Keeps answers of the node service for all processes. */
  answers: SharedAnswers
  /** Draws the operator's pages; undefined where this process shows none. */
  console?: (options: ConsoleOptions) => App
  /** Takes WebSockets; `getKeeper` tells a keeper in this process what it needs for a network. */
  sockets: (getKeeper: (chainId: number) => FeedKeeper) => SocketKeeper
}
