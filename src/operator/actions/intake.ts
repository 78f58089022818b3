import { formatUnits, parseUnits } from 'viem'
import * as z from 'zod/mini'
import { type IntakeSetting, intakeActions } from '../kept/audit.ts'
import { intake } from '../schemas/status.ts'
import { describeIntake } from '../status.ts'
import { type ActionOptions, action, refuseRequest } from './action.ts'

async function setIntake(options: ActionOptions, kind: IntakeSetting, nextAccountKey?: string) {
  const { ledger, log } = options.relayer
  // Opening deletes the next secret that a drain named, so the ledger compares it before that.
  if (kind === 'open') await ledger.identify(await options.identity())
  const setting = await ledger.setIntake(kind, options.nameAction(), nextAccountKey)
  const message = `An operator changed the intake: ${intakeActions[kind]}`
  log({ level: 'warn', event: 'operator.intake', message })
  const { nonces, carried, mined, waiting, stuck } = await ledger.readWork()
  const open = carried.length + mined.length + waiting.length + stuck.length
  return { intake: describeIntake(setting, nonces.length + open > 0), open }
}

const form = {
  request: z.unknown(),
  answer: z.object({ intake, open: z.int() }),
}

export const pauseIntake = action({ ...form, run: (options) => setIntake(options, 'paused') })
export const resumeIntake = action({ ...form, run: (options) => setIntake(options, 'open') })

export const drainIntake = action({
  ...form,
  /** Holds the fingerprint of the next account secret, if that is to change. */
  request: z._default(
    z.object({ nextAccountKey: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/))) }),
    {},
  ),
  run: (options, { nextAccountKey }) => setIntake(options, 'draining', nextAccountKey),
})

export const acceptPrice = action({
  request: z.object({ price: z.string().check(z.regex(/^[0-9]{1,12}(\.[0-9]{1,6})?$/)) }),
  answer: z.object({ currency: z.string(), price: z.string() }),
  async run({ relayer: { ledger, log }, nameAction }, { price }) {
    const accepted = await ledger.acceptRate(nameAction(), parseUnits(price, 6))
    if (accepted === undefined) return refuseRequest(404, 'no feed has offered a price yet')
    log({ level: 'warn', event: 'operator.rate', message: 'An operator accepts a price', price })
    return { currency: accepted.currency, price: formatUnits(BigInt(accepted.micros), 6) }
  },
})
