import type { PhoneNumber } from '../../src/account/phone.ts'
import type { MenuSettings } from '../../src/ussd/menu/node.ts'

/** The PIN that a first dial chooses where callers need one. */
const firstPin = '270593'

/** A delivery of a gateway: a session by its number, and what was typed in it so far. */
type FirstDial = readonly [session: number, text: string]

type FirstSettings = Pick<
  MenuSettings,
  'pin' | 'confirms' | 'localCurrency' | 'languages' | 'choosesLoan' | 'recipientNames'
>

/**
 * Lists deliveries that a newcomer can send one after the other: the first menu, or the choice of a
 * language and a PIN, then a balance, a transfer and a loan, as these settings ask.
 */
export function listFirstDials(
  { pin, confirms, localCurrency, languages, choosesLoan, recipientNames }: FirstSettings,
  friend: PhoneNumber,
): FirstDial[] {
  const amount = localCurrency === undefined ? '0.02' : '500'
  const transfer = `2*${friend}*${amount}`
  const loan = choosesLoan ? '3*1' : '3'
  if (pin !== 'off') {
    const spoken = languages.length > 1 ? ['1'] : []
    const answers = [...spoken, firstPin, firstPin]
    return [
      [1, ''],
      ...answers.map((_, index) => [1, answers.slice(0, index + 1).join('*')] as const),
      // Only a strict PIN guards what is read.
      [2, pin === 'strict' ? `1*${firstPin}` : '1'],
      // The name of the recipient is shown behind the PIN, and then agreed to.
      [3, `${transfer}*${firstPin}${recipientNames ? '*1' : ''}`],
      [4, `${loan}*${firstPin}`],
    ]
  }
  const agreed = confirms ? '*1' : ''
  return [
    [1, ''],
    [2, '1'],
    [3, `${transfer}${agreed}`],
    [4, `${loan}${agreed}`],
  ]
}

/**
 * Writes a command of curl for each. Sessions have their own numbers, so that the commands can be
 * pasted together, and begin with the shell's process, so that a later shell begins new ones.
 */
export const writeFirstDials = (
  relayUrl: string,
  caller: PhoneNumber,
  dials: readonly FirstDial[],
): string[] =>
  dials.map(([session, text]) => {
    const escaped = text.replaceAll('+', '%2B')
    return `curl -s ${relayUrl}/ussd -d phoneNumber=%2B${caller.slice(1)} -d sessionId=$$-${session} -d 'text=${escaped}'; echo`
  })
