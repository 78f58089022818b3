import type { MemoryStore } from '../account/memory.ts'
import type { KeyStore } from '../keys/api-keys.ts'
import type { SharedAnswers } from '../node/cache.ts'
import type { FeedDeps, SocketServer } from '../node/feed/options.ts'
import type { LedgerStore } from '../operator/health.ts'
import type { WholeLedger } from '../operator/kept/steps.ts'
import type { ConsoleOptions } from '../pages/console/route.tsx'
import type { AcceptPayment } from '../relay/ledger/acceptance.ts'
import type { SetBack, SetBackAnswer } from '../relay/ledger/steps.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { FindPeer } from '../ussd/route.ts'
import type { App } from './app.ts'

export type Runtime = {
  clock: Clock
  log: Log
  fetch: typeof globalThis.fetch
  /** Returns the address of a request's sender, as the platform reports it. */
  findPeer?: FindPeer
  /** Keeps work alive after the reply. */
  waitUntil: (work: Promise<unknown>) => void
}

export type Stores = {
  ledger: WholeLedger
  store: LedgerStore
  /** Reads by which policy a full store drops rows; undefined if this store drops none. */
  readEviction?: () => Promise<string | undefined>
  isCronRefused?: () => boolean
  /** Accepts a payment where the ledger is; undefined if this process does it itself. */
  accept?: AcceptPayment
  /** Starts a round; undefined if this process runs rounds itself. */
  wake?: () => Promise<void>
  /** Sets the ledger back to a former state; undefined if the store has no history. */
  setBack?: (to: SetBack) => Promise<SetBackAnswer>
  /** Returns a new key store each time, because a failed Durable Object stub stays broken. */
  keyStore: () => KeyStore
  memory: () => MemoryStore
  /** Caches answers of the node service for all processes. */
  answers: SharedAnswers
  /** Creates the operator's pages; undefined if this process shows none. */
  console?: (options: ConsoleOptions) => App
  /** Accepts WebSockets; `getFeedDeps` returns the parts of a network's feed in this process. */
  sockets: (getFeedDeps: (chainId: number) => FeedDeps) => SocketServer
}
