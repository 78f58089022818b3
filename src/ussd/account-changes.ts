import type { AccountMemory } from '../account/memory.ts'
import { isTakenName } from '../account/names.ts'
import { isAuthorized, type Pins } from '../account/pin.ts'
import { createWalletCodes, type Wallet } from '../account/wallets.ts'
import { writeWithdrawal } from './menu/entries/activity.ts'
import { cashOut } from './menu/entries/cash-out.ts'
import { codeWords } from './menu/entries/code.ts'
import { nameWords } from './menu/entries/names.ts'
import { walletWords } from './menu/entries/wallets.ts'
import { type AccountAction, requireAnswer } from './menu/node.ts'
import { defaultServiceName, writeTime } from './messages/texts.ts'
import { findDenial } from './payment-request.ts'
import { writeDenial } from './refusal-texts.ts'
import { endScreen, type Screen } from './screens/screen.ts'
import { changeRecall } from './session/recalls.ts'
import { isAccountHeld, type Visit } from './visit.ts'

/**
 * Changes an account, or says why a correct PIN no longer authorizes that. `authorizedBy` names the
 * step that had it; to change a PIN, it is checked in the account's memory alone.
 */
export async function changeAccount(
  visit: Visit,
  action: AccountAction,
  authorizedBy: string | undefined,
): Promise<Screen> {
  if (action.kind === 'choosePin' || action.kind === 'changePin' || action.kind === 'forgetPin')
    return changePin(visit, action, authorizedBy)
  if (visit.services.pins !== undefined && authorizedBy === undefined)
    throw new Error('an account was changed without a correct PIN')
  const denial = await findDenial(visit, authorizedBy)
  if (denial !== undefined) return endScreen(writeDenial(visit, denial))
  switch (action.kind) {
    case 'addWallet':
    case 'cancelWallet':
      return changeWallet(visit, action, authorizedBy)
    case 'name':
      return changeName(visit, action, authorizedBy)
    case 'payOut':
      return payOutCash(visit, action)
    case 'recall':
    case 'keep':
      return changeRecall(visit, action)
  }
}

/** Sets, replaces or forgets a PIN. `authorizedBy` names the step that had the old one. */
async function changePin(
  visit: Visit,
  { kind, pin, language }: AccountAction,
  authorizedBy: string | undefined,
): Promise<Screen> {
  const { pins } = visit.services
  const { messages, session } = visit
  const { address } = visit.account
  if (pins === undefined) throw new Error('a PIN cannot be changed, because PINs are off')
  // Who has the phone may not be the owner; one who knows the PIN may change it all the same.
  if (kind !== 'changePin' && (await isAccountHeld(visit)))
    return endScreen(writeDenial(visit, 'held'))
  async function apply({ requestReset, choose, change }: Pins) {
    if (kind === 'forgetPin') return requestReset(address, session)
    if (kind === 'choosePin') return choose(address, requireAnswer(pin), session, language)
    if (authorizedBy === undefined) throw new Error('a PIN was changed without a correct PIN')
    return change(address, requireAnswer(pin), session, authorizedBy)
  }
  const change = await apply(pins)
  const { unchanged, chosen, requested, forgottenBlocked } = messages.pin
  const writeRequested = async () => {
    // It is asked for, also if nobody tells from when it holds.
    const { from } = await pins.readState(address).catch(() => ({ from: 0 }))
    if (from === undefined) return unchanged
    return from === 0 ? forgottenBlocked : requested(writeTime(messages, from))
  }
  if (change === 'done' && kind === 'forgetPin') return endScreen(await writeRequested())
  return endScreen({ done: chosen, unchanged, dormant: writeDenial(visit, 'dormant') }[change])
}

/**
 * Adds the wallet of a code, or cancels the change of one. The audit has it before it is done, and
 * the phone is told of an addition. `authorizedBy` names the step that had the correct PIN.
 */
