import { fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Address, Hex } from 'viem'
import { z } from 'zod'
import { endChild } from '../child.ts'

/** The server that a developer writes in an afternoon: `scripts/bench/baselines/afternoon.ts`. */
export type Afternoon = { url: string; pid: number; stop: () => Promise<void> }

const listening = z.object({ port: z.number() })

/** Starts it in a process of its own. */
export async function serveAfternoon(
  environment: {
    NODE_URL: string
    LOAN_ADDRESS: Address
    ACCOUNT_KEY: Hex
    FEES: 'asked' | 'fixed'
  },
  onLine: (line: string) => void,
): Promise<Afternoon> {
  const file = fileURLToPath(new URL('../baselines/afternoon.ts', import.meta.url))
  const child = fork(file, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (child.stdout === null) throw new Error('the baseline has no output')
  createInterface({ input: child.stdout }).on('line', onLine)
  const { port } = listening.parse(
    await new Promise((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', (code) => reject(new Error(`the baseline ended with ${code}`)))
    }),
  )
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    stop: () => endChild(child),
  }
}
