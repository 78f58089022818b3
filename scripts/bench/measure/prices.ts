import rootstock from '../../../snapshots/rootstock.json' with { type: 'json' }

/**
 * Cloudflare's list prices on the Workers Paid plan beyond what it includes, in US dollars a
 * million: read on 2026-11-21 at developers.cloudflare.com/workers/platform/pricing,
 * developers.cloudflare.com/durable-objects/platform/pricing and
 * developers.cloudflare.com/workers/observability/logs/workers-logs.
 */
const perMillion = {
  workerRequests: 0.3,
  workerCpuMs: 0.02,
  objectRequests: 0.15,
  alarms: 0.15,
  rowsRead: 0.001,
  /** An alarm that is set counts as one of them. */
  rowsWritten: 1,
  logLines: 0.6,
  /** A GB-second is 12.5; an object that is active is billed for 128 MB, whatever it uses. */
  activeMs: (12.5 * 0.128) / 1000,
}

/** Gas that a transfer to a new account takes on Rootstock, alone in its transaction. */
export const transferGas = rootstock.relayed['transfer to a new account']['of 1']

/** An assumption: what Rootstock's nodes have asked for in calm months. */
export const gasPriceGwei = 0.06

/** An assumption, for the comparison alone. */
export const usdPerRbtc = 100_000

export function cloudflareUsd(billed: Record<keyof typeof perMillion, number>): number {
  const names = Object.keys(perMillion) as (keyof typeof perMillion)[]
  return names.reduce((sum, name) => sum + (billed[name] * perMillion[name]) / 1_000_000, 0)
}

/** Estimates US dollars for the gas of one payment, by the assumptions above. */
export const gasUsd = transferGas * gasPriceGwei * 1e-9 * usdPerRbtc
