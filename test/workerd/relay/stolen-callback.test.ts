import { expect, test } from 'vitest'
import { dial, newSession, untilBalance } from '../support/caller.ts'
import { bindings, rpc } from '../support/ground-truth.ts'

const victims = ['+254700000021', '+254700000022']
const [thief, thiefNational] = ['+254700000023', '0700000023']

/** Reads the loan contract's balance in wei. */
async function held(): Promise<bigint> {
  return BigInt(`${await rpc('eth_getBalance', [bindings.LOAN_ADDRESS, 'latest'])}`)
}

test("who has the callback's secret and speaks for any phone moves each phone's money by dialling, once a session, and none out of the contract", async () => {
  for (const victim of victims) {
    await dial(victim, '3')
    await untilBalance(victim, '0.01')
  }
  const before = await held()
  for (const victim of victims) {
    const session = newSession()
    const screens = [
      await dial(victim, `2*${thiefNational}*0.01`, session),
      await dial(victim, `2*${thiefNational}*0.01`, session),
    ].map(({ text }) => text)
    expect(screens[0]).toMatch(/^END Transfer Submitted/)
    expect(screens[1]).toBe(screens[0])
  }
  await untilBalance(thief, '0.02')
  for (const victim of victims) await untilBalance(victim, '0')
  expect(await held()).toBe(before)
})
