import type { Draft } from '../draft.ts'
import type { Row } from '../rows.ts'

type BlockColumns = Pick<Row<'nonces'>, 'block_hash' | 'block_number'>
type BlockContents = Pick<Row<'blocks'>, 'nonces' | 'sessions'>

/** Moves nonces or payments from the row of one block to that of another. */
export function updateBlockContents(
  rows: Draft,
  before: BlockColumns | undefined,
  after: BlockColumns | undefined,
  contents: BlockContents,
): void {
  const [hashBefore, hashAfter] = [before?.block_hash ?? null, after?.block_hash ?? null]
  if (hashBefore === hashAfter) return
  const blockBefore = hashBefore === null ? undefined : rows.row('blocks', hashBefore)
  if (blockBefore !== undefined) removeContents(rows, blockBefore, contents)
  const number = after?.block_number ?? null
  if (hashAfter === null || number === null) return
  const { nonces = [], sessions = [] } = rows.row('blocks', hashAfter) ?? {}
  rows.put('blocks', {
    hash: hashAfter,
    number,
    nonces: [...nonces, ...contents.nonces],
    sessions: [...sessions, ...contents.sessions],
  })
}

/** Removes contents from a block's row, and deletes the row if nothing remains. */
function removeContents(rows: Draft, block: Row<'blocks'>, contents: BlockContents): void {
  const removed = new Set([...contents.nonces, ...contents.sessions].map(String))
  const nonces = block.nonces.filter((nonce) => !removed.has(`${nonce}`))
  const sessions = block.sessions.filter((session) => !removed.has(session))
  if (nonces.length + sessions.length > 0) rows.put('blocks', { ...block, nonces, sessions })
  else rows.drop('blocks', block.hash)
}
