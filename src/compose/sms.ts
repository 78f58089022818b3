import {
  createMemory,
  findLanguage,
  limitStoreTime,
  type MemoryStore,
  recordMessage,
} from '../account/memory.ts'
import type { PhoneNumber } from '../account/phone.ts'
import { createNode } from '../chain/node.ts'
import { formatAmountDown } from '../loan/amounts.ts'
import { createLoanReader, type LoanReader } from '../loan/reader.ts'
import type { NodeService } from '../node/service.ts'
import type { DueReminder, DueSms, Ledger, SmsFate } from '../relay/ledger/port.ts'
import { createReminders } from '../relay/rounds/reminders.ts'
import { createSmsRound } from '../relay/rounds/sms.ts'
import { describeFault } from '../runtime/log.ts'
import { createAfricasTalkingSms } from '../sms/africas-talking.ts'
import { writeReminder } from '../ussd/menu/entries/repayment.ts'
import type { Messages } from '../ussd/messages/en.ts'
import { selectMessages } from '../ussd/messages/languages.ts'
import { toGsmAlphabet } from '../ussd/screens/septets.ts'
import { createSmsSeals, nameReminderSubject, type SmsSeals, writeSms } from '../ussd/sms.ts'
import type { Config } from './config.ts'
import { assembleAccounts, readLoan } from './relay.ts'
import type { Runtime } from './runtime.ts'

/** Creates the seals of messages; undefined if no messages are sent, and then no number is kept. */
export const createSeals = (config: Config): SmsSeals | undefined =>
  config.sms && createSmsSeals(config.accountKeySecret)

const memoryMs = 5_000

/** Holds a message; the account remembers its `name`, since a ledger may be restored. */
type Outgoing = {
  name: string
  told: Record<string, string>
  /** @throws {Error} nothing was sent, and may be later */
  open: () => Promise<{ phone: PhoneNumber; textIn: (messages: Messages) => string }>
}

type Send = (message: Outgoing, ledger: Ledger) => Promise<SmsFate>

/** Creates the function that sends each message once; undefined if none are sent. */
function createSend(
  config: Config,
  { fetch, clock, log }: Runtime,
  store: () => MemoryStore,
): Send | undefined {
  if (config.sms === undefined) return undefined
  const provider = createAfricasTalkingSms({ account: config.sms, fetch, clock })
  const memory = createMemory(() => limitStoreTime(store(), clock, memoryMs))

  /** Decrypts and words a message; a failure here has sent nothing. */
  async function prepare({ open }: Outgoing, ledger: Ledger) {
    const { phone, textIn } = await open()
    const { address } = await assembleAccounts(config, ledger)(phone)
    const kept = await memory.read(address)
    const text = toGsmAlphabet(textIn(selectMessages(config.menu, findLanguage(kept))))
    return { address, texted: kept.texted, message: { to: phone, text } }
  }

  return async (message, ledger) => {
    const { name, told } = message
    const fail = (event: string, reason: string) =>
      log({ level: 'error', event, message: `A message was not sent: ${reason}`, ...told })
    const ready = await prepare(message, ledger).catch((error) =>
      fail('sms.unprepared', describeFault(error)),
    )
    if (!ready) return 'later'
    if (ready.texted.includes(name)) return 'known'
    const answer = await provider.send(ready.message)
    if (answer.kind !== 'sent') fail(`sms.${answer.kind}`, answer.reason)
    else log({ level: 'info', event: 'sms.sent', message: 'A message was sent', ...told })
    if (answer.kind === 'sent' || answer.kind === 'unknown') {
      await memory
        .change(ready.address, (kept) => recordMessage(kept, name))
        .catch((error) => fail('sms.unremembered', describeFault(error)))
    }
    return answer.kind
  }
}

const amountWith =
  ({ chain }: Config) =>
  (wei: bigint): string =>
    `${formatAmountDown(wei)} ${chain.currency}`

/** Creates the sender of messages about outcomes; the account remembers each. */
export function assembleSms(config: Config, runtime: Runtime, store: () => MemoryStore) {
  const send = createSend(config, runtime, store)
  if (send === undefined) return undefined
  const seals = createSmsSeals(config.accountKeySecret)
  const deliver = (sms: DueSms, ledger: Ledger) => {
    const open = async () => {
      const facts = await seals.openFacts(sms)
      const textIn = (messages: Messages) => writeSms(facts, sms, messages, amountWith(config))
      return { phone: facts.phone, textIn }
    }
    const told = { intent: sms.intentId, party: sms.party }
    return send({ name: `${sms.intentId}:${sms.acceptedAt}`, told, open }, ledger)
  }
  return createSmsRound({ deliver, ...runtime })
}

/** Creates reminders of due loans; undefined if no messages are sent. */
export function assembleReminders(
  config: Config,
  runtime: Runtime,
  store: () => MemoryStore,
  readDebt: LoanReader['readDebt'],
) {
  const send = createSend(config, runtime, store)
  if (send === undefined) return undefined
  const seals = createSmsSeals(config.accountKeySecret)
  const deliver = (reminder: DueReminder, ledger: Ledger) => {
    const { account, kind, dueAt, owedWei, sealed } = reminder
    const open = async () => {
      const phone = await seals.openNumber(sealed, nameReminderSubject(account))
      if (phone === undefined) throw new Error('a number was sealed under another account secret')
      const amount = amountWith(config)(owedWei)
      return { phone, textIn: (messages: Messages) => writeReminder(messages, amount, dueAt) }
    }
    return send({ name: `loan:${dueAt}:${kind}`, told: { party: 'borrower', kind }, open }, ledger)
  }
  return createReminders({ readDebt, deliver, ...runtime })
}

/** Sends due messages after a round; true while more may be left. */
export function assembleMessages(
  config: Config,
  runtime: Runtime,
  store: () => MemoryStore,
  { request }: NodeService,
) {
  const loan = readLoan({ node: createNode(request), clock: runtime.clock }, config.loan)
  const sendSms = assembleSms(config, runtime, store)
  const remind = assembleReminders(config, runtime, store, createLoanReader(loan).readDebt)
  return async (ledger: Ledger) => {
    remind?.(ledger)
    return await sendSms?.(ledger)
  }
}
