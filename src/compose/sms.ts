import {
  createMemory,
  findLanguage,
  limitStoreTime,
  type MemoryStore,
  recordMessage,
} from '../account/memory.ts'
import type { PhoneNumber } from '../account/phone.ts'
import type { Node } from '../chain/node.ts'
import type { LoanReader } from '../loan/reader.ts'
import type { DueReminder } from '../relay/ledger/payments/reminders.ts'
import type { SmsFate } from '../relay/ledger/payments/sms.ts'
import type { DueSms } from '../relay/ledger/records/due-sms.ts'
import type { Ledger } from '../relay/ledger/steps.ts'
import { isOfAll, readMined } from '../relay/outcome/receipt.ts'
import { createReminders, createSmsRound } from '../relay/rounds/messages.ts'
import { describeFault } from '../runtime/log.ts'
import { createAfricasTalkingSms } from '../sms/africas-talking.ts'
import { writeReminder } from '../ussd/menu/entries/repayment.ts'
import type { Messages } from '../ussd/messages/en.ts'
import { selectMessages } from '../ussd/messages/languages.ts'
import {
  createAmountFormats,
  createWorthFormats,
  writeWithWorth,
} from '../ussd/screens/amount-formats.ts'
import { countSeptets, maxSeptets, toGsmAlphabet } from '../ussd/screens/septets.ts'
import {
  correctFacts,
  createSmsSeals,
  nameReminderSubject,
  type SmsSeals,
  writeSms,
} from '../ussd/sms.ts'
import type { Config } from './config.ts'
import { assembleAccounts, assembleLoan, assembleRates } from './relay.ts'
import type { Runtime } from './runtime.ts'

/** Creates the functions that encrypt and decrypt stored messages; none if SMS is off. */
export const createSeals = (config: Config): SmsSeals | undefined =>
  config.sms && createSmsSeals(config.accountKeySecret)

const memoryTimeoutMs = 5_000

/** Writes a text's forms, the fullest first; `code` is what its reader dials who never did. */
type WriteTexts = (messages: Messages, code?: string) => [fullest: string, ...shorter: string[]]

type OutgoingMessage = {
  /** Identifies the message in the account's memory, which remembers it if the ledger is lost. */
  name: string
  logFields: Record<string, string>
  /** Decrypts recipient and content. If that fails, the message is tried again later. */
  open: () => Promise<{ phone: PhoneNumber; writeTexts: WriteTexts }>
}

const failureSentences = {
  'sms.unprepared': 'A message was not sent, because it could not be prepared',
  'sms.later': 'The provider did not send a message this time',
  'sms.refused': 'The provider refused a message, so it is never sent',
  'sms.unknown': 'It is not known whether a message was sent',
  'sms.unremembered': 'It is not known whether an account remembers its message',
} as const

/** Chooses a text's fullest form that fits one SMS, with the service's name if there is room. */
function chooseForm(texts: readonly string[], serviceName: string | undefined): string {
  const named = serviceName === undefined ? [] : texts.map((text) => `${serviceName}: ${text}`)
  const forms = [...named, ...texts].map(toGsmAlphabet)
  return forms.find((text) => countSeptets(text) <= maxSeptets) ?? forms.at(-1) ?? ''
}

/** Creates a reader of the rate, which keeps its price for all messages of a round. */
function createRateReader(config: Config, runtime: Runtime) {
  let readRate: ReturnType<typeof assembleRates> | undefined
  return async (ledger: Ledger) => {
    readRate ??= assembleRates(config, runtime, ledger)
    return (await readRate()) ?? 'none'
  }
}

