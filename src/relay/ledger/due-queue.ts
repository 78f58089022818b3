/**
 * Holds tasks and when they are due, by the queue's own clock. An instance takes a task under a
 * lease, so that another instance takes over when it dies.
 */
export type DueQueue = {
  /** Makes a task due within `inMs`; while an instance holds it, due again after that. */
  arm(task: string, inMs: number): Promise<void>
  /** Takes the tasks that are due, under a lease. */
  take(leaseMs: number): Promise<HeldTask[]>
  /** Extends the lease; `false` where another instance holds the task by now. */
  renew(held: HeldTask, leaseMs: number): Promise<boolean>
  /**
   * Gives a task back, due after `againInMs` (undefined: once armed) or earlier if armed meanwhile.
   * Changes nothing where the lease was lost.
   */
  done(held: HeldTask, againInMs: number | undefined): Promise<void>
}

/** Names a held task; the token tells its holder from other instances. */
export type HeldTask = { task: string; token: string }

/** Names the one task there is: to look after a ledger. */
export const tendTask = 'tend'
