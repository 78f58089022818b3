import { buildWorker } from '../../scripts/stack/served/worker-build.ts'

/** Builds the Worker before the tests that serve it: they would all build it at once. */
export default async function setup(): Promise<void> {
  await buildWorker()
}
