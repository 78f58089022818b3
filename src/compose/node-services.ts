import { createNodeService, type NodeService } from '../node/service.ts'
import type { Config } from './config.ts'
import type { Runtime } from './runtime.ts'

/** The node service of the configured chain, and who is told of its calls. */
export function assembleNodeService(
  config: Config,
  runtime: Runtime,
  note?: (calls: number) => void,
): NodeService {
  return createNodeService({ chainId: config.chain.id, urls: config.nodeUrls, ...runtime, note })
}

/** The node services of all networks; the relay's own is the given one. */
export function assembleNodeServices(
  config: Config,
  runtime: Runtime,
  own: NodeService,
): ReadonlyMap<number, NodeService> {
  const services = [...config.networks].map(([chainId, urls]) =>
    chainId === own.chainId ? own : createNodeService({ chainId, urls, ...runtime }),
  )
  return new Map(services.map((service) => [service.chainId, service]))
}
