import type { Address } from 'viem'
import { createMemory, type MemoryStore } from '../../../../src/account/memory.ts'
import { createPins, unlockPin } from '../../../../src/account/pin.ts'
import type { Config } from '../../../../src/compose/config.ts'
import { profiles } from '../../../../src/compose/environment.ts'
import { assembleSms, createSeals } from '../../../../src/compose/sms.ts'
import type { Clock } from '../../../../src/runtime/clock.ts'
import type { Log } from '../../../../src/runtime/log.ts'
import { usualTimes } from '../../menu-ways.ts'
import { getFirstPin } from '../draw/lender.ts'
import { type Product, secret } from '../relay/programs.ts'
import { type KeptMemories, memoryFor } from './kept-memory.ts'

const settings: Product['settings'] = {
  ...usualTimes,
  profile: 'lender',
  confirms: true,
  pin: 'on',
  languages: ['en'],
  agents: true,
}

const config = {
  accountKeySecret: secret,
  chain: { currency: 'tRBTC' },
  menu: settings,
  sms: { apiKey: 'k', username: 'u', sender: undefined, url: 'http://sms.invalid' },
} as unknown as Config

/** Amounts are typed in it where the setup says so. */
export const localCurrency = 'KES'

export const lenderProduct = (memory: MemoryStore, rate: Product['rate']): Product => ({
  settings: { ...settings, ...(rate && { localCurrency }) },
  minTransferWei: BigInt(profiles.lender.MIN_TRANSFER_WEI),
  smsSeals: createSeals(config),
  memory,
  ...(rate && { rate }),
})

/** Sends messages after rounds, as long as one object lives. */
export function createLenderSms(
  { clock, log }: { clock: Clock; log: Log },
  memory: MemoryStore,
  send: (to: string, text: string) => Promise<void>,
) {
  async function fetch(_: unknown, { body }: { body: string }) {
    const form = new URLSearchParams(body)
    await send(form.get('to') ?? '', form.get('message') ?? '')
    const taken = { SMSMessageData: { Recipients: [{ statusCode: 101 }] } }
    return { status: 201, json: async () => taken }
  }
  const runtime = { clock, log, fetch: fetch as never, waitUntil: () => {} }
  return assembleSms(config, runtime, () => memory)
}

/** Sets each caller's first PIN before the run. */
export async function chooseFirstPins(memories: KeptMemories, callers: readonly Address[]) {
  const memory = createMemory(() => memoryFor(memories, 'setup'))
  for (const [caller, account] of callers.entries()) {
    const pins = createPins({ secret, memory, createSalt: () => `first ${caller}` })
    await pins.beginSession(account)
    await pins.choose(account, getFirstPin(caller), 'setup')
    await memory.change(account, (kept) => ({ ...kept, hasDialled: true }))
  }
}

export async function unlock(memories: KeptMemories, account: Address): Promise<void> {
  await createMemory(() => memoryFor(memories, 'operator')).change(account, unlockPin)
}
