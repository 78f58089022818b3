import type { Delivery, History } from '../history.ts'
import { lastAnswer, parseWanted } from '../plan.ts'

/** Has each payment of numbered answers want what was asked before: of two the first counts. */
export function readNumbered(history: History): History {
  return { ...history, deliveries: history.deliveries.map((one) => readOne(history, one)) }
}

function readOne({ deliveries }: History, one: Delivery): Delivery {
  const { dial, session, phase, startedAt } = one
  const { step } = dial
  if (step === undefined) return one
  const numbered = (number: number) =>
    deliveries.filter((other) => other.session === session && other.dial.step === number)
  const answers = dial.text.split('*').map((planned, index) => {
    const number = index + 2
    if (number >= step) return planned
    const before = ({ phase: other, repliedAt }: Delivery) =>
      other === phase && (repliedAt ?? startedAt) < startedAt
    const earlier = numbered(number).filter((other) => other.startedAt < startedAt)
    const answered = numbered(number).filter(({ said }) => said?.claim === 'none')
    // An answer may be kept although its delivery died: only a later delivery then shows it.
    const inPhase = answered.find((other) => other.phase === phase)
    const shown = answered.findLast(before) ?? inPhase ?? answered.at(0)
    if (shown !== undefined) return lastAnswer(shown.dial)
    // A session that had ended keeps no more answers. A late reply may say so of one that was kept.
    const isPaidAfter = (began: number) =>
      deliveries.some(
        (other) =>
          other.session === session && other.startedAt > began && other.said?.claim === 'submitted',
      )
    const hasEnded =
      earlier.length > 0 &&
      earlier.every(({ said, startedAt: began }) => said?.claim === 'ended' && !isPaidAfter(began))
    return hasEnded ? notKept : planned
  })
  answers.push(readLast(answers.pop() ?? '', one, numbered(step)))
  const text = answers.join('*')
  // Its PIN is typed after these answers.
  const pin = dial.pin?.step === dial.text ? { ...dial.pin, step: text } : dial.pin
  // Answers of two plans that make no text of either ask for no payment, and for no PIN.
  const wanted = (dial.wanted.kind !== 'nothing' && parseWanted(answers)) || undefined
  const isMixed = wanted === undefined && dial.wanted.kind !== 'nothing' && text !== dial.text
  const { pin: _, ...rest } = { ...dial, text, wanted: wanted ?? dial.wanted }
  return { ...one, text, dial: { ...rest, ...(pin && !isMixed && { pin }) } }
}

/** Stands for an answer that the relay did not keep; no caller types it. */
const notKept = '?'

/** Reads a number that was typed where a PIN was checked before: that check decides for it too. */
function readLast(planned: string, { dial, startedAt }: Delivery, others: readonly Delivery[]) {
  const checked = others.find(
    (other) => other.dial.pin?.step === other.dial.text && other.startedAt < startedAt,
  )
  if (checked === undefined || dial.pin !== undefined || !/^\d{4,6}$/.test(planned)) return planned
  return lastAnswer(checked.dial)
}
