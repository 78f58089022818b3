import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, createPublicClient, createWalletClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { freePort } from '../../../scripts/dev/ports.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { openFolder } from '../../../scripts/stack/folder.ts'
import { isRunning, type ProcessId } from '../../../scripts/stack/processes.ts'
import { readRunningStack } from '../../../scripts/stack/running-stack.ts'
import { openSecrets } from '../../../scripts/stack/secrets.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { type Ended, runScript, startProcess } from '../../support/processes.ts'

/** Limits waiting: what takes longer, even on a busy machine, hangs. */
const happensWithinMs = 180_000

/** Limits a test that starts several stacks in turn. */
export const longWalkMs = 900_000

export type Start = Awaited<ReturnType<typeof startStack>>

type Name = 'main' | 'anvil' | 'workerd' | 'deno' | 'redis'

/** Creates a folder in place of `.dev`, removed with a failed test's processes. */
export function createDevFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ussd-relay-stack-'))
  onTestFinished(() => {
    for (const { id } of readPids(folder)) if (isRunning(id)) process.kill(id.pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

const start = ['scripts/bootstrap.mjs', 'scripts/stack/start.ts']

/** Runs `npm start` until it is ready or ended, in its own process group as in a terminal. */
export async function startStack(
  folder: string,
  { env = {}, args = [] }: { env?: Record<string, string>; args?: string[] } = {},
) {
  const port = env.PORT ?? `${await freePort()}`
  const { child, output, ended } = startProcess(process.execPath, [...start, ...args], {
    detached: true,
    env: { DEV_DIR: folder, PORT: port, ...env },
  })
  let hasEnded = false
  child.once('close', () => {
    hasEnded = true
  })
  const group = child.pid ?? 0
  onTestFinished(async () => {
    if (!hasEnded) signal(-group, 'SIGKILL')
    await ended
  })
  const isSettled = () => hasEnded || output().includes('Ctrl-C ends everything')
  const late = () => new Error(`The stack is not ready:\n${output()}`)
  await until(isSettled, { withinMs: happensWithinMs, late })
  return {
    output,
    stack: () => {
      if (hasEnded) throw new Error(`The stack has ended:\n${output()}`)
      return readRunningStack(openFolder({ DEV_DIR: folder }))
    },
    /** Signals every process of the group, as the terminal's Ctrl-C does. */
    interrupt: () => {
      signal(-group, 'SIGINT')
      return ended
    },
    /** Kills (-9) the processes with these names; all by default. */
    kill: async (...names: Name[]) => {
      const isNamed = (name: Name) => names.length === 0 || names.includes(name)
      const victims = readPids(folder).filter(({ name }) => isNamed(name))
      for (const { id } of victims) signal(id.pid, 'SIGKILL')
      await until(() => victims.every(({ id }) => !isRunning(id)))
    },
    pids: () => readPids(folder),
    ended,
  }
}

export function runCommand(
  folder: string,
  script: string,
  args: string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  const environment = { DEV_DIR: folder, ...env }
  return runScript(join('scripts/stack', script), args, { input, env: environment })
}

type Fields = { sessionId: string; phoneNumber: string; text: string }
type Headers = Record<string, string>

export async function dial(relayUrl: string, fields: Fields): Promise<string> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  return postTo(relayUrl, '/ussd', form, `${new URLSearchParams(fields)}`)
}

export async function postTo(relayUrl: string, path: string, headers: Headers, body: string) {
  const signal = AbortSignal.timeout(happensWithinMs)
  const response = await fetch(`${relayUrl}${path}`, { method: 'POST', headers, body, signal })
  return response.text()
}

export async function balanceOf(folder: string, nodeUrl: string, loan: Address, phone: string) {
  const { ACCOUNT_KEY_SECRET } = openSecrets(join(folder, 'secrets.json'))
  const { address } = await createCallerAccounts(ACCOUNT_KEY_SECRET)(phone as PhoneNumber)
  const client = createPublicClient({ transport: http(nodeUrl) })
  return loanAt(client, loan).getBalance([address])
}

/** Sends 1 wei to a new address, to ask later whether the chain still has that block. */
export async function leaveMark(nodeUrl: string) {
  const { address } = privateKeyToAccount(generatePrivateKey())
  const isOn = async (url: string) => {
    const client = createPublicClient({ transport: http(url) })
    return (await client.getBalance({ address })) === 1n
  }
  const wallet = createWalletClient({ transport: http(nodeUrl) })
  const [account] = await wallet.getAddresses()
  if (account === undefined) throw new Error('The node has no accounts of its own')
  await wallet.sendTransaction({ account, to: address, value: 1n, chain: null })
  await until(() => isOn(nodeUrl))
  return { isOn }
}

function readPids(folder: string): { name: Name; id: ProcessId }[] {
  const file = join(folder, 'pids.json')
  if (!existsSync(file)) return []
  const { main, children } = JSON.parse(readFileSync(file, 'utf8'))
  const all: (ProcessId & { name: Name })[] = [{ ...main, name: 'main' }, ...children]
  return all.map(({ name, pid, started }) => ({ name, id: { pid, started } }))
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}
