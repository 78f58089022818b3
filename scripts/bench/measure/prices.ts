import rootstock from '../../../snapshots/rootstock.json' with { type: 'json' }

const { relayed } = rootstock

/**
 * Cloudflare's list prices on the Workers Paid plan beyond what it includes, in US dollars: read on
 * 2026-11-21 at developers.cloudflare.com/workers/platform/pricing,
 * developers.cloudflare.com/durable-objects/platform/pricing and
 * developers.cloudflare.com/workers/observability/logs/workers-logs.
 */
const perMillion = {
  workerRequest: 0.3,
  workerCpuMs: 0.02,
  objectRequest: 0.15,
  objectGbSecond: 12.5,
  rowRead: 0.001,
  rowWritten: 1,
  logEvent: 0.6,
}

/** What an object is billed for while it is active, whatever it uses: 128 MB. */
const objectGb = 0.128

/** Gas that a transfer to a new account takes on Rootstock, alone in its transaction. */
export const transferGas = relayed['transfer to a new account']['of 1']

/** An assumption: what Rootstock's nodes have asked for in calm months. */
export const gasPriceGwei = 0.06

/** An assumption, for the comparison alone. */
export const usdPerRbtc = 100_000

/** What Cloudflare counts of payments, each of them with all that belongs to it. */
export type Billed = {
  workerRequests: number
  workerCpuMs: number
  objectRequests: number
  alarms: number
  activeMs: number
  rowsRead: number
  /** An alarm that is set counts as one of them. */
  rowsWritten: number
  logLines: number
}

/** US dollars at list prices. */
export function cloudflareUsd(billed: Billed): number {
  const millionths =
    billed.workerRequests * perMillion.workerRequest +
    billed.workerCpuMs * perMillion.workerCpuMs +
    (billed.objectRequests + billed.alarms) * perMillion.objectRequest +
    (billed.activeMs / 1000) * objectGb * perMillion.objectGbSecond +
    billed.rowsRead * perMillion.rowRead +
    billed.rowsWritten * perMillion.rowWritten +
    billed.logLines * perMillion.logEvent
  return millionths / 1_000_000
}

/** US dollars for the gas of one payment, by the assumptions above. */
export function gasUsd(): number {
  return transferGas * gasPriceGwei * 1e-9 * usdPerRbtc
}
