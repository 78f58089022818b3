import { getTypedText, type PhoneSession, parseCodeAnswers } from './handset.ts'

/** Lists the PINs that replace typed ones, because a flow must not hold a person's own PIN. */
const fictionalPins = ['482615', '739164', '915372', '264859']

/** Writes sessions as a flow of `test/flows`, which `npm run dial -- --script FILE` plays. */
export function writeFlow(sessions: readonly PhoneSession[]): string {
  const pins: string[] = []
  const writeAnswer = (session: PhoneSession, index: number): string => {
    const typed = getTypedText(session, index, false)
    if (getTypedText(session, index, true) === typed) return typed
    if (!pins.includes(typed)) pins.push(typed)
    return fictionalPins[pins.indexOf(typed) % fictionalPins.length] ?? ''
  }
  let phone = ''
  const lines = ['# Written by /phone. Each typed PIN is replaced by a fictional one.']
  for (const session of sessions) {
    if (session.phone !== phone) lines.push(`phone ${session.phone}`)
    phone = session.phone
    lines.push(
      'dial',
      ...(parseCodeAnswers(session.steps[0]?.typed ?? '') ?? []).map((part) => `> ${part}`),
    )
    session.steps.forEach((step, index) => {
      if (index > 0) lines.push(`> ${writeAnswer(session, index)}`)
      if (step.isLate) lines.push('# The gateway delivered this late, after what follows it here.')
      if (step.deliveries > 0) lines.push(...writeExpectation(step.screen))
      for (let again = 1; again < step.deliveries; again++) lines.push('again')
    })
  }
  return `${lines.join('\n')}\n`
}

/** Writes that a screen's first line is expected. A balance is waited for: blocks change it. */
function writeExpectation(screen: string): string[] {
  const line = screen.replace(/^(CON|END) /, '').split('\n')[0] ?? ''
  if (line === '') return []
  return [`${/balance/i.test(line) ? 'until' : '='} ${line}`]
}
