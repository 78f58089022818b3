import * as z from 'zod/mini'
import { time } from './fields.ts'

export const alertNames = [
  'relayer_low',
  'price_high',
  'stuck',
  'node_down',
  'identity',
  'rows_missing',
  'rows_lost',
  'final_waiting',
  'final_unkept',
  'pool_low',
  'token_stopped',
  'contracts',
  'round_late',
  'cron_refused',
  'budget',
  'unlisted_number',
  'unknown_header',
  'unproved',
  'gateway_silent',
  'gateway_refused',
  'rate_jump',
  'events_untold',
] as const

export const alert = z.object({
  name: z.enum(alertNames),
  says: z.string(),
  raisedAt: time,
  /** Holds when the cause ended; null before. The alert stays for a while: the cause may recur. */
  overSince: z.nullable(time),
})

/** Describes `GET /operator/alerts`: raised alerts, and past ones with the latest first. */
export const alertsAnswer = z.object({
  alerts: z.array(alert),
  past: z.array(alert),
  /** Is false without `ALERT_WEBHOOK_URL`: then an alert is told to nobody. */
  areTold: z.boolean(),
})

export type AlertName = (typeof alertNames)[number]
