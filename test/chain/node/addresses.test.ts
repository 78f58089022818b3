import { expect, test } from 'vitest'
import { type Fault, startFaultProxy } from '../../../scripts/dev/faults/fault-proxy.ts'
import { opened } from '../../support/opened.ts'
import { findNode } from './support/open.ts'
import { startRealWorker } from './support/real-worker.ts'

const faults: readonly Fault[] = [
  ...(['drop_request', 'drop_reply', 'html', 'truncated'] as const).map((kind) => ({ kind })),
  ...[500, 429].map((status) => ({ kind: 'status' as const, status })),
]

const node = opened(() => findNode())
const proxy = opened(() => startFaultProxy({ target: node.url }))
const worker = opened(() => startRealWorker([`${proxy.url}/planted-path?key=planted-query`]))

/** Makes one request to the node service and one to the relay. */
async function askBoth(session: string): Promise<string> {
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] }
  const phone = { phoneNumber: '+254700000001', sessionId: session, text: '1' }
  const dialled = { method: 'POST', body: new URLSearchParams(phone) }
  const asked = [worker.post(call), fetch(`${worker.origin}/ussd`, dialled)]
  const answers = await Promise.all(asked)
  return (await Promise.all(answers.map((answer) => answer.text()))).join('\n')
}

test('no log and no answer holds the address of a node, however it fails', async () => {
  const shown: string[] = []
  for (const [index, fault] of faults.entries()) {
    proxy.script({ fault })
    shown.push(await askBoth(`fault ${index}`))
    proxy.clear()
  }
  await proxy.refuse()
  shown.push(await askBoth('refused'))
  await proxy.accept()

  const failures = worker.lines.filter((line) => line.includes('node.failed'))
  expect(failures.length).toBeGreaterThan(0)
  for (const text of [...worker.lines, ...shown]) {
    expect(text).not.toContain('planted')
    expect(text).not.toContain(new URL(proxy.url).host)
  }
})
