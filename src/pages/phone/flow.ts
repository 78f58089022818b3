import { type Dialling, readSuffix, readTyped } from './handset.ts'

/** Replaces typed PINs by their order, since a flow is no place for anybody's own. */
const fictionalPins = ['482615', '739164', '915372', '264859']

/**
 * Writes what was dialled as a flow of `test/flows`, which `npm run dial -- --script FILE` plays.
 */
export function writeFlow(sessions: readonly Dialling[]): string {
  const pins: string[] = []
  const standIn = (of: Dialling, index: number): string => {
    const typed = readTyped(of, index, false)
    if (readTyped(of, index, true) === typed) return typed
    if (!pins.includes(typed)) pins.push(typed)
    return fictionalPins[pins.indexOf(typed) % fictionalPins.length] ?? ''
  }
  let phone = ''
  const lines = ['# Written by /phone. What was typed as a PIN has another one in its place.']
  for (const of of sessions) {
    if (of.phone !== phone) lines.push(`phone ${of.phone}`)
    phone = of.phone
    lines.push('dial', ...(readSuffix(of.steps[0]?.typed ?? '') ?? []).map((part) => `> ${part}`))
    of.steps.forEach((step, index) => {
      if (index > 0) lines.push(`> ${standIn(of, index)}`)
      if (step.isLate) lines.push('# The gateway delivered this late, after what follows it here.')
      if (step.deliveries > 0) lines.push(...expectations(step.screen))
      for (let again = 1; again < step.deliveries; again++) lines.push('again')
    })
  }
  return `${lines.join('\n')}\n`
}

/** Updates the screen's first line; what was paid shows in a balance with the next block. */
function expectations(screen: string): string[] {
  const line = screen.replace(/^(CON|END) /, '').split('\n')[0] ?? ''
  if (line === '') return []
  return [`${/balance/i.test(line) ? 'until' : '='} ${line}`]
}
