import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { inLanes } from '../../../scripts/dev/lanes.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { willCause } from '../../support/runtime-words.ts'
import { sampleOf } from '../../support/sample.ts'
import { dial, newSession } from '../support/caller.ts'
import { accountOf, balanceOnChain, fund, processed } from '../support/ground-truth.ts'
import { createKillableWorker, type Death, ledgerStub } from '../support/killable-worker.ts'
import { untilSettled } from '../support/settled.ts'

const recipient = '0x00000000000000000000000010000000000c0a54'
const submitted = 'END Transfer Submitted\n'
const refused = 'END Service not available. Nothing was sent. Please try again later.'
const openEnds = [
  'It is not known yet',
  'Not sent so far',
  'Service not available. Please try again later.',
]

const claimsNothing = (reply: string) => openEnds.some((words) => reply.startsWith(`END ${words}`))

/** Limits concurrent claims: one whose Worker died stands for 12 s. */
const sideBySide = 60

type Delivery = { phone: string; sessionId: string; text: string }

let callers = 0
let funding = Promise.resolve()

/** Creates a payment of a fresh caller. */
async function newPayment(): Promise<Delivery> {
  callers += 1
  const phone = `+2547001${String(callers).padStart(5, '0')}`
  // One after the other: they come from one account.
  funding = funding.then(() => fund(phone, '1'))
  await funding
  return { phone, sessionId: newSession(), text: `2*${recipient}*0.25` }
}

/** Returns the real Worker's final screen. */
async function awaitAnswer({ phone, sessionId, text }: Delivery): Promise<string> {
  for (;;) {
    const reply = await dial(phone, text, sessionId)
    if (!claimsNothing(reply.text)) return reply.text
  }
}

/** Compares a payment's screens with the chain; returns the contradictions. */
async function judge(delivery: Delivery, replies: readonly (string | undefined)[]) {
  const faults: string[] = []
  const told = await awaitAnswer(delivery)
  for (const reply of replies) {
    if (reply === undefined || claimsNothing(reply)) continue
    if (reply !== told) faults.push(`told "${reply}", then "${told}"`)
  }
  const account = await accountOf(delivery.phone)
  const executions = async () =>
    (await processed(account)).filter(({ status }) => status === 'executed').length
  if (told.startsWith(submitted)) await until(async () => (await executions()) > 0)
  else if (told !== refused) faults.push(`told "${told}"`)
  const wanted = told.startsWith(submitted) ? 1 : 0
  const executed = await executions()
  if (executed !== wanted) faults.push(`executed ${executed} times, told "${told}"`)
  const balance = await balanceOnChain(account)
  if (balance !== (wanted === 1 ? '0.75' : '1')) faults.push(`the balance is ${balance}`)
  return faults
}

/** Lists the requests of an undisturbed payment up to its confirmation. */
async function listQuestions(): Promise<readonly string[]> {
  const worker = createKillableWorker({})
  const reply = await worker.deliver(await newPayment())
  await worker.rest()
  if (!reply?.startsWith(submitted)) throw new Error(`a payment without faults was told ${reply}`)
  return worker.asked
}

let listed: Promise<readonly string[]> | undefined
/** Lists a payment's questions once: of two at a time one might send for both. */
const paymentQuestions = () => {
  listed ??= listQuestions()
  return listed
}

/** Deaths before a question and after it: both in a full run, else one, by the seed. */
const deathsAt = (at: Death['at']): readonly Death[] => {
  const both = (['before', 'after'] as const).map((when): Death => ({ at, when, whose: 'object' }))
  return sampleOf(1, both, `object ${at}`)
}

/** Kills the object before and after each request, one payment each; returns the faults. */
async function faultsOfDeaths(questions: readonly string[]) {
  const deaths = questions.flatMap((_, at) => deathsAt(at))
  const faults: string[] = []
  await inLanes(sideBySide, deaths, async (death) => {
    const delivery = await newPayment()
    const worker = createKillableWorker({ death })
    const reply = await worker.deliver(delivery)
    await worker.rest()
    const name = `dies ${death.when} ${death.at} ${worker.asked[Number(death.at)]}`
    faults.push(...(await judge(delivery, [reply])).map((fault) => `${name}: ${fault}`))
  })
  await untilSettled()
  return faults
}

/** Releases this many at one moment. */
function createMeeting(count: number): () => Promise<void> {
  const all = Promise.withResolvers<void>()
  let missing = count
  return () => {
    missing -= 1
    if (missing <= 0) all.resolve()
    return all.promise
  }
}

/** Kills the object under three payments of one transaction at each request; returns the faults. */
async function faultsOfBatches(questions: readonly string[]) {
  const names = new Set(questions.slice(questions.indexOf('ledger.accept')))
  const deaths = [...names].flatMap((name) => deathsAt(name))
  const faults: string[] = []
  const strike = async (death: Death) => {
    const deliveries = [await newPayment(), await newPayment(), await newPayment()]
    const meet = createMeeting(deliveries.length)
    const send = async (delivery: Delivery) => {
      const worker = createKillableWorker({ death, meet })
      const reply = await worker.deliver(delivery)
      await worker.rest()
      return reply
    }
    const replies = await Promise.all(deliveries.map(send))
    for (const [index, delivery] of deliveries.entries()) {
      const found = await judge(delivery, [replies[index]])
      faults.push(...found.map((fault) => `dies ${death.when} ${death.at}: ${fault}`))
    }
  }
  // On a busy machine the three may come to the object in two parts.
  for (let turn = 0; turn < 5 && (await countInLargestBatch()) < 3; turn += 1)
    for (const death of deaths) await strike(death)
  await untilSettled()
  return { faults, most: await countInLargestBatch() }
}

