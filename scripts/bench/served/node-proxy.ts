import { type FaultProxy, startFaultProxy } from '../../dev/faults/fault-proxy.ts'

/** Stands before a node and counts what it is asked. */
export async function startNodeProxy(
  target: string,
  atEnd: (stop: () => unknown) => void,
): Promise<FaultProxy> {
  const proxy = await startFaultProxy({ target })
  atEnd(proxy.stop)
  // viem asks it first; anvil answers it, and no node of Rootstock does.
  proxy.script({ fault: { kind: 'unknown_method' }, methods: ['eth_fillTransaction'] })
  return proxy
}
