import type { MemoryStore } from '../account/memory.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { FeedKeeper } from '../node/feed/keeper.ts'
import type { SocketKeeper } from '../node/feed/sockets.ts'
import type { Ledger, SetBack, SetBackAnswer } from '../relay/ledger/port.ts'

/** Where a runtime keeps what outlives a request: Durable Objects, or Redis and the process. */
export type Stores = {
  ledger: Ledger
  /** Has a round look after the ledger now. Undefined: this process does that by itself. */
  wake?: () => Promise<void>
  /** Sets the ledger back to where it was. Undefined: what it is kept in keeps no history. */
  setBack?: (to: SetBack) => Promise<SetBackAnswer>
  /** Asked for each time: a Durable Object's stub that failed stays broken. */
  keyStore: () => KeyStore
  /** What is kept of each account for its caller's sake. */
  memory: () => MemoryStore
  /** Takes WebSockets; `keeperOf` tells a keeper in this process what it needs for a network. */
  sockets: (keeperOf: (chainId: number) => FeedKeeper) => SocketKeeper
}
