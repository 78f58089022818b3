import { createMemory, limitStoreTime } from '../account/memory.ts'
import { createNames } from '../account/names.ts'
import type { PhoneNumber } from '../account/phone.ts'
import { createPins } from '../account/pin.ts'
import { createIntentKeys, createSeal, createSessionKeys } from '../account/secrets.ts'
import type { LoanReader } from '../loan/reader.ts'
import type { OperatorPayments } from '../operator/actions/action.ts'
import type { WholeLedger } from '../operator/kept/steps.ts'
import { createTargetCheck } from '../relay/forwarder/target.ts'
import { createIdentityCheck } from '../relay/identity.ts'
import { maxOpenPayments } from '../relay/ledger/sessions.ts'
import { isOutcomeUnknown } from '../relay/ledger/transitions.ts'
import { listSpent } from '../relay/outcome/spent.ts'
import { createAcceptor } from '../relay/pay/acceptor.ts'
import { createEndSession } from '../relay/pay/answers.ts'
import { createPay } from '../relay/pay/delivery.ts'
import type { Relayer } from '../relay/relayer.ts'
import { cached } from '../runtime/cached.ts'
import { createDialLimiter } from '../ussd/dial-limiter.ts'
import type { RequestCounters } from '../ussd/gateways/request-counters.ts'
import { createUssdHandler, type UssdHandler } from '../ussd/handler.ts'
import { createMenu } from '../ussd/menu/main-menu.ts'
import type { Intent } from '../ussd/menu/node.ts'
import { requestPayment } from '../ussd/payment-request.ts'
import { createAmountFormats } from '../ussd/screens/amount-formats.ts'
import { endScreen } from '../ussd/screens/screen.ts'
import type { Services } from '../ussd/services.ts'
import { beginVisit, withAnswers } from '../ussd/visit.ts'
import type { Config } from './config.ts'
import {
  assembleAccounts,
  assembleDepositClaim,
  assembleIdentity,
  assembleLoan,
  assembleRates,
} from './relay.ts'
import type { Runtime, Stores } from './runtime.ts'
import { createSeals } from './sms.ts'

/** Sets how long loan terms are cached, which only the owner changes. */
const termsTtlMs = 60_000

/** Sets how long the lendable amount is cached; the ledger's reservations cover newer loans. */
const lendableTtlMs = 1_000

const memoryTimeoutMs = 2_000

type UssdOptions = {
  config: Config
  runtime: Runtime
  relayer: Relayer<WholeLedger>
  stores: Pick<Stores, 'memory' | 'accept'>
  counters?: RequestCounters
}

export const assembleUssdHandler = (options: UssdOptions): UssdHandler =>
  createUssdHandler(createServices(options))

const operatorGatewayName = 'operator'

/** Is kept in the place of the screen of a payment that no phone asked for. */
const unseen = 'No screen: an operator began this payment.'

/** Creates payments that operators ask for, which are paid like any payment of the caller. */
export function assembleOperatorPayments(callers: Services): OperatorPayments {
  // The operator vouches for the caller in place of a PIN.
  // Nor does the caller agree to an amount in local money.
  const settings = { ...callers.settings, localCurrency: undefined }
  const payUnseen: Services['pay'] = ({ createOrder, texts, ...step }) =>
    callers.pay({
      ...step,
      createOrder: async () => {
        const screens = { carried: endScreen(unseen), queued: endScreen(unseen) }
        return { ...(await createOrder()), writeScreens: async () => screens }
      },
      texts: { ...texts, paid: async ({ hash }) => endScreen(`${unseen} It was paid by ${hash}.`) },
    })
  const services = { ...callers, pay: payUnseen, pins: undefined, settings }
  const pay = async (
    { key: sessionId, phone }: { key: string; phone: PhoneNumber },
    answers: readonly string[],
    intent: Intent,
  ) => {
    // The ledger may not have adopted this key and forwarder yet.
    await services.identity()
    const session = { gateway: operatorGatewayName, sessionId, phone }
    const visit = withAnswers(await beginVisit(services, session), answers)
    return await requestPayment(visit, { intent, authorizedBy: undefined })
  }
  return {
    cashOut({ to, amountWei, ...order }) {
      const recipient = { kind: 'address', address: to } as const
      return pay(order, [to, `${amountWei}`], { kind: 'cashOut', recipient, amountWei })
    },
    sweep: (order) => pay(order, ['sweep'], { kind: 'deposit' }),
  }
}

/** Creates what reads an account's holdings; payments that begin meanwhile count as unspent. */
const createHoldingsReader =
  (relayer: UssdOptions['relayer'], loan: LoanReader): Services['readHoldings'] =>
  async (account) => {
    const payments = await relayer.ledger.listPayments(account, maxOpenPayments)
    const open = payments.filter(({ state }) => isOutcomeUnknown(state))
    const intents = open.map(({ order }) => order.request)
    return loan.readHoldings(account, (block) => listSpent(relayer, intents, block))
  }

/** Assembles the services of answers; the simulator replaces accounts and keys. */
export function createServices(
  { config, runtime, relayer, stores, counters }: UssdOptions,
  mayDial = createDialLimiter(config.limits.dialsAMinute, runtime.clock.now),
): Services {
  const { clock, waitUntil, log } = runtime
  const { ledger, forwarder } = relayer
  const loan = assembleLoan(config, relayer)
  const memory = createMemory(() => limitStoreTime(stores.memory(), clock, memoryTimeoutMs))
  const readHoldings = createHoldingsReader(relayer, loan)
  return {
    chainId: config.chain.id,
    unit: config.unit,
    forwarder,
    loanAddress: config.loan,
    loan: {
      ...loan,
      readTerms: cached(clock, termsTtlMs, () => loan.readTerms()),
      // The demonstration lends everybody the same.
      ...(config.menu.profile === 'demo' && { readLimit: async () => undefined }),
    },
    accounts: assembleAccounts(config, ledger),
    keys: createSessionKeys(config.accountIdSecret),
    intentKeys: createIntentKeys(config.accountKeySecret),
    identity: createIdentityCheck(ledger, clock, assembleIdentity(config), counters?.take),
    ledger,
    memory,
    names: createNames({ memory, seal: createSeal(config.accountKeySecret, 'name') }),
    pins:
      config.pinSecret &&
      createPins({ secret: config.pinSecret, memory, createSalt: () => crypto.randomUUID() }),
    waitUntil,
    readHoldings,
    pay: createPay(relayer, {
      checkTarget: createTargetCheck(forwarder, config),
      preflight: config.preflight,
      limits: config.limits,
      readLimits: {
        loans: cached(clock, lendableTtlMs, () => loan.readLendable()),
        withdrawals: cached(clock, lendableTtlMs, () => loan.readWithdrawable()),
      },
      readHoldings,
      finalAtOnce: config.finalAtOnce,
      mayDial,
      accept: stores.accept ?? createAcceptor(relayer),
      waitUntil,
    }),
    smsSeals: createSeals(config),
    senderSeal: createSeal(config.accountKeySecret, 'sender'),
    textSeal: createSeal(config.accountIdSecret, 'text'),
    claimDeposit: assembleDepositClaim(config, relayer),
    endSession: createEndSession(relayer),
    mayDial,
    limits: config.limits,
    minTransferWei: config.limits.minTransferWei,
    confirmations: relayer.rules.confirmations,
    readRate: assembleRates(config, runtime, ledger),
    now: clock.now,
    sleep: clock.sleep,
    settings: config.menu,
    menu: createMenu(config.menu),
    ...createAmountFormats(config.unit, config.menu),
    log,
  }
}
