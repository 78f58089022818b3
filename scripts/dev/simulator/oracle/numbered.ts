import type { Delivery, History } from '../history.ts'
import { lastAnswer, wantedIn } from '../plan.ts'

/**
 * Has each payment of numbered answers want what was asked of its caller before: of two answers
 * with one number the first counts, whichever of them was planned.
 */
export function readNumbered(history: History): History {
  return { ...history, deliveries: history.deliveries.map((one) => readOne(history, one)) }
}

function readOne({ deliveries }: History, one: Delivery): Delivery {
  const { dial, session, phase, startedAt } = one
  if (dial.step === undefined || dial.wanted.kind === 'nothing') return one
  const answers = dial.text.split('*').map((planned, index) => {
    const number = index + 2
    const shown = deliveries.findLast(
      (other) =>
        other.session === session &&
        other.phase === phase &&
        other.dial.step === number &&
        other.said?.claim === 'none' &&
        (other.repliedAt ?? startedAt) < startedAt,
    )
    return shown === undefined || number === dial.step ? planned : lastAnswer(shown.dial)
  })
  const text = answers.join('*')
  // Its PIN is typed after these answers.
  const pin = dial.pin?.step === dial.text ? { ...dial.pin, step: text } : dial.pin
  // Answers of two plans that make no text of either ask for nothing that can be paid.
  const wanted = wantedIn(answers) ?? dial.wanted
  return { ...one, text, dial: { ...dial, text, wanted, ...(pin && { pin }) } }
}
