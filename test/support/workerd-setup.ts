import type { TestProject } from 'vitest/node'
import { startChain } from '../../scripts/dev/chain.ts'

/** One chain for all tests that run in workerd; each uses callers of its own. */
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
