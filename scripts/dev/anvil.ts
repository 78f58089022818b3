import { spawn } from 'node:child_process'
import type { Hex } from 'viem'
import { foundryBinary } from './foundry-binary.ts'
import { freePort } from './ports.ts'
import { createRpcCall } from './rpc.ts'
import { until } from './wait.ts'

/** anvil's first account, funded on every fresh chain. Everybody knows its key. */
export const devKey: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

export type Anvil = Awaited<ReturnType<typeof startAnvil>>

type AnvilOptions = {
  chainId?: number
  args?: readonly string[]
  port?: number
  /** The file that it writes into; a signal to this process' group does not reach it then. */
  log?: number
  onSpawned?: (pid: number, url: string) => void
}

/** Starts an anvil, which answers when this resolves. */
export async function startAnvil({
  chainId = 31,
  args = [],
  port,
  log,
  onSpawned = () => {},
}: AnvilOptions = {}) {
  const ownPort = port ?? (await freePort())
  const url = `http://127.0.0.1:${ownPort}`
  const ask = createRpcCall(url)
  // What it would print are the keys of its accounts.
  const usual = ['--silent', '--host', '127.0.0.1', '--port', `${ownPort}`]
  const child = spawn(
    foundryBinary('anvil') ?? 'anvil',
    [...usual, '--chain-id', `${chainId}`, ...args],
    { stdio: ['ignore', log ?? 'ignore', log ?? 'inherit'], detached: log !== undefined },
  )
  if (child.pid !== undefined) onSpawned(child.pid, url)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await until(() => {
    if (child.exitCode !== null) throw new Error(`anvil ended with code ${child.exitCode}`)
    return ask('eth_chainId').then(
      () => true,
      () => false,
    )
  })
  return {
    url,
    ask,
    process: child,
    exited,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
