import { type ChildProcess, spawn } from 'node:child_process'
import type { Hex } from 'viem'
import { foundryBinary } from './foundry-binary.ts'
import { freePort } from './ports.ts'
import { until } from './wait.ts'

/** anvil's first account, funded on every fresh chain. Everybody knows its key. */
export const devKey: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

export type Anvil = { url: string; process: ChildProcess; stop: () => Promise<void> }

export async function startAnvil({
  chainId = 31,
  args = [],
}: {
  chainId?: number
  args?: string[]
} = {}): Promise<Anvil> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(
    foundryBinary('anvil') ?? 'anvil',
    ['--silent', '--host', '127.0.0.1', '--port', `${port}`, '--chain-id', `${chainId}`, ...args],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await until(() => {
    if (child.exitCode !== null) throw new Error(`anvil ended with code ${child.exitCode}`)
    return answers(url)
  })
  return {
    url,
    process: child,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    })
    return response.ok
  } catch {
    return false
  }
}
