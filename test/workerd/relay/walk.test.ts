import { expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { ask, dial, newSession, untilBalance } from '../support/caller.ts'
import { accountOf, rpc } from '../support/ground-truth.ts'

const lender = { PROFILE: 'lender', PIN: 'off' }

/** Delivers to the same Worker with a lender's screens. */
const dialLender = async (phone: string, text: string, session?: string) =>
  (await dial(phone, text, session, lender)).text

test('the specification is answered in plain text, with CON while the session continues and END when it ends', async () => {
  const caller = '+254700000016'
  const screens = { '': 'CON ', '1': 'END ', '2': 'CON ', '2*0700000017': 'CON ', '3': 'END ' }
  for (const [text, begins] of Object.entries(screens)) {
    const body = new URLSearchParams({ phoneNumber: caller, sessionId: newSession(), text })
    const response = await ask('/ussd', { method: 'POST', body })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect((await response.text()).slice(0, 4), text).toBe(begins)
  }
  await untilBalance(caller, '0.01')
})

test("a lender's session brings money in from a wallet, and out to one, each once", async () => {
  const caller = '+254700000015'
  const wallet = '0x00000000000000000000000010000000000ca5b0'
  const [, , address = ''] = (await dialLender(caller, '6')).split('\n')
  expect(address.toLowerCase()).toBe((await accountOf(caller)).toLowerCase())
  expect(await dialLender(caller, '6*1')).toMatch(/^END Nothing has arrived from a wallet yet/)
  await rpc('anvil_setBalance', [address, '0xde0b6b3a7640000'])
  const credited = /^END Credit Submitted\nAmount: 0\.9+\d* tRBTC\n/
  expect(await dialLender(caller, '6*1')).toMatch(credited)
  await until(async () => /Balance: 0\.9/.test((await dial(caller, '1')).text), { everyMs: 100 })
  const nothingNew = /^END Nothing new has arrived\. Your account was/
  expect(await dialLender(caller, '6*1')).toMatch(nothingNew)

  const session = newSession()
  const text = `7*${wallet}*0.01`
  const asked = /^CON Cash out 0\.01 tRBTC\nTo wallet: 0x/
  expect(await dialLender(caller, text, session)).toMatch(asked)
  const paid = await dialLender(caller, `${text}*1`, session)
  expect(paid).toMatch(/^END Cash Out Submitted\nTo: 0x/)
  expect(await dialLender(caller, `${text}*1`, session)).toBe(paid)
  const there = async () => BigInt((await rpc('eth_getBalance', [wallet, 'latest'])) as string)
  await until(async () => (await there()) === 10n ** 16n, { everyMs: 100 })
  // The same once more is asked for first.
  const again = newSession()
  const asksAgain = /Just now\. Send it again\?\n3\. Send/
  expect(await dialLender(caller, `${text}*1`, again)).toMatch(asksAgain)
  expect(await dialLender(caller, `${text}*1*3`, again)).toMatch(/^END Cash Out Submitted\n/)
  await until(async () => (await there()) === 2n * 10n ** 16n, { everyMs: 100 })
  expect(await dialLender(caller, '5')).toContain('Cashed out 0.01 tRBTC to wallet 0x')
})
