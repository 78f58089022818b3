import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Address, Hash } from 'viem'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Holds the local stack's files; `DEV_DIR` names another folder than `.dev`. */
export type Folder = ReturnType<typeof openFolder>

/** Names of what the local stack keeps. Made for its owner only: it holds the local secrets. */
export function openFolder(env: NodeJS.ProcessEnv = process.env) {
  const path = resolve(root, env.DEV_DIR ?? '.dev')
  mkdirSync(join(path, 'logs'), { recursive: true, mode: 0o700 })
  const at = (...names: string[]) => join(path, ...names)
  return {
    path,
    lock: at('lock.db'),
    processes: at('pids.json'),
    stack: at('stack.json'),
    secrets: at('secrets.json'),
    chain: at('chain'),
    chainState: at('chain', 'state.json.gz'),
    chainHead: at('chain', 'head.json'),
    chainGenesisTime: at('chain', 'genesis-time.json'),
    chainGenesisHash: at('chain', 'genesis-hash.json'),
    log: (name: 'relay' | 'anvil') => at('logs', `${name}.log`),
    ofChain: (genesis: Hash) => at('chains', genesis),
    deployment: (genesis: Hash) => at('chains', genesis, 'deployment.json'),
    /** Keeps one ledger a chain, which still knows what was paid through former contracts. */
    objects: (genesis: Hash) => at('chains', genesis, 'objects'),
    redis: (genesis: Hash) => at('chains', genesis, 'redis'),
    /** Keeps the address of the token that a local chain has of its own. */
    dollar: (genesis: Hash) => at('chains', genesis, 'dollar.json'),
    funded: (genesis: Hash, loan: Address) => at('chains', genesis, loan, 'funded.json'),
  }
}
