import type { Address } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { menus, recallTimes } from '../../../scripts/dev/menu-ways.ts'
import { digest } from '../../../scripts/dev/simulator/model/hashing.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import { createMemory } from '../../../src/account/memory.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { createWalletCodes } from '../../../src/account/wallets.ts'
import { createNode } from '../../../src/chain/node.ts'
import type { Rpc } from '../../../src/chain/rpc.ts'
import { parseConfig } from '../../../src/compose/config.ts'
import { assembleMessages, createSeals } from '../../../src/compose/sms.ts'
import { describeLoanRefusal } from '../../../src/loan/calls.ts'
import { kindNames } from '../../../src/loan/kinds.ts'
import type { WholeLedger } from '../../../src/operator/kept/steps.ts'
import { nameTillSubject } from '../../../src/operator/kept/tills.ts'
import type { LogEvent } from '../../../src/runtime/log.ts'
import { demonstration } from '../../../src/ussd/messages/demonstration.ts'
import { messagesIn } from '../../../src/ussd/messages/languages.ts'
import { countSeptets, maxSeptets, toGsmAlphabet } from '../../../src/ussd/screens/septets.ts'
import { createSmsSeals, writeSms } from '../../../src/ussd/sms.ts'
import { loanLog } from '../../ports/payments.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { opened } from '../../support/opened.ts'
import { recipientAnswer, startSmsServer } from '../../support/sms-server.ts'
import { required } from '../compose/variables.ts'
import { friend, openWorld, stranger } from './world.ts'

const caller = '+254700000000' as PhoneNumber
const findAccount = createCallerAccounts(required.ACCOUNT_KEY_SECRET)
/** Those with the longest words. */
const reasons = (['withdrawal_limit', 'not_listed', 'existing_loan', 'no_loan'] as const).map(
  (reason) => describeLoanRefusal({ reason, owedWei: 1n, leftWei: 1n }),
)
/** Numbers of callers, but not where the digits are amid a value in hex. */
const numbers = /(?<![0-9a-f]{8})(254700|0700000)/
/** All that is kept, without the short numbers that screens show. */
const unnamed = (rows: string[]) => rows.join('\n').replaceAll(/2547\.\.\.\d{3}/g, '')
const smsIn = (rows: string[]) => rows.filter((row) => row.startsWith('sms '))

const server = opened(startSmsServer)
beforeEach(() => {
  server.answer(undefined)
  server.asked.length = 0
})

const feed = 'https://prices.example/kes'

/** Opens the service with messages: dials, and blocks and rounds when the test makes them. */
function open(
  settings: Record<string, string> = {},
  more: object = {},
  readNode: Rpc = () => Promise.reject(new Error('no node answers')),
) {
  const variables = { ...required, ...server.variables, PROFILE: 'lender', PIN: 'off', ...settings }
  const clock = createHandClock(0.1)
  const events: LogEvent[] = []
  const running: Promise<unknown>[] = []
  const memory = createMemoryStore(clock.now)
  const runtime = {
    ...{ clock, log: (event: LogEvent) => void events.push(event) },
    fetch: async (url: string | URL | Request, options?: RequestInit) =>
      url === feed
        ? Response.json({ rootstock: { kes: 12_000_000, last_updated_at: clock.now() / 1_000 } })
        : fetch(url, options),
    waitUntil: (work: Promise<unknown>) => void running.push(work),
  }
  const product = { ...menus.lender, smsSeals: createSeals(parseConfig(variables)), ...more }
  const relay = openWorld({ product, clock, memory })
  const hashInput = (session: string, text: string) => digest('input', session, text)
  const { issue } = createWalletCodes({ keys: { hashInput }, memory: createMemory(() => memory) })
  /** One process's rounds, or another's. */
  const process = (changes: Record<string, string> = {}, over: Partial<WholeLedger> = {}) => {
    const of = parseConfig({ ...variables, ...changes })
    const { sendSms } = assembleMessages(of, runtime, () => memory, createNode(readNode))
    return async () => {
      const isMore = await sendSms?.({ ...relay.ledger, ...over })
      await Promise.all(running.splice(0))
      return isMore
    }
  }
  return { ...relay, clock, events, memory, issue, process, round: process() }
}

/** Where amounts are typed in shillings, at a price that a test changes. */
const local = {
  settings: menus.local.settings,
  readRate: async () => ({ currency: 'KES', micros: price }),
}
let price = 0n
/** Where payments may be held that were a mistake. */
const recalls = { settings: { ...menus.lender.settings, recalls: recallTimes } }

