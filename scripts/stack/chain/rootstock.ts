import type { LocalChain } from './anvil.ts'

/** Nobody at a terminal waits 25 seconds for a block. The relay's times follow the blocks'. */
const blockSeconds = 3

export type Rootstock = {
  /** The node that everything but the pool itself uses. */
  url: string
  blockSeconds: number
  variables: Record<string, string>
  stop: () => Promise<void>
}

/** From here on the local chain's blocks are the pool's, with Rootstock's rules and RSKj's words. */
export async function startRootstock(chain: LocalChain): Promise<Rootstock> {
  // The usual start does without it.
  const { startRootstockPool } = await import('../../dev/rootstock-pool/start.ts')
  const { url, stop } = await startRootstockPool({
    anvilUrl: chain.url,
    blockMs: blockSeconds * 1_000,
    // `npm run fund` finds the chain's own money by them.
    devMethods: 'passed',
  })
  return {
    url,
    blockSeconds,
    variables: { POOL_RULES: 'rootstock', BLOCK_SECONDS: `${blockSeconds}` },
    stop,
  }
}
