import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { willCause } from '../../support/runtime-words.ts'
import { dial, newSession, untilBalance } from '../support/caller.ts'
import { accountOf, fund, processed } from '../support/ground-truth.ts'
import { createKillableWorker, ledgerStub } from '../support/killable-worker.ts'
import { untilSettled } from '../support/settled.ts'

const recipient = '0x00000000000000000000000010000000000fa017'
const submitted = /^END Transfer Submitted\nTo: 0x00000000\.\.\.\nTx: 0x[0-9a-f]{10}\.\.\.\n/

/** Delivers one alarm four times side by side, which an object's own alarms never do. */
async function ringFourTimes(): Promise<void> {
  for (let time = 0; time < 4; time++) await runDurableObjectAlarm(ledgerStub())
}

/** Runs rounds that do, each with a node service of its own, as on separate instances. */
async function runRoundsSideBySide(): Promise<void> {
  await Promise.all(Array.from({ length: 4 }, () => createKillableWorker({}).tend()))
}

async function executions(phone: string): Promise<number> {
  const statuses = (await processed(await accountOf(phone))).map(({ status }) => status)
  return statuses.filter((status) => status === 'executed').length
}

describe("a ledger's alarm", () => {
  test('that rings several times acts once', async () => {
    const caller = '+254700000401'
    await fund(caller, '1')
    const session = newSession()
    const paid = dial(caller, `2*${recipient}*0.25`, session)
    // While the payment is being made, when it waits for its block, and after it.
    await Promise.all([runRoundsSideBySide(), ringFourTimes()])
    const reply = await paid
    for (let time = 0; time < 5; time++) {
      await Promise.all([ledgerStub().wake(), runDurableObjectAlarm(ledgerStub())])
    }
    await untilBalance(caller, '0.75')
    await Promise.all([runRoundsSideBySide(), ringFourTimes()])
    expect(reply.text).toMatch(submitted)
    expect(await executions(caller)).toBe(1)
    expect(await dial(caller, `2*${recipient}*0.25`, session)).toEqual(reply)
  })

  test('works again after a loss, when the ledger is woken', async () => {
    const caller = '+254700000402'
    await fund(caller, '1')
    await dial(caller, `2*${recipient}*0.25`)
    await runInDurableObject(ledgerStub(), (_, state) => state.storage.deleteAlarm())
    await ledgerStub().wake()
    await until(async () => (await executions(caller)) === 1)
    await untilSettled()
    expect(await executions(caller)).toBe(1)
  })
})

test("a ledger's alarm that never rings leaves a payment to the delivery that sent it, which finds it confirmed", async () => {
  const caller = '+254700000403'
  await fund(caller, '1')
  await untilSettled()
  const silence = () => runInDurableObject(ledgerStub(), (_, { storage }) => storage.deleteAlarm())
  await silence()
  expect((await dial(caller, `2*${recipient}*0.25`)).text).toMatch(submitted)
  const account = await accountOf(caller)
  await until(async () => {
    await silence()
    const { payments } = await ledgerStub().readPage({ account, limit: 1 })
    return payments[0]?.state === 'confirmed'
  })
  await untilBalance(caller, '0.75')
})

test("a ledger's object that lost its storage shows the same screen and pays nothing", async ({
  task,
}) => {
  willCause(task, 'aborted_objects')
  const caller = '+254700000431'
  await fund(caller, '1')
  const session = newSession()
  const reply = await dial(caller, `2*${recipient}*0.25`, session)
  await untilBalance(caller, '0.75')
  // Who still watches a payment would find no table.
  await untilSettled()
  await runInDurableObject(ledgerStub(), async (_, state) => {
    await state.storage.deleteAlarm()
    await state.storage.deleteAll()
  })
  await abortAllDurableObjects()
  expect(await dial(caller, `2*${recipient}*0.25`, session)).toEqual(reply)
  expect((await dial(caller, `2*${recipient}*0.5`, session)).text).toBe(
    'END This session has ended. Please dial again.',
  )
  await untilBalance(caller, '0.75')
  expect(await executions(caller)).toBe(1)
})
