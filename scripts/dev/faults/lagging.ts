import { toHex } from 'viem'

/** Calls the node behind; returns the `result` member, or undefined without one. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

type Request = { method: string; params: readonly unknown[] }

const blockAt: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getBlockByNumber: 0,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_getTransactionCount: 1,
}

/** Answers as a replica that is behind; undefined for calls that do not depend on the head. */
export async function laggingAnswer(
  { method, params }: Request,
  blocksBehind: number,
  ask: Ask,
): Promise<{ result: unknown } | undefined> {
  const head = Math.max(0, Number(await ask('eth_blockNumber', [])) - blocksBehind)
  if (method === 'eth_blockNumber') return { result: toHex(head) }
  const at = blockAt[method]
  if (at !== undefined) {
    const asked = params[at] ?? 'latest'
    const number = typeof asked === 'string' && asked.startsWith('0x') ? Number(asked) : head
    if (number > head) return { result: null }
    const older = [...params]
    older[at] = toHex(number)
    return { result: await ask(method, older) }
  }
  switch (method) {
    case 'eth_getTransactionByHash':
    case 'eth_getTransactionReceipt': {
      const found = await ask(method, params)
      return { result: isLater(found, head) ? null : found }
    }
    case 'eth_getLogs': {
      const logs = await ask(method, params)
      if (!Array.isArray(logs)) return { result: [] }
      return { result: logs.filter((log) => !isLater(log, head)) }
    }
    default:
      return undefined
  }
}

function isLater(found: unknown, head: number): boolean {
  if (typeof found !== 'object' || found === null) return false
  const { blockNumber } = found as { blockNumber?: unknown }
  return typeof blockNumber === 'string' && Number(blockNumber) > head
}
