import { startFaultProxy } from '../../dev/faults/fault-proxy.ts'

const unknownMethod = { code: -32601, message: 'method not found' }

/** Stands before a node and counts what it is asked. */
export async function startNodeProxy(target: string, onEnd: (stop: () => unknown) => void) {
  const proxy = await startFaultProxy({ target })
  onEnd(proxy.stop)
  // viem asks it first; anvil answers it, and no node of Rootstock does.
  const change = ({ id }: { id?: unknown }) => ({ jsonrpc: '2.0', id, error: unknownMethod })
  proxy.script({ fault: { kind: 'changed', change }, methods: ['eth_fillTransaction'] })
  return proxy
}
