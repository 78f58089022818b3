import type { Address, Hex } from 'viem'
import { createMemory, type MemoryStore } from '../../../../src/account/memory.ts'
import type { PhoneNumber } from '../../../../src/account/phone.ts'
import { createPins } from '../../../../src/account/pin.ts'
import { createNode } from '../../../../src/chain/node.ts'
import type { Rpc } from '../../../../src/chain/rpc.ts'
import { readLoan } from '../../../../src/compose/relay.ts'
import { refusalOf, refusalWords } from '../../../../src/loan/calls.ts'
import { createLoanReader } from '../../../../src/loan/reader.ts'
import type { Forwarder } from '../../../../src/relay/forwarder/requests.ts'
import { createTargetCheck } from '../../../../src/relay/forwarder/target.ts'
import { createIdentityCheck, identityOf } from '../../../../src/relay/identity.ts'
import type { Tended } from '../../../../src/relay/ledger/keeper.ts'
import type { AcceptPayment, Ledger } from '../../../../src/relay/ledger/port.ts'
import { ledgerThrough } from '../../../../src/relay/ledger/steps.ts'
import { createAcceptor } from '../../../../src/relay/pay/acceptor.ts'
import { createPay } from '../../../../src/relay/pay/delivery.ts'
import { createEndSession } from '../../../../src/relay/pay/end-session.ts'
import type { Relayer } from '../../../../src/relay/relayer.ts'
import { tend } from '../../../../src/relay/tend/round.ts'
import type { SmsRound } from '../../../../src/relay/tend/sms.ts'
import { cached } from '../../../../src/runtime/cached.ts'
import type { Clock } from '../../../../src/runtime/clock.ts'
import type { Log } from '../../../../src/runtime/log.ts'
import { type Answer, type AnswerOptions, createAnswer } from '../../../../src/ussd/answer.ts'
import { createDialRate } from '../../../../src/ussd/dial-rate.ts'
import type { Knobs } from '../draw/knobs.ts'
import { digest } from '../model/hashing.ts'
import type { Signing } from '../model/signing.ts'

export type Parts = {
  knobs: Pick<Knobs, 'limits' | 'preflight' | 'rules' | 'maxGasPriceWei'>
  forwarder: Forwarder
  loan: Address
  signing: Signing
  rpc: Rpc
  log: Log
  newToken: () => string
  step: <Answer>(what: string, work: () => Promise<Answer>) => Promise<Answer>
}

export type ServiceParts = Parts & {
  ledger: Ledger
  /** Has a payment accepted where the ledger is. Undefined: the service does that by itself. */
  accept?: AcceptPayment
  /** What callers are shown. Undefined: the demonstration. */
  product?: Product | undefined
}

export type Product = Pick<
  AnswerOptions,
  'settings' | 'leastTransferWei' | 'background' | 'smsSeals'
> &
  Partial<Pick<AnswerOptions, 'worthOf'>> & { memory: MemoryStore }

/** The demonstration remembers nothing. */
const noMemory: MemoryStore = {
  load: () => Promise.reject(new Error('the demonstration asks for no memory')),
  save: () => Promise.reject(new Error('the demonstration keeps no memory')),
}

const demonstrationMenu = {
  profile: 'demo',
  confirms: false,
  pin: 'off',
  languages: [],
} as const

const currencyName = 'tRBTC'
export const gatewayName = 'africas-talking'

const termsTtlMs = 60_000

/** Of nobody: no history depends on it. */
export const pinSecret = `0x${'55'.repeat(32)}` as const
const lendableTtlMs = 1_000

