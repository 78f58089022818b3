import { type Address, getAddress } from 'viem'
import { type AccountMemory, findRecipientName, forgetRecipient } from '../../account/memory.ts'
import { shortenPhone } from '../../account/phone.ts'
import type { Seal } from '../../account/secrets.ts'
import type { WholeLedger } from '../../operator/kept/steps.ts'
import { nameRecall, type SmsParty } from '../../relay/ledger/values.ts'
import { withTimeLimit } from '../../runtime/clock.ts'
import { type AccountAction, requireAnswer } from '../menu/node.ts'
import { recallWords } from '../menu/recall.ts'
import { shortenAddress, writeTime } from '../messages/texts.ts'
import { findReceiverPhone } from '../payment-request.ts'
import type { DraftRecall } from '../recipient.ts'
import { writeWithWorth } from '../screens/amount-formats.ts'
import { endScreen, type Screen } from '../screens/screen.ts'
import type { SmsFacts } from '../sms.ts'
import { updateMemoryLater, type Visit } from '../visit.ts'
import { readRecord, readSessionRate, recallablesRecord, recordIfAbsent } from './records.ts'

/** Limits how long a caller waits for what the receiver has. */
const readWithinMs = 3_000

/** Lists the payments that this session may call a mistake: those that it `named` first. */
export async function listOffered(visit: Visit, named: boolean): Promise<DraftRecall[]> {
  const { ledger, memory, settings, chainId } = visit.services
  const stepKey = visit.createStepKey(recallablesRecord.name)
  const recorded = await readRecord(ledger, stepKey, recallablesRecord)
  if (recorded !== undefined) return recorded
  const sender = visit.account.address
  const [offered, stored] = await Promise.all([
    ledger.listRecallable({ sender, ...settings.recalls }),
    memory.read(sender),
  ])
  const found = offered.flatMap(({ account, from, ...payment }) => {
    const name = findRecipientName(stored, payment.intentId, account)
    return from === undefined ? [{ ...payment, recipient: toKnown(account, name, chainId) }] : []
  })
  // What no screen has named yet, no answer can have meant.
  if (!named || found.length === 0) return found
  return (await recordIfAbsent(ledger, stepKey, recallablesRecord, found)) ?? []
}

/** Finds what is held back in the caller's account, and gives its sender as the recipient. */
export async function findHeldBack(visit: Visit): Promise<DraftRecall | undefined> {
  const { ledger, memory, senderSeal, chainId } = visit.services
  const { address } = visit.account
  const [first] = await ledger.listRecalled(address)
  if (first === undefined) return undefined
  const { sender: account, wei: amountWei, number: sealed, ...held } = first
  const senders = await decryptSenders(await memory.read(address), senderSeal, address)
  const name = senders.get(account.toLowerCase())
  const recipient = { ...toKnown(account, name, chainId), sealed }
  return { ...held, recipient, amountWei }
}

const toKnown = (address: Address, name: string | undefined, chainId: number) =>
  ({ kind: 'known', address, label: name ?? shortenAddress(address, chainId) }) as const

/** Has a payment held back, or ends that. */
export async function changeRecall(visit: Visit, { kind, recall }: AccountAction): Promise<Screen> {
  const { ledger, settings, readHoldings } = visit.services
  const { messages } = visit
  const draft = requireAnswer(recall)
  const { intentId, recipient } = draft
  const caller = visit.account.address
  const text = recallWords(messages)
  if (kind === 'keep') {
    const isEnded = await ledger.endRecall(caller, intentId, `keep:${intentId}`)
    return endScreen(isEnded ? text.kept : text.ended)
  }
  const reading = readHoldings(recipient.address).catch(() => undefined)
  const [holdings, told] = await Promise.all([
    withTimeLimit(visit.services, readWithinMs, reading, () => undefined),
    sealRecalled(visit, draft),
  ])
  const asked = { intentId, sender: caller, holdings, ...told, ...settings.recalls }
  const answer = await ledger.recall(asked)
  if (answer.kind === 'held' || answer.kind === 'spent') {
    const forget = (memory: AccountMemory) => forgetRecipient(memory, recipient.address)
    updateMemoryLater(visit.services, caller, forget)
  }
  switch (answer.kind) {
    case 'held': {
      const until = writeTime(messages, answer.until)
      const rate = await readSessionRate(visit)
      return endScreen(
        writeWithWorth(visit.services, rate, ({ show }) => text.isHeld(show(answer.wei), until)),
      )
    }
    case 'arriving':
    case 'unknown':
    case 'spent':
      return endScreen(text[answer.kind])
    default:
      return endScreen(text.refused)
  }
}

/** Encrypts the messages to both, where numbers are known, and the sender's number. */
async function sealRecalled(
  visit: Visit,
  { intentId, recipient, amountWei }: DraftRecall,
): Promise<Pick<Parameters<WholeLedger['recall']>[0], 'sealed' | 'sealedForSender' | 'number'>> {
  const { smsSeals } = visit.services
  if (smsSeals === undefined) return {}
  const phone = await findReceiverPhone(visit, smsSeals, recipient)
  const seal = (party: SmsParty, facts: SmsFacts) =>
    smsSeals.sealFacts(facts, { session: nameRecall(intentId), party })
  const [sender, to] = [visit.phone, recipient.label]
  const told = { kind: 'received', amountWei, who: shortenPhone(sender) } as const
  return {
    sealed: phone && (await seal('receiver', { ...told, phone })),
    sealedForSender: await seal('sender', { phone: sender, kind: 'transfer', amountWei, who: to }),
    number: await smsSeals.sealNumber(visit.phone, getAddress(recipient.address)),
  }
}

/** Decrypts the short numbers of senders, without those encrypted under another secret. */
export async function decryptSenders(
  { senders }: AccountMemory,
  seal: Seal,
  account: Address,
): Promise<ReadonlyMap<string, string>> {
  const namedSenders = await Promise.all(
    senders.map(async ({ address, sealed }) => {
      return [address.toLowerCase(), await seal.decrypt(sealed, account.toLowerCase())] as const
    }),
  )
  return new Map(namedSenders.flatMap(([address, number]) => (number ? [[address, number]] : [])))
}
