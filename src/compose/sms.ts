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
import { assembleAccounts, createLoanSource } from './relay.ts'
import type { Runtime } from './runtime.ts'

/** Creates the encryption of messages; undefined if none are sent: then no number is stored. */
export const createSeals = (config: Config): SmsSeals | undefined =>
  config.sms && createSmsSeals(config.accountKeySecret)

const memoryTimeoutMs = 5_000

/** Describes a message that is to be sent once. */
type OutgoingMessage = {
  /** Names the message in the account's memory, which outlives a restored ledger. */
  name: string
  logFields: Record<string, string>
  /** @throws {Error} nothing was sent, and the message may be sent later */
  decrypt: () => Promise<{ phone: PhoneNumber; writeText: (messages: Messages) => string }>
}

type SendMessage = (message: OutgoingMessage, ledger: Ledger) => Promise<SmsFate>

/** Maps the event of each failure to its sentence in the log. */
const failureSentences = {
  'sms.unprepared': 'A message was not sent, because it could not be prepared',
  'sms.later': 'The provider did not send a message this time',
  'sms.refused': 'The provider refused a message, which is never sent',
  'sms.unknown': 'It is not known whether a message was sent',
  'sms.unremembered': 'It is not known whether the memory of an account recorded a message',
} as const

/** Creates the function that sends each message once; undefined if none are sent. */
function createMessageSender(
  config: Config,
  { fetch, clock, log }: Runtime,
  getStore: () => MemoryStore,
): SendMessage | undefined {
  if (config.sms === undefined) return undefined
  const provider = createAfricasTalkingSms({ account: config.sms, fetch, clock })
  const memory = createMemory(() => limitStoreTime(getStore(), clock, memoryTimeoutMs))

  /** Decrypts a message and writes its text. A failure here has sent nothing. */
  async function prepare({ decrypt }: OutgoingMessage, ledger: Ledger) {
    const { phone, writeText } = await decrypt()
    const { address } = await assembleAccounts(config, ledger)(phone)
    const accountMemory = await memory.read(address)
    const messages = selectMessages(config.menu, findLanguage(accountMemory))
    const sms = { to: phone, text: toGsmAlphabet(writeText(messages)) }
    return { address, texted: accountMemory.texted, sms }
  }

  return async (message, ledger) => {
    const { name, logFields } = message
    const logFailure = (event: keyof typeof failureSentences, reason: string) =>
      log({ level: 'error', event, message: `${failureSentences[event]}: ${reason}`, ...logFields })
    const ready = await prepare(message, ledger).catch((error) =>
      logFailure('sms.unprepared', describeFault(error)),
    )
    if (!ready) return 'later'
    if (ready.texted.includes(name)) return 'known'
    const answer = await provider.send(ready.sms)
    if (answer.kind !== 'sent') logFailure(`sms.${answer.kind}`, answer.reason)
    else log({ level: 'info', event: 'sms.sent', message: 'A message was sent', ...logFields })
    if (answer.kind === 'sent' || answer.kind === 'unknown') {
      await memory
        .change(ready.address, (accountMemory) => recordMessage(accountMemory, name))
        .catch((error) => logFailure('sms.unremembered', describeFault(error)))
    }
    return answer.kind
  }
}

const formatAmount = ({ chain }: Config, wei: bigint): string =>
  `${formatAmountDown(wei)} ${chain.currency}`

/** Creates the sender of messages about outcomes; undefined if no messages are sent. */
export function assembleSms(config: Config, runtime: Runtime, getStore: () => MemoryStore) {
  const send = createMessageSender(config, runtime, getStore)
  if (send === undefined) return undefined
  const seals = createSmsSeals(config.accountKeySecret)
  const deliver = (sms: DueSms, ledger: Ledger) => {
    const decrypt = async () => {
      const facts = await seals.openFacts(sms)
      const showAmount = (wei: bigint) => formatAmount(config, wei)
      const writeText = (messages: Messages) => writeSms(facts, sms, messages, showAmount)
      return { phone: facts.phone, writeText }
    }
    const logFields = { intent: sms.intentId, party: sms.party }
    return send({ name: `${sms.intentId}:${sms.acceptedAt}`, logFields, decrypt }, ledger)
  }
  return createSmsRound({ deliver, ...runtime })
}

/** Creates reminders of due loans; undefined if no messages are sent. */
export function assembleReminders(
  config: Config,
  runtime: Runtime,
  getStore: () => MemoryStore,
  readDebt: LoanReader['readDebt'],
) {
  const send = createMessageSender(config, runtime, getStore)
  if (send === undefined) return undefined
  const seals = createSmsSeals(config.accountKeySecret)
  const deliver = (reminder: DueReminder, ledger: Ledger) => {
    const { account, kind, dueAt, owedWei, sealed } = reminder
    const decrypt = async () => {
      const phone = await seals.openNumber(sealed, nameReminderSubject(account))
      if (phone === undefined)
        throw new Error('a number was encrypted under another account secret')
      const amount = formatAmount(config, owedWei)
      return { phone, writeText: (messages: Messages) => writeReminder(messages, amount, dueAt) }
    }
    const logFields = { party: 'borrower', kind }
    return send({ name: `loan:${dueAt}:${kind}`, logFields, decrypt }, ledger)
  }
  return createReminders({ readDebt, deliver, ...runtime })
}

/** Creates what sends due messages after a round, and returns true while more may be due. */
export function assembleMessages(
  config: Config,
  runtime: Runtime,
  getStore: () => MemoryStore,
  { request }: NodeService,
) {
  const loan = createLoanSource({ node: createNode(request), clock: runtime.clock }, config.loan)
  const sendSms = assembleSms(config, runtime, getStore)
  const startReminders = assembleReminders(
    config,
    runtime,
    getStore,
    createLoanReader(loan).readDebt,
  )
  return async (ledger: Ledger) => {
    // Reminders go on in the background, so that no round waits for the provider.
    startReminders?.(ledger)
    return await sendSms?.(ledger)
  }
}
