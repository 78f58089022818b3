import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  buildWorker,
  metafile,
  type WorkerEntry,
} from '../../../scripts/stack/served/worker-build.ts'

test('the deployed Worker contains no phone page', async () => {
  const inputs = async (entry: WorkerEntry) => {
    const { folder } = await buildWorker({ entry })
    const { outputs } = JSON.parse(readFileSync(join(folder, metafile), 'utf8')) as {
      outputs: Record<string, { inputs: object }>
    }
    return Object.values(outputs).flatMap((output) => Object.keys(output.inputs))
  }
  const isOfPhone = (file: string) => file.includes('scripts/stack/phone/page/')
  expect((await inputs('worker')).filter(isOfPhone)).toEqual([])
  expect((await inputs('worker-development')).filter(isOfPhone)).not.toEqual([])
  expect((await buildWorker()).script).not.toContain('/phone')
})
