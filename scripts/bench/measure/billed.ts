import { z } from 'zod'
import type { Figures } from '../figures.ts'
import type { Payer } from '../payer.ts'
import type { NodeProxy } from '../served/node-proxy.ts'

const counts = z.object({
  workerRequests: z.number(),
  objectRequests: z.number(),
  alarms: z.number(),
  alarmsSet: z.number(),
  rowsRead: z.number(),
  rowsWritten: z.number(),
  activeMs: z.number(),
})

/** What was counted while payments were made and confirmed. */
export type Counted = z.infer<typeof counts> & {
  payments: number
  logLines: number
  /** How often each method was asked of the node. */
  nodeCalls: Record<string, number>
}

/** Counts what a relay that is served `counting` uses while this many payments are made. */
export async function countDuring(
  { relay, proxy, payments }: { relay: Payer; proxy: NodeProxy; payments: number },
  work: () => Promise<unknown>,
): Promise<Counted> {
  const before = await countsOf(relay)
  const linesBefore = relay.confirmed.lines()
  proxy.takeCounts()
  await work()
  const after = await countsOf(relay)
  const used = Object.fromEntries(
    Object.entries(after).map(([name, value]) => [
      name,
      value - before[name as keyof typeof before],
    ]),
  )
  return {
    ...counts.parse(used),
    payments,
    logLines: relay.confirmed.lines() - linesBefore,
    nodeCalls: proxy.takeCounts(),
  }
}

async function countsOf(relay: Payer): Promise<z.infer<typeof counts>> {
  return counts.parse(await (await fetch(`${relay.url}/bench/counts`)).json())
}

/** What Cloudflare counts a payment, as figures that are held. */
export function tellBilled(figures: Figures, name: string, how: string, counted: Counted): void {
  const each = (count: number) => [count / counted.payments]
  const hold = (what: string, title: string, unit: string, count: number) =>
    figures.hold(`bill.${name}.${what}`, `${title}, ${how}`, `${unit}/payment`, each(count))
  hold('objectRequests', 'requests to the ledger', 'requests', counted.objectRequests)
  hold('rowsRead', 'rows read', 'rows', counted.rowsRead)
  hold('rowsWritten', 'rows written', 'rows', counted.rowsWritten)
  hold('logLines', 'lines of the log', 'lines', counted.logLines)
  const add = (what: string, title: string, unit: string, count: number) =>
    figures.add(`bill.${name}.${what}`, `${title}, ${how}`, `${unit}/payment`, each(count))
  add('alarms', 'alarms that rang', 'alarms', counted.alarms)
  add('alarmsSet', 'alarms set', 'alarms', counted.alarmsSet)
  add('activeMs', 'time in which the ledger is active', 'ms', counted.activeMs)
}

/** Questions to the node a payment: in all as a figure that is held, and each method. */
export function tellNodeCalls(
  figures: Figures,
  name: string,
  how: string,
  { payments, nodeCalls }: Pick<Counted, 'payments' | 'nodeCalls'>,
): void {
  const all = Object.values(nodeCalls).reduce((sum, count) => sum + count, 0)
  figures.hold(`nodeCalls.${name}.all`, `in all, ${how}`, 'questions/payment', [all / payments])
  for (const [method, count] of Object.entries(nodeCalls).toSorted(([, a], [, b]) => b - a)) {
    figures.add(`nodeCalls.${name}.${method}`, `${method}, ${how}`, 'questions/payment', [
      count / payments,
    ])
  }
}
