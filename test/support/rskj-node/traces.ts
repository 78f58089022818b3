import { isObject } from '../../../scripts/dev/rootstock-pool/answers.ts'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import type { Block, Chain, Receipt, Transaction } from './chain.ts'
import { bounds, refusals } from './quirks.ts'

export type Trace = { transactionHash: string; [member: string]: unknown }

/** The traces of one transaction. */
type Traced = (
  block: Block,
  transaction: Transaction,
  receipt: Receipt | undefined,
) => Promise<readonly Trace[]>

type AnvilTrace = {
  action: Record<string, unknown>
  type: string
  subtraces: number
  traceAddress: number[]
  result?: Record<string, unknown> | null
  error?: string
}

/** `trace_*` as RSKj's TraceModuleImpl has it: whole transactions, selected by their two ends. */
export function createTraces(chain: Chain, traced: Traced) {
  return { ofBlock, ofTransaction, filtered }

  async function ofBlock(block: Block): Promise<Trace[]> {
    const each = await Promise.all(
      block.printed.transactions.map((transaction, index) => {
        return traced(block, transaction, block.receipts[index])
      }),
    )
    return each.flat()
  }

  async function ofTransaction(hash: string): Promise<readonly Trace[] | null> {
    const found = chain.receipt(hash)
    const transaction = found?.block.printed.transactions[found.index]
    if (found === undefined || transaction === undefined) return null
    return await traced(found.block, transaction, found.receipt)
  }

  async function filtered(filter: unknown): Promise<Trace[]> {
    if (!isObject(filter)) throw refusals.parameterCount()
    const count = Number(filter.count ?? bounds.traces)
    const after = Number(filter.after ?? 0)
    if (count > bounds.traces) throw refusals.traceCount(bounds.traces)
    if (after < 0) throw refusals.negativeOffset()
    if (after > bounds.traces) throw refusals.traceOffset(bounds.traces)
    const [first, last] = [blockAt(filter.fromBlock), blockAt(filter.toBlock)]
    if (first && last && first.number > last.number) throw refusals.traceRange()
    const end = (last ?? chain.head()).number
    const found: Trace[] = []
    for (let number = first?.number ?? end + 1; number <= end; number += 1) {
      const block = chain.at(number)
      if (block === undefined || found.length >= after + count) break
      const selected = block.printed.transactions
        .filter(({ from, to }) => takes(filter.fromAddress, from) && takes(filter.toAddress, to))
        .map(({ hash }) => hash as string)
      if (selected.length === 0) continue
      const all = await ofBlock(block)
      found.push(...all.filter(({ transactionHash }) => selected.includes(transactionHash)))
    }
    return found.slice(after, after + count)
  }

  function blockAt(selector: unknown = 'latest'): Block | undefined {
    if (selector === 'latest') return chain.head()
    return chain.at(selector === 'earliest' ? 0 : Number(selector))
  }
}

/** Those that anvil has of it, as RSKj prints them. */
export function tracedBy(anvil: RpcCall): Traced {
  return async (block, transaction, receipt) => {
    const place = placeOf(block, transaction)
    if (Number(transaction.from) === 0) return [remascTrace(transaction, place)]
    const traces = (await anvil('trace_transaction', [transaction.hash])) as AnvilTrace[]
    return traces.map((one) => ({ ...asRskj(one, transaction, receipt), ...place }))
  }
}

/** Where a trace of a transaction is. */
export const placeOf = (
  { hash, number }: { hash: string; number: number | string },
  transaction: { hash: string; transactionIndex: string | null },
) => ({
  blockHash: hash,
  blockNumber: Number(number),
  transactionHash: transaction.hash,
  transactionPosition: Number(transaction.transactionIndex),
})

function takes(wanted: unknown, address: string | null): boolean {
  const any = [wanted ?? []].flat().map((one) => `${one}`.toLowerCase())
  return any.length === 0 || (address !== null && any.includes(address))
}

/** The first call has the gas of the whole transaction, and nothing for one that runs no code. */
function asRskj(trace: AnvilTrace, transaction: Transaction, receipt: Receipt | undefined) {
  const { action, type, subtraces, traceAddress, result, error } = trace
  const isTop = traceAddress.length === 0
  const { creationMethod: _, ...rest } = action
  const runsCode = transaction.input !== '0x' || transaction.to === null
  const gas = isTop ? (runsCode ? transaction.gas : '0x0') : action.gas
  return {
    action: { ...rest, ...(type === 'suicide' ? {} : { gas }) },
    type,
    subtraces,
    traceAddress,
    ...(error === undefined
      ? { result: { ...result, ...(isTop && receipt ? { gasUsed: receipt.gasUsed } : {}) } }
      : { result: null, error: /revert/i.test(error) ? 'Reverted' : error }),
  }
}

/** Of a transaction that nobody signed. */
export function remascTrace(
  { from, to }: { from: string; to: string | null },
  place: ReturnType<typeof placeOf>,
) {
  return {
    action: { callType: 'call', from, to, gas: '0x0', input: '0x', value: '0x0' },
    ...place,
    type: 'call',
    subtraces: 0,
    traceAddress: [],
    result: { gasUsed: '0x0', output: '0x' },
  }
}
