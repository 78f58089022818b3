import type { Address } from 'viem'
import { createAccountPool } from '../../scripts/dev/rootstock-pool/account-pool.ts'
import { rootstockRules } from '../../scripts/dev/rootstock-pool/rules.ts'
import { planOf } from '../../scripts/dev/simulator/draw/plan-of.ts'
import {
  forwarderAddress,
  loanAddress,
  startGasPriceWei,
  startState,
} from '../../scripts/dev/simulator/ground.ts'
import { createModelChain, type ModelBlock } from '../../scripts/dev/simulator/model/chain.ts'
import { createModelNode } from '../../scripts/dev/simulator/model/model-node.ts'
import { cheapSigning, type ModelTransaction } from '../../scripts/dev/simulator/model/signing.ts'
import { phoneOf, principalWei } from '../../scripts/dev/simulator/plan.ts'
import { createService, type Product } from '../../scripts/dev/simulator/relay/programs.ts'
import type { PhoneNumber } from '../../src/account/phone.ts'
import type { Ledger } from '../../src/relay/ledger/port.ts'
import { type Clock, systemClock } from '../../src/runtime/clock.ts'
import type { Log } from '../../src/runtime/log.ts'
import { africasTalking } from '../../src/ussd/gateways/africas-talking.ts'

export type ModelledOptions = {
  ledger: Ledger
  callers: number
  /** Their numbers. Undefined: the simulator's. */
  phones?: readonly string[]
  /** Loans that the pool has, and that the daily cap lets through. */
  poolLoans: number
  capLoans: number
  preflight?: boolean
  dialsAMinute?: number
  clock?: Clock
  product?: Product
  log?: Log
  /** What each caller has at first. Undefined: the simulator's. */
  balanceWei?: bigint
}

export type ModelledService = ReturnType<typeof openModelledService>

/** The USSD service on any ledger, before the simulator's chain: a block comes when the test makes one. */
export function openModelledService(options: ModelledOptions) {
  const { ledger } = options
  const dailyCapWei = BigInt(options.capLoans) * principalWei
  const signing = cheapSigning()
  const phones = Array.from(
    { length: options.callers },
    (_, caller) => options.phones?.[caller] ?? phoneOf(caller),
  )
  const accounts = phones.map((phone) => signing.caller(phone).address)
  const world = {
    ...{ forwarder: forwarderAddress, loan: loanAddress, principalWei, dailyCapWei },
    isSigned: signing.isSigned,
  }
  const family = 'rskj' as const
  const state = startState(accounts, options.poolLoans)
  for (const account of state.accounts.values()) {
    account.balanceWei = options.balanceWei ?? account.balanceWei
  }
  const pool = createAccountPool<ModelTransaction>({
    ...rootstockRules,
    accountSlots: 1_000,
  })
  const chain = createModelChain({
    ...{ world, pool, state },
    ...{ start: Date.now(), blockMs: 30_000, minGasPriceWei: startGasPriceWei },
    isTaken: () => true,
  })
  const node = createModelNode({
    ...{ chain, pool, world, signing, family, now: Date.now, arrived: () => {} },
    relayer: signing.relayer.address,
  })
  let latest = () => chain.head()
  let isBroken = false
  const answer = createService(
    {
      knobs: {
        ...planOf(1).knobs,
        limits: {
          ...planOf(1).knobs.limits,
          ...(options.dialsAMinute && { dialsAMinute: options.dialsAMinute }),
        },
        maxGasPriceWei: 10n ** 9n,
        preflight: options.preflight ?? true,
      },
      forwarder: { chainId: 31, address: forwarderAddress },
      loan: loanAddress,
      signing,
      async rpc(method, params) {
        if (isBroken) throw new Error('the node does not answer')
        return node(method, params, latest())
      },
      ledger,
      step: (_, work) => work(),
      log: options.log ?? (() => {}),
      newToken: () => crypto.randomUUID(),
      product: options.product,
    },
    options.clock ?? systemClock,
  )
  return {
    chain,
    /** From now on the node is behind: this block is the latest that it knows. */
    showOnly(block: ModelBlock) {
      latest = () => block
    },
    /** From now on the node answers nothing, until what is returned is called. */
    breakNode() {
      isBroken = true
      return () => {
        isBroken = false
      }
    },
    /** The owner has a loan be this much from now on. */
    changePrincipal(wei: bigint) {
      world.principalWei = wei
    },
    accountOf: (caller: number): Address => accounts[caller] ?? forwarderAddress,
    /** What a caller's phone shows of one delivery. */
    async deliver(caller: number, session: string, text: string) {
      const phone = phones[caller] as PhoneNumber
      const { screen } = await answer({ gateway: 'test', sessionId: session, phone, text })
      return africasTalking.render(screen)
    },
  }
}
