import process from 'node:process'

// Runs the entry point with a `Deno.cron`, as on Deno Deploy, which a test triggers or has refused.
const runtime = Reflect.get(globalThis, 'Deno') as object

Object.assign(runtime, {
  cron(name: string, schedule: string, handler: () => Promise<void>): void {
    if (process.env.REFUSE_CRON === '1') throw new TypeError('this platform has no cron')
    process.stdout.write(
      `${JSON.stringify({ event: 'cron.defined', message: `${name} ${schedule}` })}\n`,
    )
    process.on('SIGUSR2', () => void handler())
  },
})

const entry = '../../../src/deno.ts'
const { default: served } = await import(entry)

export default served
