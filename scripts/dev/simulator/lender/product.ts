import { type Address, maxUint256 } from 'viem'
import { createMemory, type MemoryStore } from '../../../../src/account/memory.ts'
import { createPins, unlockPin } from '../../../../src/account/pin.ts'
import { profiles } from '../../../../src/compose/environment.ts'
import { usualTimes } from '../../menu-ways.ts'
import { getFirstPin } from '../draw/lender.ts'
import { localCurrency, type Money } from '../money.ts'
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

export function lenderProduct(
  memory: MemoryStore,
  { unit, isLocal, isAssuring }: Money & { isAssuring: boolean },
): Product {
  const isOverToken = unit.token !== null
  const ofToken = isOverToken ? { isOverToken, choosesLoan: true } : {}
  return {
    settings: {
      ...settings,
      ...ofToken,
      localCurrency: isLocal ? localCurrency : undefined,
      finalUpToWei: isAssuring ? maxUint256 : 0n,
    },
    minTransferWei: isOverToken ? 50_000n : BigInt(profiles.lender.MIN_TRANSFER_WEI),
    memory,
  }
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
