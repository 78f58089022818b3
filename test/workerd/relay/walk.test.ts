import { describe, expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { ask, dial, newSession, untilBalance } from '../support/caller.ts'
import { accountOf, fund, processed, relayerNonce, rpc } from '../support/ground-truth.ts'

const lender = { PROFILE: 'lender', PIN: 'off' }

/** Delivers to the same Worker with a lender's screens. */
const dialLender = async (phone: string, text: string, session?: string) =>
  (await dial(phone, text, session, lender)).text

const until20 = String.raw`Until: \d{1,2} \w{3} 20\d\d`
const submittedTo = (recipient: string) =>
  RegExp(
    String.raw`^END Transfer Submitted\nTo: ${recipient}\nTx: 0x[0-9a-f]{10}\.\.\.\nFunds will arrive shortly\.$`,
  )

describe('the specification', () => {
  test('is answered in plain text, with CON while the session continues and END when it ends', async () => {
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

  test('reads a balance, and asks its questions, without a transaction', async () => {
    const caller = '+254700000018'
    await fund(caller, '0.5')
    const account = await accountOf(caller)
    const counts = async () => [
      ...[await relayerNonce('pending'), await rpc('eth_getTransactionCount', [account, 'latest'])],
    ]
    const before = await counts()
    for (const text of ['', '1', '2', '2*0700000017', '1']) await dial(caller, text)
    expect((await dial(caller, '1')).text).toBe('END Your Balance: 0.5 tRBTC')
    expect(await counts()).toEqual(before)
    expect(await processed(account)).toEqual([])
  })

  test("shows whom a transfer goes to with the chain's own checksum, which is not Ethereum's", async () => {
    const caller = '+254700000019'
    await fund(caller, '0.5')
    const typed = '0xbcdefabc00000000000000000000000000000001'
    // EIP-1191 on chain 31; EIP-55 has 0xbcDEfABC and chain 30 has 0xbCDEfabc.
    const { text } = await dial(caller, `2*${typed}*0.1`)
    expect(text).toMatch(submittedTo('0xbcdEFaBc\\.\\.\\.'))
    await untilBalance(caller, '0.4')
  })
})

describe("a lender's session", () => {
  test('shows both sides of a transfer, and a loan with its terms, from the real contract', async () => {
    const [sender, receiver] = ['+254700000013', '+254700000014']
    await fund(sender, '1')
    const text = '2*0700000014*0.04'
    const known = 'To: +254 700 000 014\nNot registered yet\nFee: none\n1. Send\n0. Change'
    expect(await dialLender(sender, text)).toBe(`CON Send 0.04 tRBTC\n${known}`)
    expect(await dialLender(sender, `${text}*1`)).toMatch(/^END Transfer Submitted\n/)
    await untilBalance(receiver, '0.04')
    // Both sides learn at the same depth that it is final.
    const received = 'CON My Activity\nReceived 0.04 tRBTC from 2547...013: done\n0. Back'
    await until(async () => (await dialLender(receiver, '5')) === received, { everyMs: 200 })
    const sent = 'CON My Activity\nSent 0.04 tRBTC to 2547...014: done\n0. Back'
    await until(async () => (await dialLender(sender, '5')) === sent, { everyMs: 200 })
    const again = /Just now\. Send it again\?\n2\. Send once/
    expect(await dialLender(sender, `${text}*1`)).toMatch(again)

    const terms = String.raw`Fee: 0 tRBTC\nTo repay: 0\.01 tRBTC\n${until20}\n1\. I agree\n`
    expect(await dialLender(receiver, '3')).toMatch(RegExp(`^CON Loan: 0\\.01 tRBTC\n${terms}`))
    expect(await dialLender(receiver, '3*1')).toMatch(/^END Loan Requested\n/)
    await untilBalance(receiver, '0.05')
    expect(await dialLender(receiver, '')).toContain('\n4. Repay Loan (0.01 tRBTC)\n')
    const owed = String.raw`You owe 0\.01 tRBTC\n${until20}\n1\. All of it\n`
    expect(await dialLender(receiver, '4')).toMatch(RegExp(`^CON Repay Loan\n${owed}`))
  })

  test('brings money in from a wallet, and out to one, each once', async () => {
    const caller = '+254700000015'
    const wallet = '0x00000000000000000000000010000000000ca5b0'
    const [, , address = ''] = (await dialLender(caller, '6')).split('\n')
    expect(address.toLowerCase()).toBe((await accountOf(caller)).toLowerCase())
    expect(await dialLender(caller, '6*1')).toMatch(/^END Nothing has arrived for your account yet/)
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
})
