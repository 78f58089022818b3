/** Leases a ledger's due rounds, so that another instance can take over those of a dead one. */
export type DueQueue = {
  /** Makes a round due within `inMs`; one that is held becomes due again after that. */
  arm(inMs: number): Promise<void>
  /** Takes the round under a lease, if it is due; returns a token that identifies its holder. */
  take(leaseMs: number): Promise<string | undefined>
  /** Extends the lease; `false` if another instance holds the round now. */
  renew(token: string, leaseMs: number): Promise<boolean>
  /** Returns the round, due after `againInMs` or once armed; does nothing if the lease was lost. */
  release(token: string, againInMs: number | undefined): Promise<void>
}
