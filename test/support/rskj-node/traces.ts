import { isObject } from '../../../scripts/dev/rootstock-pool/answers.ts'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import type { Block, Chain, Receipt, Transaction } from './chain.ts'

export type Trace = { blockHash: string; transactionHash: string; [member: string]: unknown }

/** Gives the traces of one transaction. */
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

  async function filtered(given: unknown): Promise<Trace[]> {
    const filter = isObject(given) ? given : {}
    const after = Number(filter.after ?? 0)
    const end = after + Number(filter.count ?? 10_000)
    const last = blockAt(filter.toBlock) ?? chain.head()
    const found: Trace[] = []
    for (
      let block = blockAt(filter.fromBlock);
      block !== undefined && block.number <= last.number && found.length < end;
      block = chain.at(block.number + 1)
    ) {
      const selected = block.printed.transactions
        .filter(({ from, to }) => takes(filter.fromAddress, from) && takes(filter.toAddress, to))
        .map(({ hash }): string => hash)
      if (selected.length === 0) continue
      const all = await ofBlock(block)
      found.push(...all.filter(({ transactionHash }) => selected.includes(transactionHash)))
    }
    return found.slice(after, end)
  }

  function blockAt(selector: unknown = 'latest'): Block | undefined {
    if (selector === 'latest') return chain.head()
    return chain.at(selector === 'earliest' ? 0 : Number(selector))
  }
}

/** Gives those that anvil has of it, as RSKj prints them. */
export function tracedBy(anvil: RpcCall): Traced {
  return async (_, transaction, receipt) => {
    if (Number(transaction.from) === 0) return [remascTrace(transaction)]
    const traces = (await anvil('trace_transaction', [transaction.hash])) as AnvilTrace[]
    return traces.map((one) => ({
      ...asRskj(one, transaction, receipt),
      ...placeOf(transaction),
    }))
  }
}

function placeOf({ blockHash, blockNumber, hash, transactionIndex }: Transaction) {
  return {
    blockHash: `${blockHash}`,
    blockNumber: Number(blockNumber),
    transactionHash: hash,
    transactionPosition: Number(transactionIndex),
  }
}

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

/** The trace of a transaction that nobody signed. */
export function remascTrace(transaction: Transaction): Trace {
  const { from, to } = transaction
  return {
    action: { callType: 'call', from, to, gas: '0x0', input: '0x', value: '0x0' },
    ...placeOf(transaction),
    type: 'call',
    subtraces: 0,
    traceAddress: [],
    result: { gasUsed: '0x0', output: '0x' },
  }
}
