import type { Address } from 'viem'
import { createMemory, type MemoryStore, withinMs } from '../../../../src/account/memory.ts'
import { createPins, unlocked } from '../../../../src/account/pin.ts'
import type { Config } from '../../../../src/compose/config.ts'
import { profiles } from '../../../../src/compose/settings.ts'
import { assembleSms, smsSealsOf } from '../../../../src/compose/sms.ts'
import type { SmsRound } from '../../../../src/relay/tend/sms.ts'
import type { Clock } from '../../../../src/runtime/clock.ts'
import type { Log } from '../../../../src/runtime/log.ts'
import { firstPinOf } from '../draw/lender.ts'
import { type Product, pinSecret } from '../relay/programs.ts'
import { type KeptMemories, memoryFor } from './kept-memory.ts'

const accountKeySecret = `0x${'66'.repeat(32)}` as const

/** How long a screen waits for what is remembered of an account. */
const memoryMs = 2_000

const settings = {
  profile: 'lender',
  confirms: true,
  pin: 'on',
  languages: ['en'],
} as const satisfies Product['settings']

const smsConfig = {
  accountKeySecret,
  chain: { currency: 'tRBTC' },
  menu: settings,
  sms: { apiKey: 'k', username: 'u', sender: undefined, url: 'http://sms.invalid' },
} as unknown as Config

export const lenderProduct = (memory: MemoryStore, clock: Clock): Product => ({
  settings,
  leastTransferWei: profiles.lender.MIN_TRANSFER_WEI,
  background: (work) => void work.catch(() => {}),
  smsSeals: smsSealsOf(smsConfig),
  memory: withinMs(memory, clock, memoryMs),
})

/** Sends messages after rounds, as long as one object lives. */
export function createLenderSms(
  { clock, log }: { clock: Clock; log: Log },
  memory: MemoryStore,
  send: (to: string, text: string) => Promise<void>,
): SmsRound {
  const taken = { SMSMessageData: { Recipients: [{ statusCode: 101 }] } }
  const fetch = async (_: unknown, { body }: { body: string }) => {
    const form = new URLSearchParams(body)
    await send(form.get('to') ?? '', form.get('message') ?? '')
    return { status: 201, json: async () => taken }
  }
  const runtime = {
    clock,
    log,
    fetch: fetch as unknown as typeof globalThis.fetch,
    background: (work: Promise<unknown>) => void work.catch(() => {}),
  }
  const round = assembleSms(smsConfig, runtime, () => memory)
  if (round === undefined) throw new Error('messages are not configured')
  return round
}

/** Callers have chosen their first PINs long ago. */
export async function chooseFirstPins(
  memories: KeptMemories,
  callers: readonly Address[],
): Promise<void> {
  const memory = createMemory(() => memoryFor(memories, 'setup'))
  for (const [caller, account] of callers.entries()) {
    const newSalt = () => `first ${caller}`
    const pins = createPins({ secret: pinSecret, memory, newSalt })
    await pins.begin(account)
    await pins.choose(account, firstPinOf(caller), 'setup')
    await memory.change(account, (kept) => ({ ...kept, hasDialled: true }))
  }
}

export async function unlock(memories: KeptMemories, account: Address): Promise<void> {
  await createMemory(() => memoryFor(memories, 'operator')).change(account, unlocked)
}
