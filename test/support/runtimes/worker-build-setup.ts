import { buildWorker } from '../../../scripts/stack/served/worker-build.ts'

/** Builds what tests serve before them: they would all build it at once. */
export default async function setup(): Promise<void> {
  await buildWorker()
  await buildWorker({ entry: 'worker-development' })
}
