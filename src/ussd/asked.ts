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
  /** Derives the account of a number once, however many steps ask for it. */
  accounts: CallerAccounts
  account: () => Promise<LocalAccount>
  /** Names the session by a keyed digest, and a step of it by another one. */
  session: () => Promise<string>
  question: (step: string) => Promise<Question>
  say: Messages
}

/** Names a step after these answers. Nothing that is secret may be in them. */
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