const numbered = /\n(Ref|Kumb): \d{3}-\d{4}(, \d+ \S+ \d{4})?$/
/** Each message, without the number and the date of its payment. */
const told = () => server.asked.map(({ to, text }) => `${to}: ${text.replace(numbered, '')}`)

const minedAt = {
  ...{ transactionHash: digest('hash', ''), blockHash: digest('hash', 'block') },
  ...{ blockNumber: '0x1', status: '0x1' },
}

/** The event of a repayment by an account. */
const repaid = (payer: Address, amount: bigint) => ({
  address: required.LOAN_ADDRESS,
  ...loanLog('LoanRepaid', { borrower: payer, payer, amount, remaining: 0n }),
})

/** What both are told of a transfer that is done. */
const done = (number: string) => {
  const amount = number.includes(' ') ? number : `${number} tRBTC`
  return [
    `${caller}: Done: the account of 2547...001 was credited with ${amount}.`,
    `${friend}: You received ${amount} from 2547...000. Your account was credited.`,
  ]
}

const pay = `s: 2*${friend}*0.001*1`
const paid = `${pay}
  settle`
/** It is held then, as a mistake of who sent it. */
const held = `${paid}
  h: 5*2
  h: 5*2*1*4 -> END 0.001 tRBTC is held until …`

test('a phone is told once of each wallet that a code gave it, and the number is kept sealed', async () => {
  const { play, round, process, rows, clock, issue } = open()
  const [code, other] = [
    await issue({ name: 'Savings', address: stranger }),
    await issue({ name: 'Savings', address: `0x${'2'.repeat(40)}` }),
  ]
  await play(`
    s: 7*${code} -> CON Save wallet…
    s: 7*${code}*1 -> END Wallet Savings is saved. Dial again to cash out.
    s: 7*${code}*1 -> same`)
  expect(smsIn(rows())).toHaveLength(1)
  expect(unnamed(rows())).not.toMatch(numbers)
  await Promise.all(Array.from({ length: 12 }, () => process()()))
  const savedWallet = (address: string) =>
    `${caller}: Wallet Savings (${address}...) was saved for cash-outs from your phone. Was it not you? Choose 8, then 4, and tell your provider.`
  expect(told()).toEqual([savedWallet('0x5aaeb605')])
  await play(`t: 7*${other}*1 -> END Wallet Savings has a new address.…
    c: 8*4
    c: 8*4*1*5 -> END Wallet Savings has its former address again.`)
  await round()
  expect(told().slice(1)).toEqual([savedWallet('0x22222222')])
  expect(smsIn(rows())).toEqual([])
  clock.forward(60_000)
  await round()
  expect(told()).toHaveLength(2)
})

test('a receiver is told once what is held back until when, unless it is back or kept by then', async () => {
  const { play, process, round, rows } = open({}, recalls)
  await play(held)
  expect(unnamed(rows())).not.toMatch(numbers)
  await Promise.all(Array.from({ length: 12 }, () => process()()))
  const [first, ...others] = told().filter((text) => !done('0.001').includes(text))
  expect(first).toMatch(
    /^\+254700000001: 2547\.\.\.000 says 0\.001 tRBTC to you was a mistake\. Held until \d\d:\d\d UTC, \d+ [A-Z][a-z]+ \d{4}\.\nIt goes back only if you agree\.$/,
  )
  expect(others).toEqual([])
  await play(`1441 min
    settle`)
  server.asked.length = 0
  await play(`p@2: 2*${friend}*0.001*1 -> END Transfer…
    settle
    h@2: 5*2
    h@2: 5*2*1*4 -> END 0.001 tRBTC is held until …
    k@1: -> CON 2547...002 says …
    k@1: 92 -> END You keep it. It is not held any more.`)
  await round()
  expect(told().join()).not.toMatch(/mistake/)
})

test('a receiver who never dialled is told what to dial for what is held', async () => {
  const usual = open({ SHORT_CODE: '*384*1#' }, recalls)
  await usual.play(held)
  await usual.round()
  expect(told().join()).toContain('It goes back only if you agree: dial *384*1#.')
  server.asked.length = 0
  // Without room for the code, what it says of the consent stays.
  const names = { SERVICE_NAME: 'Duka Pesa Wakulima K', SHORT_CODE: '*384*123456789#' }
  const long = open(names, recalls)
  await long.play(held.replaceAll('0.001', '0.001234'))
  await long.round()
  expect(told().join()).toMatch(/: Duka Pesa Wakulima K: .*\nIt goes back only if you agree\./)
})

