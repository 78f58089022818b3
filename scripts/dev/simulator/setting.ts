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

/** Creates a plan's modelled chain for its callers and its relayer, perhaps with these names. */
export function createModels(
  { seed, setup, items = [] }: Pick<Plan, 'seed' | 'setup'> & Partial<Plan>,
  now: () => number,
  arrived: ModelNodeOptions['arrived'],
  { phones = [], relayer }: { phones?: readonly string[]; relayer?: Address | undefined } = {},
) {
  const signing = cheapSigning()
  const addressOf = (phone: string) => signing.caller(phone).address.toLowerCase() as Address
  const callers = Array.from({ length: setup.callers }, (_, caller) =>
    addressOf(phones[caller] ?? getPhone(caller)),
  )
  const leaving = items.filter((item) => item.kind === 'withdrawal')
  const announcing = leaving.flatMap(({ caller, isMove }) => (isMove ? [] : caller))
  const world: ContractWorld = {
    unit: setup.contractUnit,
    forwarder: forwarderAddress,
    loan: loanAddress,
    principalWei: setup.principalWei,
    dailyCapWei: BigInt(setup.capLoans) * setup.principalWei,
    isSigned: signing.isSigned,
    gasTimes: setup.gasTimes,
  }
  const poolRules = {
    ...rootstockRules,
    accountSlots: setup.slots,
    replacementPercent: setup.isRoomy ? 10 : 40,
    evictAfterBlocks: setup.evictAfterBlocks,
    evictAfterMs: setup.evictAfterMs,
  }
  const pools = signing.relayers.map(() => createAccountPool<ModelTransaction>(poolRules))
  const chain = createModelChain({
    world,
    pools,
    state: {
      ...startState(callers, setup, new Set(announcing)),
      hasSuccessor: leaving.some(({ isMove }) => isMove),
    },
    start: now(),
    blockMs: setup.blockMs,
    minGasPriceWei: startGasPriceWei,
    isTaken: ({ hash }, block) => createRandom(seed, hash + block).chance(setup.inclusion),
  })
  const [first, ...next] = signing.relayers.map(({ address }) => address)
  const relayers = [relayer ?? first ?? loanAddress, ...next]
  const node = createModelNode({ chain, pools, world, relayers, signing, now, arrived })
  return { signing, world, callers, chain, pools, node }
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
    // The next key has sent its first transaction before it is used.
    nonces: [0, 1],
    relayerWei: richWei,
  }
}
