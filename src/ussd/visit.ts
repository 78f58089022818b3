import type { LocalAccount } from 'viem'
import type { CallerAccounts } from '../account/caller-accounts.ts'
import { deriveIntentId } from '../relay/forwarder/requests.ts'
import type { StepKey } from '../relay/ledger/values.ts'
import type { IntentName } from '../relay/outcome/spent.ts'
import type { UssdSession } from './gateways/gateway.ts'
import type { Messages } from './messages/en.ts'
import { selectMessages } from './messages/languages.ts'
import type { Services } from './services.ts'

/** Holds one delivery: whose it is, its names in storage, its language, and its answers. */
export type Visit = UssdSession & {
  readonly services: Services
  /** Tells when the delivery arrived (Unix time in ms). */
  since: number
  /** Derives the account of a number, once per delivery. */
  accounts: CallerAccounts
  deriveAccount: () => Promise<LocalAccount>
  /** Derives the keyed digest that names the session in storage. */
  deriveSessionDigest: () => Promise<string>
  deriveStepKey: (step: string) => Promise<StepKey>
  messages: Messages
  /** Lists the session's answers with a mask in the place of each secret; empty until followed. */
  answers: readonly string[]
  /** Names the step that these answers lead to. */
  stepKey: () => Promise<StepKey>
}

/** Names the step that answers lead to; a secret among them must be masked. */
export const joinAnswers = (answers: readonly string[]): string => answers.join('*')

/** Keeps what is derived first for all who ask later. */
function once<Value>(derive: () => Promise<Value>): () => Promise<Value> {
  let derived: Promise<Value> | undefined
  return () => {
    derived ??= derive()
    return derived
  }
}

/** Begins a visit, without answers and in the default language. */
export function beginVisit(services: Services, { gateway, sessionId, phone }: UssdSession): Visit {
  const { keys, settings } = services
  const derivations = new Map<string, () => Promise<LocalAccount>>()
  const accounts: CallerAccounts = (number) => {
    const derive = derivations.get(number) ?? once(() => services.accounts(number))
    derivations.set(number, derive)
    return derive()
  }
  const deriveAccount = () => accounts(phone)
  const deriveSessionDigest = once(async () =>
    keys.hashSession(gateway, sessionId, (await deriveAccount()).address),
  )
  async function deriveStepKey(step: string): Promise<StepKey> {
    const session = await deriveSessionDigest()
    const { address } = await deriveAccount()
    return { session, input: await keys.hashInput(session, step), account: address }
  }
  return {
    services,
    gateway,
    sessionId,
    phone,
    since: services.now(),
    accounts,
    deriveAccount,
    deriveSessionDigest,
    deriveStepKey,
    messages: selectMessages(settings),
    answers: [],
    stepKey: once(() => deriveStepKey('')),
  }
}

/** Gives a visit the answers that its session has followed. */
export const withAnswers = (visit: Visit, answers: readonly string[]): Visit => ({
  ...visit,
  answers,
  stepKey: once(() => visit.deriveStepKey(joinAnswers(answers))),
})

/** Derives the intent that the payment of this session has. */
export async function deriveSessionIntent(visit: Visit): Promise<IntentName> {
  const { services, gateway, sessionId } = visit
  const { address } = await visit.deriveAccount()
  const key = await services.intentKeys(gateway, sessionId, address)
  return { from: address, intentId: deriveIntentId(services.forwarder, key) }
}
