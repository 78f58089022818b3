import type { FeedBlock } from './chain.ts'
import type { Topic } from './subscriptions.ts'

/** Limits the characters of a row; a block with many logs takes several rows. */
const maxRowLength = 500_000

const insertBlock = 'INSERT OR REPLACE INTO blocks (hash, part, number, body) VALUES (?, ?, ?, ?)'
const insertSubscription = 'INSERT INTO subscriptions (id, socket, topic) VALUES (?, ?, ?)'

type Row = Readonly<Record<string, unknown>>
type Sql = { exec: (query: string, ...bindings: (string | number)[]) => Iterable<Row> }

/** Stores what must survive a restart of the feed. */
export type FeedStore = ReturnType<typeof createFeedStore>

type StoredSubscription = { socket: string; id: string; topic: Topic }

export function createFeedStore(sql: Sql) {
  sql.exec(`CREATE TABLE IF NOT EXISTS blocks (
    hash TEXT NOT NULL, part INTEGER NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (hash, part))`)
  sql.exec(`CREATE TABLE IF NOT EXISTS subscriptions (
    id TEXT PRIMARY KEY, socket TEXT NOT NULL, topic TEXT NOT NULL)`)
  return {
    readBlocks(): FeedBlock[] {
      const bodies = new Map<string, string>()
      const rows = sql.exec('SELECT hash, body FROM blocks ORDER BY number, part')
      for (const { hash, body } of rows)
        bodies.set(`${hash}`, `${bodies.get(`${hash}`) ?? ''}${body}`)
      return [...bodies.values()].map((body) => JSON.parse(body) as FeedBlock)
    },
    /** Removes blocks, adds or replaces others, and drops those before number `oldest`. */
    replaceBlocks(
      removedBlocks: readonly FeedBlock[],
      changedBlocks: readonly FeedBlock[],
      oldest: number,
    ): void {
      for (const { hash } of removedBlocks) sql.exec('DELETE FROM blocks WHERE hash = ?', hash)
      for (const block of changedBlocks) {
        const body = JSON.stringify(block)
        for (let part = 0; part * maxRowLength < body.length; part += 1) {
          const text = body.slice(part * maxRowLength, (part + 1) * maxRowLength)
          sql.exec(insertBlock, block.hash, part, block.number, text)
        }
      }
      sql.exec('DELETE FROM blocks WHERE number < ?', oldest)
    },
    listSubscriptions: (): StoredSubscription[] =>
      Array.from(sql.exec('SELECT * FROM subscriptions'), ({ id, socket, topic }) => ({
        id: `${id}`,
        socket: `${socket}`,
        topic: JSON.parse(`${topic}`) as Topic,
      })),
    addSubscription({ id, socket, topic }: StoredSubscription): void {
      sql.exec(insertSubscription, id, socket, JSON.stringify(topic))
    },
    removeSubscription(id: string): void {
      sql.exec('DELETE FROM subscriptions WHERE id = ?', id)
    },
    removeSocket(socket: string): void {
      sql.exec('DELETE FROM subscriptions WHERE socket = ?', socket)
    },
  }
}