async function countInLargestBatch(): Promise<number> {
  const largest = "SELECT max(json_array_length(row, '$.sessions')) AS most FROM nonces"
  return (await readRow<{ most: number | null }>(largest))?.most ?? 0
}

/** Reads the first row that a query of the ledger's rows has. */
async function readRow<Row extends Record<string, number | null>>(query: string) {
  const [row] = await runInDurableObject(ledgerStub(), (_, { storage }) =>
    storage.sql.exec<Row>(query).toArray(),
  )
  return row
}

const steps = ['ledger.accept', 'eth_sendRawTransaction', 'ledger.recordMined']

describe('a payment', () => {
  test('whose object dies at any request ends as its screen said', async ({ task }) => {
    willCause(task, 'aborted_objects')
    const questions = await paymentQuestions()
    expect(questions).toEqual(expect.arrayContaining(steps))
    expect(await faultsOfDeaths(questions)).toEqual([])
  })

  test('of a batch whose object dies at any step ends as its screen said', async ({ task }) => {
    willCause(task, 'aborted_objects')
    const { faults, most } = await faultsOfBatches(await paymentQuestions())
    expect(faults).toEqual([])
    expect(most).toBeGreaterThanOrEqual(3)
  })
})

/** Sets how many kinds of a round's requests a sampled run tests. */
const sampledKinds = 4

/** Lists requests that a round makes only if it settles or sends something. */
const needsWork: ReadonlySet<string> = new Set([
  ...['eth_getTransactionReceipt', 'ledger.recordMined'],
  ...['eth_sendRawTransaction', 'ledger.recordSend'],
])

test('a round of the alarm whose object dies at any kind of request leaves everything to the next one', async ({
  task,
}) => {
  willCause(task, 'aborted_objects')
  const kinds = await roundQuestions()
  const known = ['ledger.readWork', 'ledger.recordHead', ...needsWork]
  expect(kinds).toEqual(expect.arrayContaining(known))
  const drawn = sampleOf(sampledKinds, kinds, 'rounds')
  const deliveries = await leaveWork(5)
  const lasts = new Set<string>()
  for (const death of drawn.flatMap((at) => deathsAt(at))) {
    // A round whose object dies goes on, and leaves nothing to the next.
    if (needsWork.has(String(death.at))) deliveries.push(...(await leaveWork(1)))
    const worker = createKillableWorker({ death })
    await silenceAlarm()
    await worker.tend().catch(() => undefined)
    for (const name of worker.asked) if (name === death.at) lasts.add(name)
    // A round that did not come to this question came to its end, and leaves nothing to the next.
    if (!worker.asked.includes(String(death.at))) deliveries.push(...(await leaveWork(5)))
  }
  const wanted = known.filter((name) => drawn.includes(name))
  expect([...lasts]).toEqual(expect.arrayContaining(wanted))
  await untilSettled()
  const faults: string[] = []
  for (const delivery of deliveries) faults.push(...(await judge(delivery, [])))
  expect(faults).toEqual([])
})

/** Opens so many mined payments and so many unsent ones, which nobody looks after. */
async function leaveWork(count: number): Promise<Delivery[]> {
  const left: Delivery[] = []
  const newPayments = () => Promise.all(Array.from({ length: count }, newPayment))
  for (;;) {
    const sent = await newPayments()
    const unsent = await newPayments()
    left.push(...sent, ...unsent)
    await leaveAfter('eth_sendRawTransaction', sent)
    await leaveAfter('ledger.accept', unsent)
    // Each payment sets the alarm: where it rang before it was silenced, something is done already.
    if ((await untilUnsentIsDue()) === 2 * count) return left
    await untilSettled()
  }
}

/** Ends the paying Workers after this question, in turn, so that none shares a transaction. */
async function leaveAfter(at: string, deliveries: readonly Delivery[]): Promise<void> {
  for (const delivery of deliveries) {
    const worker = createKillableWorker({ death: { at, when: 'after', whose: 'worker' } })
    await worker.deliver(delivery)
    await worker.rest()
  }
}

/** Lists the requests of a round that settles one payment and sends another. */
async function roundQuestions(): Promise<readonly string[]> {
  for (;;) {
    await untilSettled()
    await leaveWork(1)
    await silenceAlarm()
    const worker = createKillableWorker({})
    await worker.tend()
    await untilSettled()
    const asked = new Set(worker.asked)
    // An alarm that rang while it was silenced has done the work instead.
    if ([...needsWork].every((name) => asked.has(name))) return [...asked]
  }
}

/** The ledger's own alarm would do what the rounds of the test are there for. */
async function silenceAlarm(): Promise<void> {
  await runInDurableObject(ledgerStub(), (_, { storage }) => storage.deleteAlarm())
}

const unsentBytes = `
  SELECT count(*) AS count, coalesce(max(transactions.row ->> 'recorded_at'), 0) AS latest
  FROM transactions JOIN nonces ON nonces.nonce = transactions.row ->> 'nonce'
  WHERE transactions.row ->> 'sent_at' IS NULL AND nonces.row ->> 'state' = 'recorded'`

/** Leaves bytes to their Worker for a while; returns how many nonces nobody knows sent. */
async function untilUnsentIsDue(): Promise<number> {
  let unsent = 0
  await until(async () => {
    await silenceAlarm()
    const row = await readRow<{ count: number; latest: number }>(unsentBytes)
    unsent = row?.count ?? 0
    return row !== undefined && Date.now() - row.latest > 3_500
  })
  return unsent
}
