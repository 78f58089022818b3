import { z } from 'zod'
import type { FaultProxy } from '../../dev/faults/fault-proxy.ts'
import type { Figures } from '../figures.ts'
import type { Load } from '../load.ts'
import { type Payer, payRound } from '../payer.ts'
import type { BenchChain } from '../served/chain.ts'

/** Parses the counts of `scripts/bench/served/counting.mjs`. */
const counts = z.object({
  objectRequests: z.number(),
  alarms: z.number(),
  alarmsSet: z.number(),
  rowsRead: z.number(),
  rowsWritten: z.number(),
  activeMs: z.number(),
})

type Counts = z.infer<typeof counts> & { logLines: number; questions: number }

/** Pays, and counts what a payment takes of a relay served `counting`, and of its node. */
export async function countRound(
  { chain, payer, proxy }: { chain: BenchChain; payer: Payer; proxy: FaultProxy },
  payments: number,
  pace: Load['pace'],
) {
  async function read(): Promise<Counts> {
    const answer = await fetch(`${payer.url}/bench/counts`)
    const counted = counts.parse(await answer.json())
    return { ...counted, logLines: payer.confirmed.lines(), questions: proxy.seen() }
  }
  const before = await read()
  const result = await payRound(chain, payer, payments, pace)
  const each = await read()
  for (const name of Object.keys(each) as (keyof Counts)[]) {
    each[name] = (each[name] - before[name]) / payments
  }
  return { result, each }
}

export function addBilledFigures({ add, hold }: Figures, how: string, each: Counts): void {
  hold(`requests to the ledger, ${how}`, 'each payment', each.objectRequests)
  hold(`rows read, ${how}`, 'each payment', each.rowsRead)
  hold(`rows written, ${how}`, 'each payment', each.rowsWritten)
  hold(`lines of the log, ${how}`, 'each payment', each.logLines)
  add(`alarms that rang, ${how}`, 'each payment', each.alarms)
  add(`time in which the ledger is active, ${how}`, 'ms/payment', each.activeMs)
}

export function addQuestionFigure({ hold }: Figures, how: string, each: number): void {
  hold(`questions to the node, ${how}`, 'each payment', each)
}
