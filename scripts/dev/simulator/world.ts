import type { Address } from 'viem'
import type { LedgerSteps } from '../../../src/compose/ledger.ts'
import type { OfferAnswer, PaymentOffer } from '../../../src/relay/ledger/acceptance.ts'
import { ledgerRules } from '../../../src/relay/ledger/draft.ts'
import type { SyncPort } from '../../../src/relay/ledger/port.ts'
import type { ScheduledLedger } from '../../../src/relay/ledger/schedule.ts'
import type { Sql } from '../../../src/relay/ledger/stores/sqlite.ts'
import type { Signer } from '../../../src/relay/signer.ts'
import type { LogEvent } from '../../../src/runtime/log.ts'
import type { UssdHandler } from '../../../src/ussd/handler.ts'
import type { Random } from '../random.ts'
import type { PoolRefusal } from '../rootstock-pool/refusals.ts'
import type { Actor } from './actors.ts'
import { drawFault, type Place } from './faults.ts'
import { newRecords } from './history.ts'
import { createKeptMemories } from './lender/kept-memory.ts'
import { getFirstPrice } from './money.ts'
import type { NodePlace, Plan } from './plan.ts'
import { createScheduler } from './scheduler.ts'
import { createModels, startGasPriceWei, startTime } from './setting.ts'
import { createTranscript, nameTransaction } from './transcript.ts'

export type World = ReturnType<typeof createWorld>

const createConditions = () => ({
  isTroubled: true,
  /** Tells whether blocks and the scheduled trigger continue. */
  isRunning: true,
  blocksStopUntil: 0,
  /** Numbers the relayer's key with which programs begin. */
  key: 0,
  usualGasPriceWei: startGasPriceWei,
  nodeDown: [] as { until: number; share: number }[],
  /** The errors in the count of the relayer's transactions that Workers read. */
  miscounts: [] as { until: number; by: number }[],
  /** The false verdicts that one of the nodes gives on what it is sent. */
  falseVerdicts: [] as { until: number; refusal: PoolRefusal; place: NodePlace }[],
})

type Instance = {
  scheduled: ScheduledLedger<LedgerSteps>
  accept: (offer: PaymentOffer, asker: Actor) => Promise<OfferAnswer>
  actors: Set<Actor>
  calls: Set<Done>
}

/** Creates the ledger's Durable Object, whose rows and alarm outlive its program. */
function newObject({ setup, items }: Plan, storage: Sql) {
  const { maxInFlight, accountStateMs, watchBlocks } = setup.rules
  const canLoseTail = items.some(({ kind }) => kind === 'tail_loss')
  return {
    storage,
    rules: { ...ledgerRules, maxInFlight, accountStateMs, watchBlocks, canLoseTail },
    /** The ledger over the rows; undefined after a restart, until the next call. */
    ledger: undefined as SyncPort<LedgerSteps> | undefined,
    instance: undefined as Instance | undefined,
    downUntil: 0,
    alarm: { dueAt: null as number | null, cancel: () => {}, rings: 0, ringing: new Set<Actor>() },
  }
}

export type Outcome = { ok: true; value: unknown } | { ok: false; error: Error }

export type Done = (outcome: Outcome) => void

export function createWorld(plan: Plan, storage: Sql, isTold: boolean) {
  const { setup } = plan
  const scheduler = createScheduler(startTime)
  const { now } = scheduler
  const transcript = createTranscript(now, startTime, isTold)
  const records = newRecords()
  records.prices.push({ at: now(), micros: getFirstPrice(setup.unit) })
  const conditions = createConditions()
  return {
    ...createModels(plan, now, (transaction, refusal, held) => {
      const { arrivals, foreign } = records
      const isOwn = held !== undefined && held.hash !== transaction.hash && !foreign.has(held.hash)
      const over = isOwn ? held : undefined
      if (!foreign.has(transaction.hash)) arrivals.push({ at: now(), transaction, refusal, over })
      transcript.tell(
        () => `The pool is sent ${nameTransaction(transaction)}: ${refusal ?? 'taken'}.`,
      )
    }),
    plan,
    scheduler,
    transcript,
    records,
    conditions,
    isolates: new Map<number, { answer: UssdHandler; actors: Set<Actor> }>(),
    faultAt: (place: Place, random: Random) =>
      drawFault(setup, place, random, conditions.isTroubled),
    memories: createKeptMemories(now),
    object: newObject(plan, storage),
    log(event: LogEvent) {
      const { intent, to, hash, nonce } = event
      if (event.event.startsWith('payment.')) {
        const known = hash === undefined ? undefined : `${hash}`
        const said = `${to ?? event.event}`
        records.statements.push({ at: now(), intentId: `${intent}`, to: said, hash: known })
      }
      records.logged.add(event.event)
      if (event.event.startsWith('rate.')) records.unread.push(now())
      if (event.event === 'nonce.ahead') records.givenUp.push({ at: now(), nonce: Number(nonce) })
      transcript.log(event)
    },
  }
}

/** Returns the key with which programs that begin now send. */
export function getSigner({ signing, conditions }: Pick<World, 'signing' | 'conditions'>): Signer {
  const signer = signing.relayers[conditions.key]
  if (signer === undefined) throw new Error('the relayer has no such key')
  return signer
}

export function findAccount({ callers }: Pick<World, 'callers'>, caller: number): Address {
  const account = callers[caller]
  if (account === undefined) throw new Error('the plan has a caller without an account')
  return account
}
