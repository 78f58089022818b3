import type { Address } from 'viem'
import { createRandom } from '../random.ts'
import { createAccountPool } from '../rootstock-pool/account-pool.ts'
import { rootstockRules } from '../rootstock-pool/rules.ts'
import { type ChainState, createModelChain } from './model/chain.ts'
import type { ContractWorld } from './model/contracts.ts'
import { createModelNode, type ModelNodeOptions } from './model/model-node.ts'
import { cheapSigning, type ModelTransaction } from './model/signing.ts'
import type { Money } from './money.ts'
import { getPhone, type Plan, startMillis } from './plan.ts'

export const simulatedChainId = 31
export const forwarderAddress: Address = `0x${'f0'.repeat(20)}`
export const loanAddress: Address = `0x${'10a7'.repeat(10)}`
export const startTime = Date.UTC(2026, 10, 21, 12)

export const startGasPriceWei = 60_000_000n
export const richWei = 10n ** 18n
export const poorWei = 10n ** 12n

/** Creates the modelled chain of a plan for its callers, who have `phones` if given. */
export function createModels(
  { seed, setup, items = [] }: Pick<Plan, 'seed' | 'setup'> & Partial<Plan>,
  now: () => number,
  arrived: ModelNodeOptions['arrived'],
  phones: readonly string[] = [],
) {
  const signing = cheapSigning()
  const addressOf = (phone: string) => signing.caller(phone).address.toLowerCase() as Address
  const callers = Array.from({ length: setup.callers }, (_, caller) =>
    addressOf(phones[caller] ?? getPhone(caller)),
  )
  const withdrawing = items.flatMap((item) => (item.kind === 'withdrawal' ? item.caller : []))
  const world: ContractWorld = {
    unit: setup.contractUnit,
    forwarder: forwarderAddress,
    loan: loanAddress,
    principalWei: setup.principalWei,
    dailyCapWei: BigInt(setup.capLoans) * setup.principalWei,
    isSigned: signing.isSigned,
    gasTimes: setup.gasTimes,
  }
  const pool = createAccountPool<ModelTransaction>({
    ...rootstockRules,
    accountSlots: setup.slots,
    replacementPercent: setup.isRoomy ? 10 : 40,
    evictAfterBlocks: setup.evictAfterBlocks,
    evictAfterMs: setup.evictAfterMs,
  })
  const chain = createModelChain({
    world,
    pool,
    state: startState(callers, setup, new Set(withdrawing)),
    start: now(),
    blockMs: setup.blockMs,
    minGasPriceWei: startGasPriceWei,
    isTaken: ({ hash }, block) => createRandom(seed, hash + block).chance(setup.inclusion),
  })
  const relayer = signing.relayer.address
  const node = createModelNode({ chain, pool, world, relayer, signing, now, arrived })
  return { signing, world, callers, chain, pool, node }
}

export function startState(
  callers: readonly Address[],
  { poolLoans, stepWei, principalWei }: Money & { poolLoans: number },
  announcing: ReadonlySet<number> = new Set(),
): ChainState {
  const account = { balanceWei: BigInt(startMillis) * stepWei, owedWei: 0n, issuedHour: 0 }
  return {
    accounts: new Map(
      callers.map((caller, index) => [caller, { ...account, hasAnnounced: announcing.has(index) }]),
    ),
    liquidityWei: BigInt(poolLoans) * principalWei,
    outWei: 0n,
    issuedWei: new Map(),
    inlets: new Map(),
    isPaused: false,
    isRelayerAllowed: true,
    codes: new Map(),
    spentAt: new Map(),
    nonce: 0,
    relayerWei: richWei,
  }
}
