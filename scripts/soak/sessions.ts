import type { Random } from '../dev/random.ts'
import type { Caller } from '../dev/relays/callers.ts'
import type { Delivery } from '../dev/relays/relay-workers.ts'
import { stranger } from '../dev/relays/rig.ts'

export type Step =
  /** Sends equal deliveries at once and waits for all answers. */
  | { kind: 'deliver'; delivery: Delivery; times: number }
  /** Hangs up after this time, even without an answer. */
  | { kind: 'hang_up'; delivery: Delivery; afterMs: number }

/** Describes what one caller does in a session. */
export type Session = {
  steps: Step[]
  /** Is delivered again after everything else, as from a gateway's queue. */
  late: Delivery | undefined
}

/** Sessions of many people without end, the same ones for the same seed. */
export function* makeSessions(random: Random, callers: readonly Caller[]): Generator<Session> {
  for (let index = 0; ; index += 1) {
    const caller = random.pick(callers)
    const sessionId = `soak-${index}`
    const others = callers.filter(({ phone }) => phone !== caller.phone)
    const to = random.chance(0.2) ? stranger : random.pick(others).phone
    const texts = textsOf(random, to)
    const deliver = (text: string, times = 1) => ({
      kind: 'deliver' as const,
      delivery: { phone: caller.phone, sessionId, text },
      times,
    })
    const steps: Step[] = texts.slice(0, -1).map((text) => deliver(text))
    const last = texts.at(-1) ?? ''
    const { delivery } = deliver(last)
    // Ten in a hundred hang up, a third comes more than once at a time.
    const fate = random.next()
    if (fate < 0.1) {
      steps.push({ kind: 'hang_up', delivery, afterMs: random.int(0, 299) })
      if (random.chance(0.5)) steps.push(deliver(last))
    } else steps.push(deliver(last, fate < 0.4 ? random.int(2, 4) : 1))
    if (random.chance(0.05)) steps.push(deliver('3'))
    yield { steps, late: random.chance(0.2) ? delivery : undefined }
  }
}

/** Lists the growing texts of a session; the last one decides it. */
function textsOf(random: Random, to: string): string[] {
  const what = random.next()
  if (what < 0.1) return ['', '1']
  if (what < 0.25) return ['', '3']
  if (what < 0.35) return ['4', '4*1']
  if (what < 0.4) return [`4*2*${amount(random, 9)}`]
  const wanted = random.chance(0.05) ? '100000' : amount(random, 999)
  return random.chance(0.5) ? [`2*${to}*${wanted}`] : ['', '2', `2*${to}`, `2*${to}*${wanted}`]
}

/** Draws an amount, different enough to tell payments apart. */
function amount(random: Random, most: number): string {
  const units = random.int(1, most)
  return `0.${units.toString().padStart(4, '0')}`
}
