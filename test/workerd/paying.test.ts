import { describe } from 'vitest'

// Runtimes that hold one relayer's key would take each other's nonces, and who takes the chain's blocks
// into his own hands takes them from all. So what pays is one file, on a chain that is nobody else's.
describe.for([
  ['walk', () => import('./relay/walk.test.ts')],
  ['bad input', () => import('./relay/bad-input.test.ts')],
  ['stolen callback', () => import('./relay/stolen-callback.test.ts')],
  ['settlement', () => import('./relay/settlement.test.ts')],
  ['admission', () => import('./relay/admission.test.ts')],
  ['payments', () => import('./relay/payments.test.ts')],
  ['faults', () => import('./faults/object.test.ts')],
  ['budget', () => import('./node/budget.test.ts')],
  ['feed', () => import('./node/feed-object.test.ts')],
] as const)('%s', async ([, load]) => {
  await load()
})
