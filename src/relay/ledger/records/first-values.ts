import type { Decided } from '../decisions.ts'
import type { Draft } from '../draft.ts'
import { askedName, type StepKey } from '../values.ts'

/** Holds a named value in JSON, with neither typed text nor a phone number. */
export type FirstValue = StepKey & { name: string; value: string }

type Shown = { kind: 'shown'; value: string }

/** Names the step whose question a paying answer answers, and how long the question holds. */
export type AskedQuestion = { input: string; holdsMs: number }

/** Names the stored age of an equal payment: the caller was asked whether to repeat it. */
export const equalName = 'equal'

const answerTimeName = 'typed'

/** Returns the first value of this name. It is stored, unless the session is decided by then. */
export function saveFirstValue(
  rows: Draft,
  { session, input: step, name, value }: FirstValue,
  decided: Decided | undefined,
): Shown | Decided {
  const stored = rows.row('shown', session, step, name)
  if (stored !== undefined) return { kind: 'shown', value: stored.value }
  if (decided !== undefined) return decided
  rows.put('shown', { session, step, name, value, shown_at: rows.now })
  return { kind: 'shown', value }
}

export const readFirstValue = (rows: Draft, { session, input }: StepKey, name: string) =>
  rows.row('shown', session, input, name)?.value

export function saveAnswerTime(rows: Draft, stepKey: StepKey): void {
  saveFirstValue(rows, { ...stepKey, name: answerTimeName, value: 'true' }, undefined)
}

/** Tells whether an answer comes too late, by the first time of its question and by its own. */
export function isLateAnswer(
  rows: Draft,
  { session, input }: StepKey,
  { input: question, holdsMs }: AskedQuestion,
): boolean {
  const names = [
    [question, askedName],
    [question, equalName],
    [input, answerTimeName],
  ] as const
  return names.some(([step, name]) => {
    const first = rows.row('shown', session, step, name)
    return first !== undefined && rows.now - first.shown_at > holdsMs
  })
}