/** The USSD service of one isolate, with the memory that its requests share. */
export function createService(parts: ServiceParts, clock: Clock): Answer {
  const { knobs, signing, ledger, forwarder, loan, log } = parts
  const relayer = createRelayer(parts, clock, ledger)
  const reader = createLoanReader(readLoan(relayer, loan))
  const memory = createMemory(() => parts.product?.memory ?? noMemory)
  const mayDial = createDialRate(knobs.limits.dialsAMinute, clock.now)
  return createAnswer({
    chainId: forwarder.chainId,
    currency: currencyName,
    forwarder,
    loanAddress: loan,
    loan: {
      ...reader,
      terms: cached(clock, termsTtlMs, () => reader.terms()),
      lendable: cached(clock, lendableTtlMs, () => reader.lendable()),
    },
    accounts: async (phone: PhoneNumber) => {
      const account = signing.caller(phone)
      return {
        ...account,
        signTypedData: (data) => parts.step('request', () => account.signTypedData(data)),
      }
    },
    keys: {
      session: async (gateway, sessionId, account) => sessionKey(gateway, sessionId, account),
      input: async (session, text) => digest('input', session, text),
    },
    intentKeys: async (gateway, sessionId, account) => intentKey(gateway, sessionId, account),
    identity: createIdentityCheck(ledger, clock, async () => {
      const { chainId, fingerprints } = identityOf(relayer)
      const secrets = { ACCOUNT_ID_SECRET: 'id', ACCOUNT_KEY_SECRET: 'key' }
      return { chainId, fingerprints: { ...fingerprints, ...secrets } }
    }),
    ledger,
    memory,
    pins:
      parts.product === undefined || parts.product.settings.pin === 'off'
        ? undefined
        : createPins({ secret: pinSecret, memory, newSalt: parts.newToken }),
    background: parts.product?.background ?? (() => {}),
    smsSeals: parts.product?.smsSeals,
    pay: createPay(relayer, {
      isTarget: createTargetCheck(relayer.forwarder, loan),
      preflight: knobs.preflight,
      limits: knobs.limits,
      mayDial,
      accept: parts.accept ?? createAcceptor(relayer),
      background: () => {},
    }),
    claimDeposit: async () => ({ kind: 'too_little', thereWei: 0n, gasWei: 0n, last: undefined }),
    endSession: createEndSession(relayer),
    mayDial,
    leastTransferWei: parts.product?.leastTransferWei ?? 0n,
    worthOf: parts.product?.worthOf ?? (async () => undefined),
    now: clock.now,
    sleep: clock.sleep,
    settings: parts.product?.settings ?? demonstrationMenu,
    log,
  })
}

/** Makes what the object does in a round, each of whose `own` steps may be its last, and messages after it. */
export function createTending(
  parts: Parts,
  clock: Clock,
  own: Own,
  sendSms?: SmsRound,
): (ledger: Ledger) => Promise<Tended> {
  return async (ledger) => {
    const mortal = mortalLedger(ledger, own)
    const round = tend(createRelayer(parts, clock, mortal))
    const send = () => sendSms?.(mortal)
    const isMoreToSend = await round.then(send, send)
    const tended = await round
    return isMoreToSend === true && tended !== 'soon' ? 'open' : tended
  }
}

type Own = (what: string, work: () => Promise<unknown>) => Promise<unknown>

/** The ledger's object accepts payments: each of its `own` steps may be its last. */
export const createMortalAcceptor = (
  parts: Parts,
  clock: Clock,
  own: Own,
  ledger: Ledger,
): AcceptPayment => createAcceptor(createRelayer(parts, clock, mortalLedger(ledger, own)))

const mortalLedger = (ledger: Ledger, own: Own): Ledger =>
  ledgerThrough((method, args) =>
    own(`own.${method}`, () =>
      (ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args),
    ),
  )

export function createRelayer(parts: Parts, clock: Clock, ledger: Ledger): Relayer {
  const { knobs, forwarder, rpc, log } = parts
  const { relayer } = parts.signing
  return {
    ledger,
    node: createNode(rpc),
    signer: { ...relayer, sign: (one) => parts.step('sign', () => relayer.sign(one)) },
    forwarder,
    rules: knobs.rules,
    fees: { minWei: 0n, maxWei: knobs.maxGasPriceWei },
    clock,
    log,
    reasonOf: (revertData: Hex) => refusalWords(refusalOf(revertData)),
  }
}

export function intentKey(gateway: string, sessionId: string, account: Address): Hex {
  return digest('intent', gateway, sessionId, account.toLowerCase())
}

export function sessionKey(gateway: string, sessionId: string, account: Address): string {
  return digest('session', gateway, sessionId, account.toLowerCase())
}
