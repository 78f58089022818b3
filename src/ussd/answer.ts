import type { Address, Hex } from 'viem'
import { showAddress } from '../account/address.ts'
import type { CallerAccounts } from '../account/keys.ts'
import { shortPhone } from '../account/phone.ts'
import type { SessionKeys } from '../account/session-keys.ts'
import { formatAmount } from '../loan/amounts.ts'
import { callOf, refusalOf } from '../loan/calls.ts'
import type { LoanReader } from '../loan/reader.ts'
import { type Forwarder, intentIdOf } from '../relay/forwarder/requests.ts'
import type { Identified } from '../relay/ledger/port.ts'
import type { Pay, PaymentAnswer, PaymentRefusal, WishOrder } from '../relay/pay/delivery.ts'
import { faultOf, type Log } from '../runtime/log.ts'
import { answersOf, type MenuResult, walk } from './menu.ts'
import { type Messages, shortAddress } from './messages/texts.ts'
import type { UssdRequest } from './request.ts'
import { end, goOn, renderPlain, type Screen } from './screen.ts'

/** Answers one delivery with the body of the reply. Never throws. */
export type Answer = (request: UssdRequest) => Promise<Answered>

/** `out_of_service`: nothing may be done, and whoever operates this has to know. */
export type Answered = { kind: 'screen' | 'out_of_service'; body: string }

export type AnswerParts = {
  chainId: number
  /** What the chain's currency is called. */
  currency: string
  forwarder: Forwarder
  loanAddress: Address
  loan: LoanReader
  accounts: CallerAccounts
  keys: SessionKeys
  identity: () => Promise<Identified>
  pay: Pay
  /** Unix time in ms. */
  now: () => number
  say: Messages
  log: Log
}

type Wanted = Extract<MenuResult, { kind: 'transfer' | 'loan' | 'repayment' }>

/** The USSD service: from what was typed to a screen, by way of the chain where it must. */
export function createAnswer(parts: AnswerParts): Answer {
  const { chainId, currency, forwarder, loanAddress, loan, accounts, keys, pay, say, log } = parts
  const amountOf = (wei: bigint) => `${formatAmount(wei)} ${currency}`
  const reserved = [forwarder.address, loanAddress]

  return async (request) => {
    const since = parts.now()
    try {
      const identity = await parts.identity()
      if (identity.kind === 'different') {
        log({
          level: 'error',
          event: 'identity.different',
          message: `The ledger was begun with other values of: ${identity.names.join(', ')}`,
        })
        return { kind: 'out_of_service', body: renderPlain(end(say.outOfService)) }
      }
      return await answer(request, since)
    } catch (error) {
      // Payments answer for themselves; what fails here is a reading, or came before anything began.
      log({ level: 'error', event: 'answer.failed', message: faultOf(error) })
      return screen(end(say.unavailable))
    }
  }

  async function answer(request: UssdRequest, since: number): Promise<Answered> {
    const answers = answersOf(request.text)
    const result = walk(answers, { chainId, caller: request.phone, reserved, say })
    switch (result.kind) {
      case 'ask':
        return screen(goOn(result.prompt))
      case 'gave_up':
        return screen(end(say.tooManyMistakes))
      case 'past_the_end':
        return screen(end(say.sessionEnded))
      case 'balance': {
        const account = await accounts(request.phone)
        return screen(end(say.balance(amountOf(await loan.balance(account.address)))))
      }
      case 'transfer':
      case 'loan':
      case 'repayment':
        return { kind: 'screen', body: await payFor(request, since, answers.length, result) }
    }
  }

  async function payFor(
    request: UssdRequest,
    since: number,
    steps: number,
    wanted: Wanted,
  ): Promise<string> {
    const caller = await accounts(request.phone)
    const session = await keys.session(request.gateway, request.sessionId, caller.address)
    const answered = await pay({
      since,
      question: {
        session,
        input: await keys.input(session, request.text),
        account: caller.address,
      },
      steps,
      intentId: intentIdOf(forwarder, request.gateway, request.sessionId, caller.address),
      caller,
      order: () => order(wanted),
      refused: (refusal) => end(refusalText(refusal)),
    })
    return bodyOf(answered)
  }

  /** The call that makes the wish true, and the screen that says so. */
  async function order(wanted: Wanted): Promise<WishOrder> {
    const target = loanAddress
    const submitted = (text: (tx: string) => string) => (hash: Hex | undefined) =>
      end(text(hash === undefined ? say.queued : `${hash.slice(0, 12)}...`))
    switch (wanted.kind) {
      case 'transfer': {
        const { recipient, amountWei } = wanted
        const to =
          recipient.kind === 'address'
            ? recipient.address
            : (await accounts(recipient.phone)).address
        const shown =
          recipient.kind === 'address'
            ? shortAddress(showAddress(to, chainId))
            : shortPhone(recipient.phone)
        return {
          target,
          data: callOf({ kind: 'transfer', to, amountWei }),
          label: 'Transfer',
          spendsWei: amountWei,
          submitted: submitted((tx) => say.transferSubmitted(shown, tx)),
        }
      }
      case 'loan': {
        const principalWei = await loan.principal()
        return {
          target,
          data: callOf({ kind: 'loan' }),
          label: 'Loan',
          spendsWei: 0n,
          submitted: submitted((tx) => say.loanRequested(amountOf(principalWei), tx)),
        }
      }
      case 'repayment': {
        const { amountWei } = wanted
        const shown = amountWei === 'all' ? 'all' : amountOf(amountWei)
        return {
          target,
          data: callOf({ kind: 'repayment', amountWei }),
          label: 'Repayment',
          spendsWei: amountWei === 'all' ? 0n : amountWei,
          submitted: submitted((tx) => say.repaymentSubmitted(shown, tx)),
        }
      }
    }
  }

  function refusalText(refusal: PaymentRefusal): string {
    switch (refusal.kind) {
      case 'would_revert':
        return say.refused(refusalOf(refusal.revertData), amountOf)
      case 'unavailable':
        return say.nothingWasSent
    }
  }

  function bodyOf(answered: PaymentAnswer): string {
    switch (answered.kind) {
      case 'screen':
        return renderPlain(answered.screen)
      case 'ended':
        return renderPlain(end(say.sessionEnded))
      case 'uncertain':
        return renderPlain(end(say.uncertain))
    }
  }
}

const screen = (shown: Screen): Answered => ({ kind: 'screen', body: renderPlain(shown) })