async function changeWallet(
  visit: Visit,
  { kind, wallet: typed }: AccountAction,
  authorizedBy: string | undefined,
): Promise<Screen> {
  const { pins } = visit.services
  const walletCodes = createWalletCodes(visit.services)
  const { messages } = visit
  const { address: account } = visit.account
  const isAllowed = (before: AccountMemory, now: number) =>
    pins === undefined || isAuthorized(before, authorizedBy ?? '', now)
  const text = walletWords(messages)
  const wallet = requireAnswer(typed)
  if (kind === 'cancelWallet') {
    await recordChange(visit, 'cancel-wallet', wallet)
    const isCancelled = await walletCodes.cancel(wallet, account, isAllowed)
    return endScreen(isCancelled ? text.cancelled(wallet.name) : messages.pin.unchanged)
  }
  const code = requireAnswer(wallet.code)
  const found = await walletCodes.find(code, account)
  if (found.kind !== 'found') {
    const { unknownCode, tooManyWallets } = cashOut.words(messages)
    return endScreen(found.kind === 'full' ? tooManyWallets : unknownCode)
  }
  await recordChange(visit, 'redeem-wallet', found.wallet)
  const isAdded = await walletCodes.redeem(code, account, isAllowed)
  if (!isAdded) return endScreen(messages.pin.unchanged)
  const { name } = found.wallet
  return endScreen(found.replaces ? text.replaced(name) : text.added(name))
}

/** Records a change in the audit, with the message that tells the phone of an addition. */
async function recordChange(
  { services: { ledger, smsSeals }, phone, account, session }: Visit,
  action: 'redeem-wallet' | 'cancel-wallet',
  wallet: Wallet,
): Promise<void> {
  // A session that pays after all has messages of its own.
  const id = `wallet:${session}`
  const facts = { kind: 'wallet', phone, name: wallet.name, address: wallet.address } as const
  const sealed =
    action === 'redeem-wallet'
      ? await smsSeals?.sealFacts(facts, { session: id, party: 'sender' })
      : undefined
  await ledger.recordWalletChange({
    id,
    action,
    account: account.address,
    wallet: wallet.address,
    sealed,
  })
}

/** Changes which name payers see. `authorizedBy` names the step that had the correct PIN. */
async function changeName(
  visit: Visit,
  { name }: AccountAction,
  authorizedBy: string | undefined,
): Promise<Screen> {
  const { names, ledger, settings } = visit.services
  if (authorizedBy === undefined) throw new Error('a name was changed without a correct PIN')
  const choice = requireAnswer(name)
  const { done, tooEarly, taken, unchecked } = nameWords(visit.messages)
  const { address } = visit.account
  if (choice.kind === 'own') {
    const tills = settings.agents ? (await ledger.listTills()).map(({ name }) => name) : []
    const { serviceName = defaultServiceName } = settings
    if (isTakenName(choice.text, serviceName, tills)) return endScreen(taken)
  }
  const change = await names.choose(address, choice, visit.session, (before, now) => {
    // One that was verified since the PIN may be another than the screen after it had.
    const since = choice.kind === 'verified' ? before.names.verifiedAt : undefined
    return isAuthorized(before, authorizedBy, now, since)
  })
  // The ledger stores this screen, so it has no name.
  const texts = {
    done: done[choice.kind],
    impossible: choice.kind === 'own' ? tooEarly : unchecked,
    forbidden: visit.messages.pin.unchanged,
  }
  return endScreen(texts[change])
}

/** Records that the cash of a withdrawal was paid out, and warns if that was said before. */
async function payOutCash(visit: Visit, action: AccountAction): Promise<Screen> {
  const { ledger, showAmount } = visit.services
  const { messages, session } = visit
  const { code, intentId } = requireAnswer(action.withdrawal)
  const withdrawal = await ledger.payOut(visit.account.address, intentId, session)
  if (withdrawal === undefined) return endScreen(messages.unavailable)
  const isPaidBefore = withdrawal.paidOut !== undefined && withdrawal.paidOut.by !== session
  const { paidBefore, giveCash } = codeWords(messages)
  const line = writeWithdrawal({ messages, showAmount }, code, withdrawal)
  return endScreen(`${isPaidBefore ? paidBefore : giveCash}\n${line}`)
}
