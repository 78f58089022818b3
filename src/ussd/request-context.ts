import type { LocalAccount } from 'viem'
import type { CallerAccounts } from '../account/caller-accounts.ts'
import type { PhoneNumber } from '../account/phone.ts'
import type { SessionKeys } from '../account/session-keys.ts'
import type { StepKey } from '../relay/ledger/values.ts'
import type { UssdRequest, UssdSession } from './gateways/gateway.ts'
import type { MenuSettings } from './menu/node.ts'
import type { Messages } from './messages/en.ts'
import { selectMessages } from './messages/languages.ts'

/** Holds what a delivery's session needs: its account, its names in storage, its language. */
export type RequestContext = UssdSession & {
  /** Tells when the delivery arrived (Unix time in ms). */
  since: number
  /** Derives the account of a number, once per delivery. */
  accounts: CallerAccounts
  deriveAccount: () => Promise<LocalAccount>
  /** Derives the keyed digest that names the session in storage. */
  deriveSessionDigest: () => Promise<string>
  deriveStepKey: (step: string) => Promise<StepKey>
  messages: Messages
}

/** Names the step that answers lead to; a secret among them must be masked. */
export const joinAnswers = (answers: readonly string[]): string => answers.join('*')

export type RequestContextOptions = {
  keys: SessionKeys
  accounts: CallerAccounts
  settings: MenuSettings
}

/** Creates a delivery's context; the messages are in the default language at first. */
export function createRequestContext(
  options: RequestContextOptions,
  request: UssdRequest,
  since: number,
): RequestContext {
  const { keys, settings } = options
  const { gateway, sessionId, phone } = request
  const accountsByPhone = new Map<PhoneNumber, Promise<LocalAccount>>()
  const accounts: CallerAccounts = (number) => {
    const account = accountsByPhone.get(number) ?? options.accounts(number)
    accountsByPhone.set(number, account)
    return account
  }
  const deriveAccount = () => accounts(phone)
  async function deriveSessionDigest() {
    const { address } = await deriveAccount()
    return keys.hashSession(gateway, sessionId, address)
  }
  return {
    gateway,
    sessionId,
    phone,
    since,
    accounts,
    deriveAccount,
    deriveSessionDigest,
    async deriveStepKey(step) {
      const session = await deriveSessionDigest()
      const { address } = await deriveAccount()
      return { session, input: await keys.hashInput(session, step), account: address }
    },
    messages: selectMessages(settings),
  }
}
