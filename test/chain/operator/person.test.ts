import { parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { account as operatorsAccount } from '../../../scripts/ops/account-cli.ts'
import { reconcile } from '../../../scripts/ops/reconcile/reconcile-deployment.ts'
import { opened } from '../../support/opened.ts'
import { dial, give, type Operated, openOperated } from './operating.ts'

const chain = opened(() => startChain())
const phone = '+254700000071'
const dayMs = 24 * 60 * 60 * 1000

/** Types an answer after the other, as a gateway delivers them. */
const walkOn =
  (deployment: Operated, phone: string) =>
  async (sessionId: string, ...typed: string[]) => {
    let screen = await dial(deployment, { phone, sessionId, text: '' })
    for (const index of typed.keys()) {
      const text = typed.slice(0, index + 1).join('*')
      screen = await dial(deployment, { phone, sessionId, text })
    }
    return screen
  }

test("a person's data are exported and erased by commands, and what is delivered again pays nothing", async () => {
  const deployment = openOperated(chain, {
    ...{ PROFILE: 'lender', PIN: 'on', PIN_SECRET: `0x${'5'.repeat(64)}` },
    MAX_SENT_A_DAY_WEI: `${parseEther('2')}`,
  })
  const account = await give(chain, phone)
  const walk = walkOn(deployment, phone)
  const run = (what: 'export' | 'erase') =>
    deployment.operate(operatorsAccount, [what, '--json'], { input: phone })
  const exported = async () => {
    const { code, output } = await run('export')
    expect([code, output.includes(phone.slice(1))]).toEqual([0, false])
    return JSON.parse(output)
  }
  const balance = async () => (await deployment.act('lookup', { phone })).balanceWei

  await deployment.round()
  expect(await walk('first', '1', '482615', '482615')).toContain('Your PIN is set')
  const payee = '+254700000072'
  await give(chain, payee)
  const tooMuch = { phone, sessionId: 'too much', text: `2*${payee}*9*482615` }
  expect(await dial(deployment, tooMuch)).toContain('END')
  const paid = await walk('paid', '2', payee, '0.025', '482615')
  expect(paid).toContain('END Transfer Submitted')
  await deployment.allDone()
  const after = await balance()

  const whole = await exported()
  expect(whole).toMatchObject({
    ...{ account, archived: [], onChain: expect.stringContaining('The chain keeps') },
    caller: {
      ...{ balanceWei: after, pin: { isChosen: true } },
      refusals: [{ reason: 'balance_too_low', screen: expect.stringContaining('too low') }],
    },
    memory: { hasDialled: true, recipients: [{ amountWei: `${25n * 10n ** 15n}` }] },
    payments: [{ kind: 'transfer', state: 'confirmed' }],
  })
  expect(whole.sessions).toContainEqual(expect.objectContaining({ state: 'refused' }))
  expect(whole.audit.map(({ action }: { action: string }) => action)).toContain('export')

  const erased = await run('erase')
  expect(JSON.parse(erased.output)).toMatchObject({
    gone: { archived: 0, refusals: 1 },
    kept: { payments: 1, open: 0, pins: 1, aliases: 0 },
  })
  const left = await exported()
  expect(left).toMatchObject({
    caller: { refusals: [], pin: { isChosen: true } },
    memory: { hasDialled: false, recipients: [], sent: [] },
  })
  // The same deliveries again, while the relay still has to know them.
  expect(await walk('paid', '2', payee, '0.025', '482615')).toBe(paid)
  await deployment.allDone()
  expect(await balance()).toBe(after)

  // With nothing behind it the PIN goes too.
  const to = privateKeyToAccount(generatePrivateKey()).address
  const key = `${Math.floor(Date.now() / 1_000)}-the-only-key-of-this`
  await deployment.act('cash-out', { phone, to, amount: 'all', key })
  await deployment.allDone()
  expect(JSON.parse((await run('erase')).output).kept).toMatchObject({ pins: 0, open: 0 })
  expect(await walk('new')).toMatch(/^CON .*\nLanguage/)

  // Once they are of no use, payments go without a name, and the books still agree.
  deployment.pass(9 * dayMs)
  await deployment.ledger.prune()
  expect((await exported()).archived).toEqual([])
  const words = await deployment.operate(operatorsAccount, ['erase'], { input: phone })
  expect(words.output).toMatch(/^Erased: .+\n.+\nThe audit stays for 400 days\..+\nThe chain keeps/)
  const { payments } = await deployment.payments('?archived=true')
  const nobody = `0x${'00'.repeat(20)}`
  expect(payments.map((payment) => payment.account)).toEqual([nobody, nobody])
  const books = await reconcile(deployment.operator, { fromBlock: 0, eachAccount: true })
  expect(books.differences).toEqual([])
  const kept = JSON.stringify([
    deployment.events,
    (await deployment.ledger.listAudit({ limit: 99 })).entries,
  ])
  expect(kept).not.toContain(phone.slice(1))
})

test('a name is offered, agreed to, exported and taken away by commands, and no log or audit has it', async () => {
  const deployment = openOperated(chain, {
    PROFILE: 'lender',
    PIN: 'on',
    PIN_SECRET: `0x${'5'.repeat(64)}`,
    RECIPIENT_NAMES: 'on',
    SERVICE_NAME: 'Pesa Bora',
  })
  const [payer, holder, pin] = ['+254700000073', '+254700000074', '482615']
  await give(chain, payer)
  const account = await give(chain, holder)
  const [pay, hold] = [walkOn(deployment, payer), walkOn(deployment, holder)]
  await deployment.round()
  for (const walk of [pay, hold]) expect(await walk('first', '1', pin, pin)).toContain('PIN is set')
  const run = async (what: string, input: string) => {
    const { code, output } = await deployment.operate(operatorsAccount, [what], { input })
    return [code, output]
  }
  const told = 'Once the holder agrees (8. Settings, 5. My name), payers see: Amina W.\n'
  expect(await run('verify-name', `${holder}\namina wanjiru\n`)).toEqual([0, told])
  expect(await hold('agree', '8', '5', pin, '3')).toContain('END Done. Payers see the checked')
  const named = await pay('paid', '2', holder, '0.025', pin)
  expect(named).toContain('\nChecked name: Amina W.\n0. Change\n1. Send')
  expect(await pay('paid', '2', holder, '0.025', pin, '1')).toContain('END Transfer Submitted')
  await deployment.allDone()
  const memoryOf = async (phone: string) => JSON.parse(`${(await run('export', phone))[1]}`).memory
  expect((await memoryOf(holder)).names).toEqual({ shown: 'Amina W.', verified: 'Amina W.' })
  expect((await memoryOf(payer)).lookUps).toMatchObject([{ of: account }])
  expect(await run('remove-name', holder)).toEqual([0, 'Payers see no name of this number now.\n'])
  expect((await memoryOf(holder)).names).toEqual({ shown: null, verified: null })

  const off = openOperated(chain, {
    PROFILE: 'lender',
    PIN: 'on',
    PIN_SECRET: `0x${'5'.repeat(64)}`,
  })
  await off.round()
  expect(await off.refused('name', { phone: holder, name: 'Amina' })).toEqual({
    ...{ status: 409, error: 'RECIPIENT_NAMES is off' },
  })
  expect(await off.act('name', { phone: holder, name: null })).toEqual({ account, name: null })
  expect((await deployment.refused('name', { phone: holder, name: 'Amina 2' })).status).toBe(400)
  const kept = JSON.stringify([
    deployment.events,
    (await deployment.ledger.listAudit({ limit: 99 })).entries,
  ])
  expect(kept).toContain('verify-name')
  expect(kept).not.toMatch(/amina|wanjiru|254700000074/i)
})
