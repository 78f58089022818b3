import type { Hex } from 'viem'
import { foundryTool } from './foundry-binary.ts'
import { freePort } from './ports.ts'
import { answers, startProgram } from './program.ts'
import { createRpcCall } from './rpc.ts'

/** anvil's first account, funded on every fresh chain. Everybody knows its key. */
export const devKey: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

export type Anvil = Awaited<ReturnType<typeof startAnvil>>

type AnvilOptions = {
  chainId?: number
  args?: readonly string[]
  port?: number
  /** The file that it writes into; a signal to this process' group does not reach it then. */
  log?: number
  /** Time that it is given to end by itself. */
  graceMs?: number
  onSpawned?: (pid: number, url: string) => void
}

/** Starts an anvil, which answers when this resolves. */
export async function startAnvil({
  chainId = 31,
  args = [],
  port,
  log,
  onSpawned = () => {},
  ...grace
}: AnvilOptions = {}) {
  const ownPort = port ?? (await freePort())
  const url = `http://127.0.0.1:${ownPort}`
  const ask = createRpcCall(url)
  // What it would print are the keys of its accounts.
  const usual = ['--silent', '--host', '127.0.0.1', '--port', `${ownPort}`]
  const program = startProgram(
    [foundryTool('anvil'), ...usual, '--chain-id', `${chainId}`, ...args],
    { stdio: ['ignore', log ?? 'ignore', log ?? 'inherit'], detached: log !== undefined, ...grace },
  )
  if (program.isRunning()) onSpawned(program.pid, url)
  await program.until(() => answers(ask('eth_chainId')))
  return { ...program, url, ask }
}
