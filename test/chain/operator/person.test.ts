import { parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { account as operatorsAccount } from '../../../scripts/ops/account-cli.ts'
import { reconcile } from '../../../scripts/ops/reconcile/reconcile-deployment.ts'
import { opened } from '../../support/opened.ts'
import { dial, give, openOperated } from './operating.ts'

const chain = opened(() => startChain())
const phone = '+254700000071'
const dayMs = 24 * 60 * 60 * 1000

test("a person's data are exported and erased by commands, and what is delivered again pays nothing", async () => {
  const deployment = openOperated(chain, {
    ...{ PROFILE: 'lender', PIN: 'on', PIN_SECRET: `0x${'5'.repeat(64)}` },
    MAX_SENT_A_DAY_WEI: `${parseEther('2')}`,
  })
  const account = await give(chain, phone)
  /** Types an answer after the other, as a gateway delivers them. */
  const walk = async (sessionId: string, ...typed: string[]) => {
    let screen = await dial(deployment, { phone, sessionId, text: '' })
    for (const index of typed.keys()) {
      const text = typed.slice(0, index + 1).join('*')
      screen = await dial(deployment, { phone, sessionId, text })
    }
    return screen
  }
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
  const paid = await walk('paid', '2', payee, '0.025', '482615')
  expect(paid).toContain('END Transfer Submitted')
  await deployment.allDone()
  const after = await balance()
  expect(await walk('too much', '2', payee, '9', '482615')).toContain('END')

  const whole = await exported()
  expect(whole).toMatchObject({
    ...{ account, archived: [], onChain: expect.stringContaining('The chain keeps') },
    caller: {
      ...{ balanceWei: after, pin: { isChosen: true } },
      // Before its PIN was asked for.
      refusals: [{ reason: 'too_much_today', screen: expect.stringContaining('within a day') }],
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
  const kept = JSON.stringify([deployment.events, await deployment.ledger.listAudit(99)])
  expect(kept).not.toContain(phone.slice(1))
})
