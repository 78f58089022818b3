import type { TaskMeta } from 'vitest'

/** What tests do on purpose that workerd speaks of, and how it does. */
const causes = {
  /** An object that is evicted lets go of the connections that it has opened, or is opening. */
  evicted_object:
    /WebSocket disconnected between frames|Called close before connection was established/,
  /** Objects that are made to die in the middle of what they do. */
  aborted_objects: /abortAllDurableObjects/,
} as const

export type Cause = keyof typeof causes

declare module 'vitest' {
  interface TaskMeta {
    /** What this test makes workerd speak of. */
    causes?: readonly Cause[]
  }
}

/** Says what a test does on purpose; whatever else workerd speaks of is a failure. */
export function willCause(task: { meta: TaskMeta }, ...names: Cause[]): void {
  task.meta.causes = names
}

/** Some lines that workerd wrote about one exception, and when. */
export type Outcry = { at: number; text: string }

/** When a test ran, in ms, and what it did on purpose. */
export type Span = { from: number; to: number; causes: readonly Cause[] }

/** The clock that a test's begin is told by may stand still for a moment. */
const leadMs = 1_000

/** What follows a test for a while is still its own: connections end after it. */
const aftermathMs = 30_000

/** The outcries that no test has caused on purpose. */
export function unexpected(outcries: readonly Outcry[], spans: readonly Span[]): Outcry[] {
  return outcries.filter(({ at, text }) => {
    const running = spans.filter(({ from, to }) => from - leadMs <= at && at <= to + aftermathMs)
    return !running.some((span) => span.causes.some((cause) => causes[cause].test(text)))
  })
}

/** Tells lines about an exception from all others: it begins with one of these and has a stack. */
export function isOutcry(line: string): boolean {
  return /^(uncaught exception;|exception = )/.test(line)
}