/** Creates what sends each message at most once. Returns undefined if SMS is off. */
function createSender(config: Config, runtime: Runtime, getStore: () => MemoryStore) {
  const { clock, log } = runtime
  const seals = createSeals(config)
  if (config.sms === undefined || seals === undefined) return undefined
  const sendOnce = createAfricasTalkingSms({ account: config.sms, ...runtime })
  const memory = createMemory(() => limitStoreTime(getStore(), clock, memoryTimeoutMs))
  const readRate = createRateReader(config, runtime)
  const formats = { unit: config.unit, ...createAmountFormats(config.unit, config.menu) }

  /** Decrypts a message and writes its text in the recipient's language. */
  async function prepare({ open }: OutgoingMessage, ledger: Ledger) {
    const { phone, writeTexts } = await open()
    const { address } = await assembleAccounts(config, ledger)(phone)
    const accountMemory = await memory.read(address)
    const messages = selectMessages(config.menu, findLanguage(accountMemory))
    const { serviceName, shortCode } = config.menu
    const texts = writeTexts(messages, accountMemory.hasDialled ? undefined : shortCode)
    const sms = { to: phone, text: chooseForm(texts, serviceName) }
    return { address, sms, sentMessageNames: accountMemory.texted }
  }

  async function send(message: OutgoingMessage, ledger: Ledger): Promise<SmsFate> {
    const { name, logFields } = message
    const logFailure = (event: keyof typeof failureSentences, reason: string) =>
      log({ level: 'error', event, message: `${failureSentences[event]}: ${reason}`, ...logFields })
    const prepared = await prepare(message, ledger).catch((error) => {
      logFailure('sms.unprepared', describeFault(error))
      return undefined
    })
    if (prepared === undefined) return 'later'
    const { address, sms, sentMessageNames } = prepared
    // An earlier attempt has sent it, but the ledger does not know that.
    if (sentMessageNames.includes(name)) return 'known'
    const answer = await sendOnce(sms)
    if (answer.kind === 'sent')
      log({ level: 'info', event: 'sms.sent', message: 'A message was sent', ...logFields })
    else logFailure(`sms.${answer.kind}`, answer.reason)
    // A message that may have been sent is recorded too, so that it is never sent twice.
    if (answer.kind === 'sent' || answer.kind === 'unknown') {
      await memory
        .change(address, (accountMemory) => recordMessage(accountMemory, name))
        .catch((error) => logFailure('sms.unremembered', describeFault(error)))
    }
    return answer.kind
  }

  return {
    sendSms: (sms: DueSms, ledger: Ledger, sumWei?: bigint) => {
      const open = async () => {
        const executed = correctFacts(await seals.openFacts(sms), sms.executed, config.chain.id)
        const hasSum = sumWei !== undefined
        const facts = hasSum ? { ...executed, amountWei: sumWei } : executed
        // What is held back may be less than was agreed to, and nobody agreed to a sum.
        const rate = sms.recalled || hasSum ? await readRate(ledger) : 'none'
        const { show, showOwed } = createWorthFormats(formats, rate)
        const showAmount = hasSum && facts.kind === 'repayment' ? showOwed : show
        const writeTexts: WriteTexts = (messages, code) =>
          writeSms(facts, sms, messages, showAmount, code)
        return { phone: facts.phone, writeTexts }
      }
      const logFields = { intent: sms.intentId, party: sms.party }
      return send({ name: `${sms.intentId}:${sms.acceptedAt}`, logFields, open }, ledger)
    },
    sendReminder: ({ account, kind, dueAt, owedWei, sealed }: DueReminder, ledger: Ledger) => {
      const open = async () => {
        const phone = await seals.openNumber(sealed, nameReminderSubject(account))
        if (phone === undefined)
          throw new Error('a number was encrypted under another account secret')
        const rate = await readRate(ledger)
        const writeTexts: WriteTexts = (messages) => [
          writeWithWorth(formats, rate, ({ showOwed }) =>
            writeReminder(messages, showOwed(owedWei), dueAt),
          ),
        ]
        return { phone, writeTexts }
      }
      const logFields = { party: 'borrower', kind }
      return send({ name: `loan:${dueAt}:${kind}`, logFields, open }, ledger)
    },
  }
}

export function assembleMessages(
  config: Config,
  runtime: Runtime,
  getStore: () => MemoryStore,
  node: Node,
  { readDebt }: Pick<LoanReader, 'readDebt'> = assembleLoan(config, { node, ...runtime }),
) {
  const sender = createSender(config, runtime, getStore)
  const readSum = async ({ record }: DueSms) =>
    isOfAll(record)
      ? (await readMined({ node, ...runtime }, record, config.loan))?.creditedWei
      : undefined
  const sendSms = sender && createSmsRound({ deliver: sender.sendSms, readSum, ...runtime })
  /** Starts reminders of due loans, which the ledger's events tell too; none without either. */
  const startReminders =
    sender === undefined && config.events === undefined
      ? undefined
      : createReminders({ readDebt, deliver: sender?.sendReminder, ...runtime })
  return {
    sendSms,
    startReminders,
    /** Sends all due messages. It returns true while more may be due. */
    async sendMessages(ledger: Ledger) {
      // Only starts them: reminders are sent in the background, so that no round waits for them.
      startReminders?.(ledger)
      return await sendSms?.(ledger)
    },
  }
}
