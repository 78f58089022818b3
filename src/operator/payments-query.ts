import { getAddress, type Hex } from 'viem'
import * as z from 'zod/mini'
import type { Ledger } from '../relay/ledger/steps.ts'
import { paymentsQuery } from './schemas/payments.ts'
import '../runtime/english.ts'

/** Parses a query for payments; returns an error if it is malformed. */
export function readPaymentsQuery(
  urlQuery: Readonly<Record<string, string>>,
): Parameters<Ledger['readPage']>[0] | { error: string } {
  const parsed = paymentsQuery.safeParse(urlQuery)
  if (!parsed.success) return { error: z.prettifyError(parsed.error) }
  const { since, before, archived, intent, hash, account, ...query } = parsed.data
  const times = { since: parseTime(since), before: parseTime(before) }
  if (Number.isNaN(times.since) || Number.isNaN(times.before)) {
    return { error: 'a time has to be ISO 8601, or Unix time in ms' }
  }
  const names = { intent: lowerHex(intent), hash: lowerHex(hash) }
  return {
    ...query,
    ...times,
    ...names,
    archived: archived === 'true',
    account: account && getAddress(account),
  }
}

const lowerHex = (text: string | undefined) => text?.toLowerCase() as Hex | undefined

/** Parses a time to Unix ms; NaN if it is no time. */
function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : Date.parse(text)
}
