import type { Address } from 'viem'
import type { Secret } from '../../account/keyed-hash.ts'
import { createCallerAccounts } from '../../account/keys.ts'
import { type Country, parseCaller } from '../../account/phone.ts'
import { createIntentKeys } from '../../account/session-keys.ts'
import {
  type PaymentDetails,
  type PaymentSummary,
  paymentAnswer,
  paymentsAnswer,
} from '../../operator/answers.ts'
import { intentIdOf } from '../../relay/forwarder/requests.ts'
import type { Dialling } from './handset.ts'

export type PaymentOptions = {
  chain: { id: number }
  forwarder: Address
  accountKeySecret: Secret
  gatewayCountry: Country | undefined
}

/** Asks an operator's route of the relay; undefined where it does not know what it is asked for. */
export type AskOperator = (path: string) => Promise<unknown>

export type SessionPayments = {
  /** Is the session's own payment; undefined where it has none. */
  own: PaymentDetails | undefined
  /** Lists what its transaction carries, its own among them. */
  batch: PaymentSummary[]
  /** Lists what the number's account has paid since the page's first dial. */
  since: PaymentSummary[]
}

/** Reads what a session paid, by the name that the relay gives its payment. */
export async function readPayments(
  { chain, forwarder, accountKeySecret, gatewayCountry }: PaymentOptions,
  ask: AskOperator,
  { session, firstAt }: { session: Dialling; firstAt: number },
): Promise<SessionPayments> {
  const phone = parseCaller(session.phone, gatewayCountry)
  if (phone === undefined) return { own: undefined, batch: [], since: [] }
  const { address } = await createCallerAccounts(accountKeySecret)(phone)
  const key = await createIntentKeys(accountKeySecret)(session.gateway, session.id, address)
  const intent = intentIdOf({ chainId: chain.id, address: forwarder }, key)
  const listed = async (query: string) =>
    paymentsAnswer.parse(await ask(`/operator/payments?${query}`)).payments
  const [found, since] = await Promise.all([
    ask(`/operator/payments/${intent}`),
    listed(`account=${address}&since=${firstAt}`),
  ])
  const own = found === undefined ? undefined : paymentAnswer.parse(found)
  const batch = own?.hash ? await listed(`hash=${own.hash}`) : []
  return { own, batch, since }
}
