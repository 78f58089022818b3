import type { AccountMemory } from '../account/memory.ts'
import { isAuthorized, type Pins } from '../account/pin.ts'
import type { Wallet, WalletCodes } from '../account/wallets.ts'
import type { Ledger } from '../relay/ledger/steps.ts'
import { writeWithdrawal } from './menu/entries/activity.ts'
import { cashOut } from './menu/entries/cash-out.ts'
import { codeWords } from './menu/entries/code.ts'
import { walletWords } from './menu/entries/wallets.ts'
import {
  type MenuContext,
  type MenuSettings,
  type PayOutAction,
  type PinAction,
  requireAnswer,
  type WalletAction,
} from './menu/node.ts'
import { findDenial } from './payment-request.ts'
import { writeDenial } from './refusal-texts.ts'
import type { RequestContext } from './request-context.ts'
import { endScreen, type Screen } from './screens/screen.ts'
import type { SmsSeals } from './sms.ts'

type PinChangeContext = RequestContext & { pins: Pins | undefined; settings: MenuSettings }

/** Sets, replaces or forgets a PIN. `authorizedBy` names the step that had the old one. */
export async function changePin(
  context: PinChangeContext,
  action: PinAction,
  authorizedBy?: string,
): Promise<Screen> {
  const { pins, messages } = context
  if (pins === undefined) throw new Error('a PIN cannot be changed, because PINs are off')
  const { address } = await context.deriveAccount()
  const session = await context.deriveSessionDigest()
  async function apply({ requestReset, choose, change }: Pins) {
    if (action.kind === 'forgetPin') return requestReset(address, session)
    if (action.kind === 'choosePin') return choose(address, action.pin, session)
    if (authorizedBy === undefined) throw new Error('a PIN was changed without a correct PIN')
    return change(address, action.pin, session, authorizedBy)
  }
  const done = action.kind === 'forgetPin' ? messages.pin.requested : messages.pin.chosen
  const { unchanged } = messages.pin
  const words = { done, unchanged, dormant: writeDenial(context, 'dormant') }
  return endScreen(words[await apply(pins)])
}

type WalletChangeContext = RequestContext &
  Pick<MenuContext, 'describeRecipient'> & {
    pins: Pins | undefined
    settings: MenuSettings
    walletCodes: WalletCodes
    smsSeals?: SmsSeals | undefined
    ledger: Pick<Ledger, 'recordWalletChange'>
  }

/**
 * Adds the wallet of a code, or cancels the change of one. The audit has it before it is done, and
 * the phone is told of an addition. `authorizedBy` names the step that had the correct PIN.
 */
export async function changeWallet(
  context: WalletChangeContext,
  action: WalletAction,
  authorizedBy: string | undefined,
): Promise<Screen> {
  const { pins, messages, walletCodes } = context
  if (pins !== undefined && authorizedBy === undefined) {
    throw new Error('a wallet was changed without a correct PIN')
  }
  const denial = await findDenial(context, authorizedBy)
  if (denial !== undefined) return endScreen(writeDenial(context, denial))
  const { address: account } = await context.deriveAccount()
  const isAllowed = (before: AccountMemory, now: number) =>
    pins === undefined || isAuthorized(before, authorizedBy ?? '', now)
  const text = walletWords(messages)
  const { wallet } = action
  if (action.kind === 'cancelWallet') {
    await recordChange(context, 'cancel-wallet', wallet)
    const isCancelled = await walletCodes.cancel(wallet, account, isAllowed)
    return endScreen(isCancelled ? text.cancelled(wallet.name) : messages.pin.unchanged)
  }
  const code = requireAnswer(wallet.code)
  const found = await walletCodes.find(code, account)
  if (found.kind !== 'found') {
    const { unknownCode, tooManyWallets } = cashOut.words(messages)
    return endScreen(found.kind === 'full' ? tooManyWallets : unknownCode)
  }
  await recordChange(context, 'redeem-wallet', found.wallet)
  const isAdded = await walletCodes.redeem(code, account, isAllowed)
  if (!isAdded) return endScreen(messages.pin.unchanged)
  const { name } = found.wallet
  return endScreen(found.replaces ? text.replaced(name) : text.added(name))
}

/** Records a change in the audit, with the message that tells the phone of an addition. */
async function recordChange(
  context: WalletChangeContext,
  action: 'redeem-wallet' | 'cancel-wallet',
  wallet: Wallet,
): Promise<void> {
  const { ledger, smsSeals, phone } = context
  const { address: account } = await context.deriveAccount()
  // A session that pays after all has messages of its own.
  const id = `wallet:${await context.deriveSessionDigest()}`
  const facts = { kind: 'wallet', phone, name: wallet.name, address: wallet.address } as const
  const sealed =
    action === 'redeem-wallet'
      ? await smsSeals?.sealFacts(facts, { session: id, party: 'sender' })
      : undefined
  await ledger.recordWalletChange({ id, action, account, wallet: wallet.address, sealed })
}

type PayOutContext = RequestContext & {
  pins: Pins | undefined
  settings: MenuSettings
  ledger: Pick<Ledger, 'payOut'>
  showAmount: (wei: bigint) => string
}

/** Records that the cash of a withdrawal was paid out, and warns if that was said before. */
export async function payOutCash(
  context: PayOutContext,
  { withdrawal: { code, intentId } }: PayOutAction,
  authorizedBy: string | undefined,
): Promise<Screen> {
  const { pins, messages, ledger } = context
  if (pins !== undefined && authorizedBy === undefined) {
    throw new Error('cash was paid out without a correct PIN')
  }
  const denial = await findDenial(context, authorizedBy)
  if (denial !== undefined) return endScreen(writeDenial(context, denial))
  const { address } = await context.deriveAccount()
  const session = await context.deriveSessionDigest()
  const withdrawal = await ledger.payOut(address, intentId, session)
  if (withdrawal === undefined) return endScreen(messages.unavailable)
  const isPaidBefore = withdrawal.paidOut !== undefined && withdrawal.paidOut.by !== session
  const warning = isPaidBefore ? `${codeWords(messages).paidBefore}\n` : ''
  return endScreen(warning + writeWithdrawal(context, code, withdrawal))
}
