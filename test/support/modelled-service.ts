import { type Address, getAddress, type Hex } from 'viem'
import { drawPlan } from '../../scripts/dev/simulator/draw/draw-plan.ts'
import type { Setup } from '../../scripts/dev/simulator/draw/setup.ts'
import type { ModelBlock } from '../../scripts/dev/simulator/model/chain.ts'
import { getPhone } from '../../scripts/dev/simulator/plan.ts'
import { createService, type Product } from '../../scripts/dev/simulator/relay/programs.ts'
import { createModels, forwarderAddress } from '../../scripts/dev/simulator/setting.ts'
import type { PhoneNumber } from '../../src/account/phone.ts'
import { TransportError } from '../../src/chain/rpc.ts'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import { type Clock, systemClock } from '../../src/runtime/clock.ts'
import type { Log } from '../../src/runtime/log.ts'
import { createCarriedText } from '../../src/ussd/gateways/carried-text.ts'
import { createDeclaredGateway, gatewayDeclaration } from '../../src/ussd/gateways/declaration.ts'
import { africasTalking } from '../../src/ussd/gateways/presets.ts'
import { createRequestCounters } from '../../src/ussd/gateways/request-counters.ts'
import type { UssdHandler } from '../../src/ussd/handler.ts'
import { createUssdRoutes } from '../../src/ussd/route.ts'

export type ModelledOptions = {
  ledger: WholeLedger
  /** Names the key that the ledger is of, if not the simulator's. */
  relayer?: Address | undefined
  callers: number
  phones?: readonly string[]
  /** Loans that the pool has, and that the daily cap lets through. */
  poolLoans: number
  capLoans: number
  preflight?: boolean
  limits?: Partial<Setup['limits']>
  clock?: Clock
  product?: Product
  log?: Log
  /** What each caller has at first. Undefined: the simulator's. */
  balanceWei?: bigint
}

/** Opens the USSD service on any ledger; the simulator's chain has blocks when told to. */
export function openModelledService(options: ModelledOptions) {
  const { ledger, callers, poolLoans, capLoans, preflight = true, balanceWei } = options
  const { limits, ...drawn } = drawPlan(1).setup
  const unit = options.product?.unit ?? drawn.unit
  const setup = {
    ...{ ...drawn, unit, contractUnit: unit },
    callers,
    poolLoans,
    capLoans,
    preflight,
    limits: { ...limits, ...options.limits },
    isRoomy: false,
    slots: 1_000,
    inclusion: 1,
    blockMs: 30_000,
  }
  const phones = Array.from(
    { length: callers },
    (_, caller) => options.phones?.[caller] ?? getPhone(caller),
  )
  const plan = { seed: 1, setup }
  const ground = createModels(plan, Date.now, () => {}, { phones, relayer: options.relayer })
  const [own] = ground.signing.relayers
  if (own === undefined) throw new Error('the model has no relayer')
  const signer = { ...own, address: options.relayer ?? own.address }
  const { chain, node, world, callers: accounts } = ground
  const { caller, ...others } = ground.signing
  // As outside the simulator, accounts have their checksum.
  const callerOf = (phone: string) => ({
    ...caller(phone),
    address: getAddress(caller(phone).address),
  })
  const signing = { ...others, caller: callerOf }
  for (const account of chain.head().state.accounts.values()) {
    account.balanceWei = balanceWei ?? account.balanceWei
  }
  const { codes } = chain.head().state
  let latest = () => chain.head()
  let broken: string | undefined
  const answer = createService(
    {
      setup,
      signing,
      signer,
      ledger,
      clock: options.clock ?? systemClock,
      async rpc(method, params) {
        if (broken === 'all') throw new Error('the node does not answer')
        if (broken === method) throw new TransportError('the node does not answer')
        return node(method, params, latest())
      },
      step: (_, work) => work(),
      log: options.log ?? (() => {}),
    },
    options.product,
  )
  return {
    ...openGateways(answer, phones),
    chain,
    /** Makes the node stay at this block. */
    showOnly(block: ModelBlock) {
      latest = () => block
    },
    /** Makes the node silent, to one method or to all, until the returned function is called. */
    breakNode(method = 'all') {
      broken = method
      return () => {
        broken = undefined
      }
    },
    /** Puts code at an address outside. */
    setCode: (address: Address, code: Hex) => void codes.set(address.toLowerCase(), code),
    /** Changes the loan's amount. */
    changePrincipal(wei: bigint) {
      world.principalWei = wei
    },
    /** Lends to listed accounts alone, of which there is none. */
    lendToNobody() {
      world.isListOnly = true
    },
    accountOf: (index: number): Address => getAddress(accounts[index] ?? forwarderAddress),
    /** Makes one delivery; returns the caller's screen. */
    async deliver(caller: number, session: string, text: string) {
      const phone = phones[caller] as PhoneNumber
      const { screen } = await answer({ gateway: 'test', sessionId: session, phone, text })
      return africasTalking.render(screen)
    },
  }
}

const declared = {
  ...{ name: 'example', posts: 'json', session: 'sid', phone: 'msisdn', hasPlus: false },
  ...{ text: 'input', kinds: { field: 'op', first: ['begin'], answer: ['next'], end: ['end'] } },
  reply: { type: 'text/plain', ask: 'CON {screen}', end: 'END {screen}' },
}

/** Names a caller's session and its text at a delivery. */
export type Typed = { caller: number; session: string; answers: readonly string[] }

/**
 * A configured gateway, in two ways that pay the same: by all that was typed, and by the last
 * answer and its number.
 */
function openGateways(handler: UssdHandler, phones: readonly string[]) {
  const routesOf = (more: object) =>
    createUssdRoutes({
      gateway: createDeclaredGateway(gatewayDeclaration.parse({ ...declared, ...more })),
      carriedText: createCarriedText(`0x${'11'.repeat(32)}`),
      counters: createRequestCounters([]),
      handler,
      waitUntil: () => {},
      log: () => {},
    })
  const post =
    (routes: ReturnType<typeof routesOf>, inputOf: (typed: Typed) => string | undefined) =>
    async (typed: Typed) => {
      const { caller, session: sid, answers } = typed
      const seq = answers.length + 1
      const op = seq === 1 ? 'begin' : 'next'
      const msisdn = `${phones[caller]}`.replace('+', '')
      const body = JSON.stringify({ sid, msisdn, op, seq, input: inputOf(typed) })
      return await (await routes.request('/', { method: 'POST', body })).text()
    }
  return {
    sendAll: post(routesOf({}), ({ answers }) => answers.join('*')),
    sendLast: post(routesOf({ sequence: 'seq' }), ({ answers }) => answers.at(-1)),
  }
}
