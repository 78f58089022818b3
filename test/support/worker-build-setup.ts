import { rmSync } from 'node:fs'
import { buildWorker } from '../../scripts/dev/worker-build.ts'

/** Builds the Worker once for all tests that serve it: they run in processes that this one starts. */
export default async function setup(): Promise<() => void> {
  if (process.env.WORKER_BUILD !== undefined) return () => {}
  const folder = await buildWorker()
  process.env.WORKER_BUILD = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
