import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { startRelayWorkers } from '../../../scripts/dev/relays/relay-workers.ts'
import { buildWorker, metafile } from '../../../scripts/stack/served/worker-build.ts'
import { opened } from '../../support/opened.ts'
import { findPageFaults, hasBrowser, openPage, widths } from '../../support/pages/browser.ts'

test('the Worker as it is deployed has nothing of the phone page in it', async () => {
  const inputs = async (entry: 'worker' | 'worker-development') => {
    const { folder } = await buildWorker({ entry })
    const { outputs } = JSON.parse(readFileSync(join(folder, metafile), 'utf8')) as {
      outputs: Record<string, { inputs: object }>
    }
    return Object.values(outputs).flatMap((output) => Object.keys(output.inputs))
  }
  const isOfPhone = (file: string) => file.includes('src/pages/phone/')
  expect((await inputs('worker')).filter(isOfPhone)).toEqual([])
  expect((await inputs('worker-development')).filter(isOfPhone)).not.toEqual([])
  expect((await buildWorker()).script).not.toContain('/phone')
})

describe.skipIf(!hasBrowser)('the phone page in a browser', () => {
  const served = opened(async () => {
    const chain = await startChain()
    const variables = chain.bindings
    const relay = await startRelayWorkers({ variables, entry: 'worker-development' })
    const stop = async () => {
      await relay.stop()
      await chain.stop()
    }
    return { url: relay.url, stop }
  })

  test.for(widths)('has nothing that axe-core finds wrong, %d pixels wide', async (width) => {
    const page = await openPage(served.url, width)
    expect(page.url()).toBe(`${served.url}/phone`)
    expect(await findPageFaults(page)).toEqual([])
    expect(page.faults).toEqual([])
  })

  test('runs no script that the server did not write', async () => {
    const page = await openPage(`${served.url}/phone`)
    await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'document.title = "run"'
      document.body.append(script)
      document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="document.title = 1">')`)
    await expect.poll(() => page.faults.join()).toMatch(/inline script.*Content Security Policy/s)
    expect(await page.title()).toBe('Phone')
  })
})
