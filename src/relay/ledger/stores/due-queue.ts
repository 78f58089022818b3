/** Schedules tasks under leases, so that another instance can take over from a dead one. */
export type DueQueue = {
  /** Makes a task due within `inMs`; one that is held becomes due again after that. */
  arm(task: string, inMs: number): Promise<void>
  /** Takes the tasks that are due, under a lease. */
  take(leaseMs: number): Promise<HeldTask[]>
  /** Extends the lease; `false` if another instance holds the task now. */
  renew(held: HeldTask, leaseMs: number): Promise<boolean>
  /** Returns a task, due after `againInMs` or once armed; does nothing if the lease was lost. */
  release(held: HeldTask, againInMs: number | undefined): Promise<void>
}

/** Names a held task; the token identifies its holder. */
export type HeldTask = { task: string; token: string }

/** Names the only task: to run a ledger's rounds. */
export const roundTask = 'tend'
