import {
  createMemory,
  languageIn,
  type MemoryStore,
  withinMs,
  withTexted,
} from '../account/memory.ts'
import { formatAmountDown } from '../loan/amounts.ts'
import type { DueSms, Ledger, SmsFate } from '../relay/ledger/port.ts'
import { createSmsRound } from '../relay/tend/sms.ts'
import { faultOf } from '../runtime/log.ts'
import { createAfricasTalkingSms } from '../sms/africas-talking.ts'
import { wordsFor } from '../ussd/messages/languages.ts'
import { inAlphabet } from '../ussd/screens/septets.ts'
import { createSmsSeals, type SmsSeals, smsText } from '../ussd/sms.ts'
import type { Config } from './config.ts'
import { assembleAccounts } from './relay.ts'
import type { Runtime } from './runtime.ts'

/** Is undefined where no messages are sent: then no number is kept at all. */
export const smsSealsOf = (config: Config): SmsSeals | undefined =>
  config.sms && createSmsSeals(config.accountKeySecret)

const memoryMs = 5_000

/** Sends messages, each remembered by its account: a ledger may be set back. */
export function assembleSms(config: Config, runtime: Runtime, store: () => MemoryStore) {
  const { fetch, clock, log, background } = runtime
  const { sms: account } = config
  if (account === undefined) return undefined
  const provider = createAfricasTalkingSms({ account, fetch, clock })
  const memory = createMemory(() => withinMs(store(), clock, memoryMs))
  const seals = createSmsSeals(config.accountKeySecret)
  const amountOf = (wei: bigint) => `${formatAmountDown(wei)} ${config.chain.currency}`

  /** Opens a message and words it. Before the provider is asked a failure has sent nothing. */
  async function prepare(sms: DueSms, ledger: Ledger) {
    const facts = await seals.factsIn(sms)
    const { address } = await assembleAccounts(config, ledger)(facts.phone)
    const kept = await memory.read(address)
    const say = wordsFor(config.menu, languageIn(kept))
    const text = inAlphabet(smsText(facts, sms, say, amountOf))
    return { address, texted: kept.texted, message: { to: facts.phone, text } }
  }

  async function deliver(sms: DueSms, ledger: Ledger): Promise<SmsFate> {
    const told = { intent: sms.intentId, party: sms.party }
    const fail = (event: string, reason: string) =>
      log({ level: 'error', event, message: `A message was not sent: ${reason}`, ...told })
    const ready = await prepare(sms, ledger).catch((error) =>
      fail('sms.unprepared', faultOf(error)),
    )
    if (!ready) return 'later'
    const name = `${sms.intentId}:${sms.acceptedAt}`
    if (ready.texted.includes(name)) return 'known'
    const answer = await provider.send(ready.message)
    if (answer.kind !== 'sent') fail(`sms.${answer.kind}`, answer.reason)
    else log({ level: 'info', event: 'sms.sent', message: 'A message was sent', ...told })
    if (answer.kind === 'sent' || answer.kind === 'unknown') {
      await memory
        .change(ready.address, (kept) => withTexted(kept, name))
        .catch((error) => fail('sms.unremembered', faultOf(error)))
    }
    return answer.kind
  }

  return createSmsRound({ deliver, clock, log, background })
}