test('a receiver is told first in local money what is held', async () => {
  const { play, process } = open({}, recalls)
  await play(held)
  await process({ LOCAL_CURRENCY: 'KES', RATE_FEED_URL: feed })()
  expect(told().join()).toContain('2547...000 says KES 12,000 (0.001 tRBTC) to you was a mistake.')
})

test('who asked for a payment back is told once that it did not come, kept or by its end', async () => {
  const { play, round, process } = open({}, recalls)
  const kept = `${caller}: 0.001 tRBTC to 2547...001 is not held any more. It was not given back: the receiver has it.`
  const hold = (from: string) => `p${from}: 2*${friend}*0.001*1 -> END Transfer…
    settle
    h${from}: 5*2
    h${from}: 5*2*1*4 -> END 0.001 tRBTC is held until …`
  await play(hold(''))
  await round()
  expect(told()).not.toContain(kept)
  await play(`k@1:
    k@1: 92 -> END You keep it. It is not held any more.`)
  await Promise.all(Array.from({ length: 12 }, () => process()()))
  expect(told().filter((text) => text === kept)).toHaveLength(1)
  server.asked.length = 0
  await play(hold('@2'))
  await round()
  // A day ahead, it keeps no rounds going.
  expect(await round()).toBe(false)
  await play('1441 min')
  await round()
  await round()
  expect(told().filter((text) => text.includes('not given back'))).toEqual([
    kept.replace(caller, '+254700000002'),
  ])
})

test('who asked for a payment back is told that it came, though the payer knows no number', async () => {
  const { play, round, rows } = open({}, recalls)
  await play(`${held}
    b@1: -> CON …91. Give it back…
    b@1: 91*1 -> END Transfer Submitted…`)
  expect(unnamed(rows())).not.toMatch(numbers)
  await play('settle')
  await round()
  expect(told()).toContain(
    `${caller}: You received 0.001 tRBTC from 2547...001. Your account was credited.`,
  )
})

