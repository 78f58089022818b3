import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Address, Hex } from 'viem'
import { z } from 'zod'

type Environment = {
  NODE_URL: string
  LOAN_ADDRESS: Address
  ACCOUNT_KEY: Hex
  FEES: 'asked' | 'fixed'
}

const listening = z.object({ port: z.number() })

/** Starts `scripts/bench/baselines/afternoon.ts`, which a developer writes in an afternoon. */
export async function startAfternoon(
  environment: Environment,
  onLine: (line: string) => void,
): Promise<{ url: string; pid: number; stop: () => void }> {
  const child = fork(fileURLToPath(new URL('../baselines/afternoon.ts', import.meta.url)), {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (child.stdout === null) throw new Error('the baseline has no output')
  createInterface({ input: child.stdout }).on('line', onLine)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the baseline ended with ${code}`)
  })
  ended.catch(() => {})
  const [message] = await Promise.race([once(child, 'message'), ended])
  const { port } = listening.parse(message)
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => void child.kill() }
}
