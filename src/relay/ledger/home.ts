import type { Ledger } from './port.ts'
import { ledgerThrough } from './steps.ts'

/** What a deployment's ledger is called today, and what the version before called it. */
export type LedgerNames = { name: string; former: string }

/** A deployment's ledger, wherever it is kept. */
export type HomedLedger = {
  ledger: Ledger
  /** The name under which it is kept. */
  home: () => Promise<string>
}

/**
 * The one ledger of a deployment. One that the version before has begun stays where it is, so that rows
 * are never in two places and processes of both versions meet in it. Where it is, is written once into
 * the ledger of today's name, and asked there by every process before its first call.
 */
export function createHomedLedger(
  at: (name: string) => Ledger,
  { name, former }: LedgerNames,
): HomedLedger {
  let found: { home: string; ledger: Ledger } | undefined

  async function find(): Promise<{ home: string; ledger: Ledger }> {
    const known = (await at(name).home()).name
    const wanted = known ?? ((await at(former).home()).isBegun ? former : name)
    // Another process may have been first.
    const home = known ?? (await at(name).home(wanted)).name ?? wanted
    return { home, ledger: at(home) }
  }

  async function open(): Promise<{ home: string; ledger: Ledger }> {
    found ??= await find()
    return found
  }

  return {
    ledger: ledgerThrough(async (method, args) => {
      const { ledger } = await open()
      return (ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args)
    }),
    home: async () => (await open()).home,
  }
}
