import { createRequire } from 'node:module'
import type { TestProject } from 'vitest/node'

// By Node itself: Vite would transform the chain's modules, viem's among them, once for each
// runtime.
const { startChain } = createRequire(import.meta.url)(
  '../../../scripts/dev/chain.ts',
) as typeof import('../../../scripts/dev/chain.ts')

/** Starts one chain for all tests of a runtime; each uses its own callers. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chain = await startChain()
  project.provide('workerBindings', chain.bindings)
  return chain.stop
}

declare module 'vitest' {
  interface ProvidedContext {
    workerBindings: Record<string, string>
  }
}
