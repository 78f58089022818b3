/**
 * What has to be done again and again until nothing is open, and when: the alarm of a storage that
 * has none. Any instance works it off. Who takes a task holds it by a lease, so that an instance
 * that died is taken over. Times are those of the queue's own clock.
 */
export type DueQueue = {
  /** The task is due so soon at the latest. While an instance holds it, it is due again after that. */
  arm(task: string, inMs: number): Promise<void>
  /** Takes what is due, for so long. */
  take(leaseMs: number): Promise<HeldTask[]>
  /** Holds a task for longer; `false` when another instance holds it by now. */
  renew(held: HeldTask, leaseMs: number): Promise<boolean>
  /**
   * Gives a task back, due again after so long, or sooner where it was armed meanwhile.
   * Undefined: not due before it is armed. A holder that lost the task changes nothing.
   */
  done(held: HeldTask, againInMs: number | undefined): Promise<void>
}

/** A task that an instance holds. The token tells it from the same task held by another. */
export type HeldTask = { task: string; token: string }

/** Looking after a ledger: the one task there is. */
export const tendTask = 'tend'
