import type { LocalAccount } from 'viem'
import type { CallerAccounts } from '../account/keys.ts'
import type { PhoneNumber } from '../account/phone.ts'
import type { SessionKeys } from '../account/session-keys.ts'
import type { Question } from '../relay/ledger/port.ts'
import type { UssdRequest, UssdSession } from './gateways/gateway.ts'
import type { MenuSettings } from './menu/node.ts'
import type { Messages } from './messages/en.ts'
import { wordsFor } from './messages/languages.ts'

export type Asked = UssdSession & {
  since: number
  /** Derives the account of a number once per request. */
  accounts: CallerAccounts
  account: () => Promise<LocalAccount>
  /** Returns the session's name in storage: a keyed digest. */
  session: () => Promise<string>
  question: (step: string) => Promise<Question>
  say: Messages
}

/** Names the step that these answers lead to; they must hold no secret. */
export const joinAnswers = (answers: readonly string[]): string => answers.join('*')

export type AskedOptions = { keys: SessionKeys; accounts: CallerAccounts; settings: MenuSettings }

export function createAsked(parts: AskedOptions, request: UssdRequest, since: number): Asked {
  const { keys, accounts, settings } = parts
  const { gateway, sessionId, phone } = request
  const derived = new Map<PhoneNumber, Promise<LocalAccount>>()
  const deriveAccount: CallerAccounts = (of) => {
    const account = derived.get(of) ?? accounts(of)
    derived.set(of, account)
    return account
  }
  const account = () => deriveAccount(phone)
  const session = async () => keys.session(gateway, sessionId, (await account()).address)
  return {
    gateway,
    sessionId,
    phone,
    since,
    accounts: deriveAccount,
    account,
    session,
    async question(step) {
      const name = await session()
      const { address } = await account()
      return { session: name, input: await keys.input(name, step), account: address }
    },
    say: wordsFor(settings, undefined),
  }
}
