import { z } from 'zod'
import { healthAnswer } from '../../src/operator/answers.ts'
import { until } from '../dev/wait.ts'

/** What wrangler writes into WRANGLER_OUTPUT_FILE_PATH, a line of JSON each, of what it has deployed. */
const deployLine = z.object({ type: z.literal('deploy'), targets: z.array(z.string()) })

/** The https address at which a Worker was put, from what wrangler wrote; undefined where it names no address. */
export function addressIn(written: string): string | undefined {
  const targets = written
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => deployLine.safeParse(JSON.parse(line)).data?.targets ?? [])
  const isOwn = (target: string) => / \(custom domain\b/.test(target)
  const [own = ''] = targets.filter(isOwn)
  const address = own === '' ? targets.find((one) => /^https:\/\/[^/*]+$/.test(one)) : undefined
  return own === '' ? address : `https://${own.slice(0, own.indexOf(' '))}`
}

/** Asks a new deployment until it tells of the ledger, whose object is made by that; false: too late. */
export async function beginLedger(address: string, withinMs: number): Promise<boolean> {
  const patience = AbortSignal.timeout(withinMs)
  const isThere = () => hasLedger(address, patience)
  return until(isThere, { everyMs: 1_000, withinMs }).then(
    () => true,
    () => false,
  )
}

async function hasLedger(address: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(`${address}/readyz`, { signal })
    const { checks = [] } = healthAnswer.parse(await response.json())
    return checks.some(({ name, state }) => name === 'ledger' && state === 'ok')
  } catch {
    // It takes seconds until the name leads there.
    return false
  }
}