describe('a message about an outcome', () => {
  test('is sent to sender and receiver once each, however many processes run rounds', async () => {
    const { play, process, round, rows } = open()
    await play(pay)
    expect(await round()).toBe(false)
    await play('settle')
    await Promise.all(Array.from({ length: 12 }, () => process()()))
    expect(told().sort()).toEqual(done('0.001'))
    expect(await round()).toBe(false)
    expect(server.asked).toHaveLength(2)
    expect(smsIn(rows())).toEqual([])
  })

  test('tells both what was agreed in local money, whatever a coin is worth by then', async () => {
    price = 12_000_000_000_000n
    const { play, round } = open({}, local)
    await play(`s: 2*${friend}*1200*1
      settle`)
    price = 24_000_000_000_000n
    await round()
    expect(told().sort()).toEqual(done('KES 1,200 (0.0001 tRBTC)'))
  })

  test('has the name of the service, and what a phone dials that never did', async () => {
    const names = { SERVICE_NAME: 'Duka Pesa', SHORT_CODE: '*384*1#' }
    const { play, round, memory } = open(names)
    const { address } = await findAccount(caller)
    await memory.save(address, JSON.stringify({ hasDialled: true }), 0)
    await play(paid)
    await round()
    expect(told().sort()).toEqual([
      `${caller}: Duka Pesa: Done: the account of 2547...001 was credited with 0.001 tRBTC.`,
      `${friend}: Duka Pesa: You received 0.001 tRBTC from 2547...000. Dial *384*1# to use it.`,
    ])
    server.asked.length = 0
    const receiver = await findAccount(friend as PhoneNumber)
    const stored = await memory.load(receiver.address)
    const row = JSON.stringify({ ...JSON.parse(stored.row), hasDialled: true })
    await memory.save(receiver.address, row, stored.version)
    await play(`${paid.replaceAll('s:', 't:').replace('0.001', '0.002')}`)
    await round()
    expect(told().sort()[1]).toBe(
      `${friend}: Duka Pesa: You received 0.002 tRBTC from 2547...000. Your account was credited.`,
    )
  })

  test('ends with the number that the screen showed and the date, as far as there is room', async () => {
    price = 1_200_000_000_000_000n
    const names = { SERVICE_NAME: 'Duka Pesa Wakulima K', SHORT_CODE: '*384*123456789#' }
    const { play, round, clock, rows, memory } = open(names, local)
    const day = new Date(clock.now())
    const date = `${day.getUTCDate()} ${day.toUTCString().slice(8, 11)} ${day.getUTCFullYear()}`
    await play(`s: 2*${friend}*120000*1 -> END Transfer Submitted|…
      settle`)
    await round()
    const number = /\d{3}-\d{4}/.exec(
      rows()
        .filter((row) => row.startsWith('receipts'))
        .join(' '),
    )?.[0]
    expect(server.asked).toHaveLength(2)
    for (const { text } of server.asked) expect(text).toMatch(`\nRef: ${number}, ${date}`)
    server.asked.length = 0
    const { address } = await findAccount(caller)
    const { row, version } = await memory.load(address)
    const chosen = [{ language: 'fr', session: 's' }]
    await memory.save(address, JSON.stringify({ ...JSON.parse(row ?? '{}'), chosen }), version)
    await play(`61 s
      t: 2*${friend}*12345678.25*1
      fail ${reasons[0]}`)
    await round()
    expect(server.asked[0]?.text).toMatch(/^Duka Pesa .*\nRéf: \d{3}-\d{4}$/s)
  })

  test('is also sent to a receiver who was chosen from the list', async () => {
    const { play, round, rows } = open()
    await play(paid)
    await round()
    for (const amount of ['0.002', '0.003']) {
      server.asked.length = 0
      await play(`61 s
        ${amount}: 2 -> CON 1. 2547...001|Or phone number or address:|0. Back
        ${amount}: 2*1*${amount}*1 -> END Transfer Submitted…
        settle`)
      await round()
    }
    expect(told().sort()).toEqual(done('0.003'))
    expect(unnamed(rows())).not.toMatch(numbers)
  })

  test('of a withdrawal says to ask for the cash, and never tells the code to the agent', async () => {
    const { play, round, ledger, accountOf, rows } = open({}, { settings: menus.local.settings })
    const [account, seals] = [accountOf(1), createSmsSeals(required.ACCOUNT_KEY_SECRET)]
    const to = { account, name: 'Mama Duka', kind: 'agent' as const }
    const number = await seals.sealNumber(friend as PhoneNumber, nameTillSubject(account))
    const withdraw = async (amount: string) => {
      server.asked.length = 0
      await play(`61 s
        ${amount}: 7*12344*${amount}*1 -> END Withdrawal Submitted|…
        settle`)
      await round()
      return told().sort()
    }
    const asked = (amount: string) =>
      `${caller}: Ask 12344 Mama Duka for your cash, ${amount} tRBTC, with your code: see 5.`
    const got = `${friend}: You received 0.004 tRBTC from 2547...000. Your account was credited.`
    // Tills of older versions have no number.
    await ledger.setTill({ id: 'a', till: '12344', to })
    expect(await withdraw('0.003')).toEqual([asked('0.003')])
    await ledger.setTill({ id: 'b', till: '12344', to: { ...to, number } })
    expect(unnamed(rows())).not.toMatch(numbers)
    expect(await withdraw('0.004')).toEqual([asked('0.004'), got])
    // It was encrypted for another account, or under another secret.
    const other = await seals.sealNumber(friend as PhoneNumber, nameTillSubject(accountOf(2)))
    await ledger.setTill({ id: 'c', till: '12344', to: { ...to, number: other } })
    expect(await withdraw('0.005')).toEqual([asked('0.005')])
    // Nobody tells it: the payment goes on without that message.
    const findTillNumber = async () => Promise.reject(new Error('the ledger gave no answer'))
    Object.assign(ledger, { findTillNumber })
    expect(await withdraw('0.006')).toEqual([asked('0.006')])
  })

  test('of a bill tells who is paid the code that both compare, and the reference', async () => {
    const { play, round, ledger, accountOf } = open({}, { settings: menus.local.settings })
    const seals = createSmsSeals(required.ACCOUNT_KEY_SECRET)
    const number = await seals.sealNumber(friend as PhoneNumber, nameTillSubject(accountOf(1)))
    const to = { account: accountOf(1), name: 'Water', kind: 'bill', number } as const
    await ledger.setTill({ id: 'a', till: '54320', to })
    await play(`s: 10*54320*AB-12*0.001*1 -> END Payment Submitted|…
      settle`)
    await round()
    const [got] = told().filter((text) => text.startsWith(friend))
    expect(got).toMatch(
      / received 0\.001 tRBTC from 2547\.\.\.000 \(\d{6}\), AB-12\. Your account was/,
    )
  })

  test('covers loans, repayments and addresses, and the reason of a failure', async () => {
    const { play, round } = open()
    for (const [text, outcome] of [
      ['3*1', 'settle'],
      ['4*1', 'settle'],
      [`2*${stranger}*0.003*1`, 'settle'],
      [`2*${friend}*0.004*1`, 'fail Balance too low'],
      ['3*1', 'fail Balance too low'],
    ]) {
      await play(`61 s
        ${text} ${outcome}: ${text}
        ${outcome}`)
      await round()
    }
    const texts = [
      'Your account was credited with your loan of 0.01 tRBTC.',
      'Repaid all that was owed: done',
      'Done: the account of 0x5aAeb605... was credited with 0.003 tRBTC.',
      'Sent 0.004 tRBTC to 2547...001: FAILED, Balance too low\nNo money was moved.',
      'Loan of 0.01 tRBTC: FAILED, Balance too low\nNo money was moved.',
    ]
    expect(told()).toEqual(texts.map((text) => `${caller}: ${text}`))
    for (const { text } of server.asked) expect(countSeptets(text)).toBeLessThanOrEqual(maxSeptets)
  })

  test('of all of a debt says how much that was, in local money first, as its receipt tells', async () => {
    const receipts: unknown[] = []
    const { play, round, process, accountOf, events } = open({}, {}, async () => receipts.pop())
    const rounds = [
      [round, [repaid(accountOf(0), 10_500_000_000_000_001n)], '0.010501 tRBTC'],
      [
        process({ LOCAL_CURRENCY: 'KES', RATE_FEED_URL: feed }),
        [repaid(accountOf(0), 10n ** 16n)],
        'KES 120,000 (0.01 tRBTC)',
      ],
      // Nobody can tell which of them it was.
      [round, [repaid(accountOf(0), 1n), repaid(accountOf(0), 2n)], 'all that was owed'],
    ] as const
    for (const [send, logs, sum] of rounds) {
      await play(`61 s
        loan ${sum}: 3*1
        settle`)
      await round()
      await play(`all ${sum}: 4*1
        settle`)
      server.asked.length = 0
      receipts.push({ ...minedAt, logs: logs.flat() })
      await send()
      expect(told()).toEqual([`${caller}: Repaid ${sum}: done`])
    }
    expect(events.filter(({ level }) => level !== 'info')).toEqual([])
  })

  test('of all of a debt goes without the sum if no node tells it in time, behind the others', async () => {
    const waits: unknown[] = []
    const { play, round } = open({}, {}, (method) => {
      waits.push(method)
      return new Promise(() => {})
    })
    await play(`loan: 3*1
      settle`)
    await round()
    server.asked.length = 0
    await play(`all: 4*1
      settle
      1 s
      other@2: 2*${friend}*0.001*1
      settle`)
    await round()
    expect(told()).toHaveLength(3)
    expect(told()[2]).toBe(`${caller}: Repaid all that was owed: done`)
    expect(waits).toEqual(['eth_getTransactionReceipt'])
  })

  test('is in the language that the phone has chosen, and fits one SMS in each language', async () => {
    const { play, round, memory, accountOf } = open()
    const chosen = { chosen: [{ language: 'sw', session: 's' }] }
    await play(paid)
    const { address } = await findAccount(friend as PhoneNumber)
    expect(address).not.toBe(accountOf(1))
    await memory.save(address, JSON.stringify(chosen), 0)
    await round()
    const inSwahili = 'Umepokea 0.001 tRBTC kutoka 2547...000. Akaunti yako imeongezewa.'
    expect(told().sort()).toEqual([done('0.001')[0], `${friend}: ${inSwahili}`])
    const amount = '20999999.123456 tRBTC'
    const outcomes = reasons.flatMap((reason) =>
      (['confirmed', 'reverted', 'expired'] as const).map((state) => ({ state, reason })),
    )
    for (const say of [...Object.values(messagesIn), demonstration]) {
      const recalled = { wei: '1', until: 1_798_000_000_000 }
      const told = { phone: caller, kind: 'received', amountWei: 1n, who: '0x12345678...' } as const
      const due = {
        state: 'confirmed',
        reason: '',
        intentId: 'x',
        acceptedAt: 0,
        recalled,
      } as const
      const worth = `KES 99,999,999 (${amount})`
      for (const facts of [told, { ...told, kind: 'transfer' as const }])
        for (const text of writeSms(facts, due, say, () => worth).map(toGsmAlphabet))
          expect(countSeptets(text), text).toBeLessThanOrEqual(maxSeptets)
      for (const kind of [...kindNames, 'received'] as const) {
        const longest = '2547...000 (482915), ABCDEFGHIJ1234567890'
        const who = kind === 'received' ? longest : '0x12345678...'
        const facts = { phone: caller, kind, amountWei: 1n, who }
        for (const outcome of outcomes) {
          const payment = { ...outcome, intentId: digest('intent', kind), acceptedAt: 0 }
          const forms = writeSms(facts, payment, say, () => amount).map(toGsmAlphabet)
          for (const text of forms) expect(text).toContain(amount)
          const shortest = forms.at(-1) ?? ''
          expect(countSeptets(shortest), shortest).toBeLessThanOrEqual(maxSeptets)
        }
      }
    }
  })

  test('is not sent again if its outcome is unknown, and other messages wait until the provider is back', async () => {
    const { play, round, ledger, events } = open()
    await play(`${paid}
      other: 2*${friend}*0.002*1
      settle`)
    server.answer(() => 'nothing')
    const asked = async () => {
      await round()
      return server.asked.length
    }
    expect(await round()).toBe(true)
    expect(await round()).toBe(true)
    expect(server.asked).toHaveLength(1)
    await play('30 s')
    expect(await asked()).toBe(2)
    server.answer(undefined)
    await play('59 s')
    expect(await asked()).toBe(2)
    await play('1 s')
    expect(await asked()).toBe(4)
    expect(await round()).toBe(false)
    expect((await ledger.readVitals()).counts).toMatchObject({ 'sms.sent': 2, 'sms.unknown': 2 })
    expect(events.map(({ event }) => event)).toEqual([
      ...['sms.unknown', 'sms.unknown', 'sms.sent', 'sms.sent'],
    ])
  })

  test('is not sent again from a ledger that was set back', async () => {
    const { play, round, process, ledger } = open()
    await play(paid)
    // As if the note of it were lost: the account's memory has it.
    const recordSmsFate: WholeLedger['recordSmsFate'] = (sms) => ledger.recordSmsFate(sms, 'later')
    await process({}, { recordSmsFate })()
    await play('30 s')
    await round()
    expect(told().sort()).toEqual(done('0.001'))
    expect((await ledger.readVitals()).counts).toMatchObject({ 'sms.known': 2 })
  })

  test('leaves no readable number in the ledger, and none in the log', async () => {
    const { play, round, rows, events } = open()
    await play(pay)
    expect(smsIn(rows())).toHaveLength(2)
    expect(unnamed(rows())).not.toMatch(numbers)
    expect(unnamed(rows())).not.toContain(Buffer.from('254700000').toString('hex'))
    await play('settle')
    server.answer(() => recipientAnswer(403))
    await round()
    expect(unnamed(rows())).not.toMatch(numbers)
    expect(smsIn(rows())).toEqual([])
    expect(events.map(({ event }) => event)).toEqual(['sms.refused', 'sms.refused'])
    expect(JSON.stringify(events)).not.toMatch(numbers)
    expect(JSON.stringify(events)).not.toContain('tRBTC')
  })

  test('is not stored if no messages are sent', async () => {
    const { play, rows, process } = open({ SMS_API_KEY: '', SMS_USERNAME: '', SMS_URL: '' })
    await play(pay)
    expect(rows().filter((row) => row.startsWith('payments '))).toHaveLength(1)
    expect(smsIn(rows())).toEqual([])
    await play('settle')
    expect(await process()()).toBeUndefined()
    expect(server.asked).toEqual([])
  })

  test('is neither sent nor lost if it was encrypted under another account secret', async () => {
    const { play, ledger, process, round, events } = open()
    await play(`s: 3*1
      settle`)
    await process({ ACCOUNT_KEY_SECRET: `0x${'33'.repeat(32)}` })()
    expect(server.asked).toEqual([])
    expect(events.map(({ event }) => event)).toEqual(['sms.unprepared'])
    await play('30 s')
    await round()
    expect(server.asked).toHaveLength(1)
    expect((await ledger.readVitals()).counts).toMatchObject({ 'sms.later': 1, 'sms.sent': 1 })
  })
})
