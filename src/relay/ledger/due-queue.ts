/** Holds tasks and when they are due; leases let another instance take over from a dead one. */
export type DueQueue = {
  /** Makes a task due within `inMs`; while an instance holds it, due again after that. */
  arm(task: string, inMs: number): Promise<void>
  /** Takes the tasks that are due, under a lease. */
  take(leaseMs: number): Promise<HeldTask[]>
  /** Extends the lease; `false` where another instance holds the task by now. */
  renew(held: HeldTask, leaseMs: number): Promise<boolean>
  /** Gives a task back, due after `againInMs` or when armed; nothing if the lease was lost. */
  done(held: HeldTask, againInMs: number | undefined): Promise<void>
}

/** Names a held task; the token tells its holder from other instances. */
export type HeldTask = { task: string; token: string }

/** Names the one task there is: to look after a ledger. */
export const roundTask = 'tend'
