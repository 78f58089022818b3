import { isObject } from '../../../scripts/dev/rootstock-pool/answers.ts'
import type { Block, Chain, Log } from './chain.ts'
import { bounds, refusals } from './quirks.ts'

const words = ['earliest', 'latest', 'pending']

/** Finds logs as RSKj's LogFilter does. @throws {RpcError} no block, or more than the bounds */
export function logsOf(chain: Chain, given: unknown): Log[] {
  const filter = isObject(given) ? given : {}
  const { blockHash, fromBlock, toBlock } = filter
  const isWanted = wantedBy(filter)
  if (blockHash !== undefined && blockHash !== null) {
    return bounded([chain.byHash(`${blockHash}`)], isWanted)
  }
  const [from, to] = [fromBlock ?? 'latest', toBlock ?? 'latest'].map(String) as [string, string]
  const last = words.includes(to) ? chain.head() : (blockOf(chain, to) ?? chain.head())
  if (from === 'latest') return bounded([chain.head()], isWanted)
  const first = from === 'earliest' ? chain.at(0) : blockOf(chain, from)
  if (first === undefined) return []
  if (last.number - first.number > bounds.logBlocks) throw refusals.logBlocks(bounds.logBlocks)
  const blocks = [last]
  for (let number = last.number - 1; number >= first.number; number -= 1) {
    const block = chain.at(number)
    if (block !== undefined) blocks.unshift(block)
  }
  return bounded(blocks, isWanted)
}

function blockOf(chain: Chain, selector: string): Block | undefined {
  if (words.includes(selector)) return undefined
  if (!/^0x[0-9a-f]+$/i.test(selector)) throw refusals.noSuchTag(selector)
  return chain.at(Number(selector))
}

function bounded(blocks: readonly (Block | undefined)[], isWanted: (log: Log) => boolean): Log[] {
  const found = blocks.flatMap((block) =>
    (block?.receipts ?? []).flatMap(({ logs }) => logs.filter(isWanted)),
  )
  if (found.length > bounds.logs) throw refusals.logCount(bounds.logs)
  return found
}

/** `AddressesTopicsFilter.matchesExactly`: a log with fewer topics than the filter is not wanted. */
function wantedBy({ address, topics }: Record<string, unknown>): (log: Log) => boolean {
  const addresses = listed(address)
  const positions = (Array.isArray(topics) ? topics : []).map(listed)
  return (log) =>
    (addresses.length === 0 || addresses.includes(log.address.toLowerCase())) &&
    positions.every((any, index) => {
      const topic = log.topics[index]
      return topic !== undefined && (any.length === 0 || any.includes(topic.toLowerCase()))
    })
}

function listed(value: unknown): string[] {
  return [value]
    .flat()
    .filter((one) => typeof one === 'string')
    .map((one) => one.toLowerCase())
}
