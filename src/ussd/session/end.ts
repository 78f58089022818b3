import { type PaymentAnswer, toAnswer } from '../../relay/pay/answers.ts'
import { describePayments, writeActivityLine } from '../menu/entries/activity.ts'
import { toScreen } from '../refusal-texts.ts'
import { writeFitting } from '../screens/amount-formats.ts'
import { endScreen, type Screen } from '../screens/screen.ts'
import { nameIntent, type Visit } from '../visit.ts'

/** Does what ends a session without a payment, unless the session has ended before. */
export async function endOnce(visit: Visit, act: () => Promise<Screen>): Promise<Screen> {
  const view = await visit.services.ledger.lookup(visit.stepKey)
  if (view.kind !== 'undecided') return toScreen(visit.messages, toAnswer(view))
  return endSessionWith(visit, await act())
}

/** Ends a session without a payment; the ledger records the end before the screen is shown. */
export async function endSessionWith(
  visit: Visit,
  screen: Screen,
  reason?: string,
): Promise<Screen> {
  const answer = await visit.services.endSession({
    since: visit.since,
    answerCount: visit.answers.length,
    stepKey: visit.stepKey,
    screen,
    reason,
    intent: nameIntent(visit),
  })
  return answer.kind === 'screen' ? tellAnswer(visit, answer) : toScreen(visit.messages, answer)
}

/**
 * Shows a session's answer. If it is older than a redelivery can be, the session id came back: it
 * tells what the session paid, because nothing was sent for this dial.
 */
export async function tellAnswer(
  { services: { settings, ledger, memory, chainId, showAmount }, messages, stepKey }: Visit,
  { screen, ageMs = 0 }: Extract<PaymentAnswer, { kind: 'screen' }>,
): Promise<Screen> {
  if (settings.profile === 'demo' || ageMs <= settings.redeliverySeconds * 1_000) return screen
  const { session, account } = stepKey
  const payment = await ledger.findPayment(session)
  if (payment === undefined) {
    const state = (await ledger.traceSession(session))?.state
    return endScreen(state === 'refused' ? messages.sessionClosed : messages.sessionEnded)
  }
  const [activity] = describePayments([payment], await memory.read(account), chainId)
  if (activity === undefined) return endScreen(messages.sessionEnded)
  const { agreed, amountWei } = activity
  const age = messages.age(Math.floor(ageMs / 60_000))
  const unitText = amountWei === 'all' ? amountWei : showAmount(amountWei)
  const text = writeFitting(agreed, unitText, (amount) => {
    const unit = { ...activity, agreed: undefined, receipt: undefined }
    return messages.paidBefore(
      writeActivityLine(messages, unit, () => amount),
      age,
    )
  })
  return endScreen(text)
}
