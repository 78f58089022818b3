import process from 'node:process'

// Runs the entry point in a runtime that a test has changed: with another time, or with a
// `Deno.cron`, as on Deno Deploy, which a test triggers or has refused.
const { LATER_MS = '0', HAS_CRON, REFUSE_CRON } = process.env
const now = Date.now.bind(Date)
Date.now = () => now() + Number(LATER_MS)

function cron(name: string, schedule: string, handler: () => Promise<void>): void {
  if (REFUSE_CRON === '1') throw new TypeError('this platform has no cron')
  const message = `${name} ${schedule}`
  process.stdout.write(`${JSON.stringify({ event: 'cron.defined', message })}\n`)
  process.on('SIGUSR2', () => void handler())
}
if (HAS_CRON === '1') Object.assign(Reflect.get(globalThis, 'Deno') as object, { cron })

const entry = '../../../src/deno.ts'
const { default: served } = await import(entry)

export default served
