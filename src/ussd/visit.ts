import type { Address, LocalAccount } from 'viem'
import { hasActivity } from '../account/activity.ts'
import type { Memory } from '../account/memory.ts'
import type { PhoneNumber } from '../account/phone.ts'
import { deriveIntentId } from '../relay/forwarder/requests.ts'
import type { StepKey } from '../relay/ledger/values.ts'
import type { IntentName } from '../relay/outcome/spent.ts'
import { describeFault } from '../runtime/log.ts'
import type { UssdSession } from './gateways/gateway.ts'
import { selectMessages } from './messages/languages.ts'
import type { Services } from './services.ts'

/** Holds one delivery: whose it is, its names in storage, its language, and its answers. */
export type Visit = Awaited<ReturnType<typeof beginVisit>>

/** Names the step that answers lead to; a secret among them must be masked. */
export const joinAnswers = (answers: readonly string[]): string => answers.join('*')

/** Begins a visit, without answers and in the default language. @throws {Error} no account */
export async function beginVisit(
  services: Services,
  { gateway, sessionId, phone }: UssdSession,
  since = services.now(),
) {
  const { keys, settings } = services
  const account = await services.accounts(phone)
  const derived = new Map([[phone, account]])
  const session = keys.hashSession(gateway, sessionId, account.address)
  const createStepKey = (step: string): StepKey => ({
    session,
    input: keys.hashInput(session, step),
    account: account.address,
  })
  return {
    services,
    gateway,
    sessionId,
    phone,
    /** Tells when the delivery arrived (Unix time in ms). */
    since,
    account,
    /** Derives the account of another number, once per delivery. */
    async accounts(number: PhoneNumber): Promise<LocalAccount> {
      const known = derived.get(number) ?? (await services.accounts(number))
      derived.set(number, known)
      return known
    },
    /** Is the keyed digest that names the session in storage. */
    session,
    createStepKey,
    messages: selectMessages(settings),
    /** Holds what this session, or one that was cut before it, asked to confirm. */
    unconfirmed: undefined as { session: string; sealed: string } | undefined,
    /** Lists the answers with a mask in the place of each secret; empty until they are followed. */
    answers: [] as readonly string[],
    /** Names the step that these answers lead to. */
    stepKey: createStepKey(''),
  }
}

/** Gives a visit the answers that its session has followed. */
export const withAnswers = (visit: Visit, answers: readonly string[]): Visit => ({
  ...visit,
  answers,
  stepKey: visit.createStepKey(joinAnswers(answers)),
})

/** Tells whether a number has an account, which is served even if no numbering plan lists it. */
export async function hasAccount(
  { services: { settings, memory, ledger, loan }, accounts }: Visit,
  phone: PhoneNumber,
): Promise<boolean> {
  const sources = { ledger, loan, memory: settings.profile === 'demo' ? undefined : memory }
  return await hasActivity((await accounts(phone)).address, sources)
}

/** Tells whether an operator holds the account: it pays nothing then, and gets no new PIN. */
export async function isAccountHeld({ services: { ledger }, account }: Visit): Promise<boolean> {
  const { heldAt } = await ledger.readStanding(account.address)
  return heldAt !== undefined
}

/** Names the intent that the payment of this session has. */
export function nameIntent({ services, gateway, sessionId, account }: Visit): IntentName {
  const { address } = account
  const key = services.intentKeys(gateway, sessionId, address)
  return { from: address, intentId: deriveIntentId(services.forwarder, key) }
}

/** Changes an account's memory after the reply. A failure is logged: screens then show less. */
export function updateMemoryLater(
  { memory, waitUntil, log }: Services,
  account: Address,
  change: Parameters<Memory['change']>[1],
  writer?: Parameters<Memory['change']>[2],
): void {
  const logFailure = (error: unknown) =>
    log({ level: 'warn', event: 'memory.failed', message: describeFault(error) })
  waitUntil(memory.change(account, change, writer).catch(logFailure))
}
