import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encryptKeystoreJsonSync } from 'ethers'
import { type Address, checksumAddress, formatEther, type Hex, parseEther } from 'viem'
import { english, generateMnemonic, generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { callAsOwner } from '../../../scripts/dev/relays/callers.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { account as operatorsAccount } from '../../../scripts/ops/account-cli.ts'
import { createOperatorClient } from '../../../scripts/ops/operator-client.ts'
import { writeStatus } from '../../../scripts/ops/ops-cli.ts'
import { pool as poolCommand } from '../../../scripts/ops/pool-cli.ts'
import { relayers as relayersCommand } from '../../../scripts/ops/relayers-cli.ts'
import { ops } from '../../../scripts/ops.ts'
import type { Command } from '../../../scripts/stack/command.ts'
import { dialCommand } from '../../../scripts/stack/phone/dial.ts'
import { computeFingerprint } from '../../../src/account/secrets.ts'
import { loansAnswer } from '../../../src/operator/schemas/loans.ts'
import { statusAnswer } from '../../../src/operator/schemas/status.ts'
import { version } from '../../../src/operator/version.ts'
import { schemaVersion } from '../../../src/relay/ledger/rows.ts'
import { type Deployment, serveApp } from '../../support/deployment.ts'
import { opened } from '../../support/opened.ts'
import { authorized, dial, give, type Operated, openOperated, token } from './operating.ts'

const recipient = '0x00000000000000000000000010000000000a11ce'
const paused = 'END Payments are paused. Nothing was sent. Please try again later.'

const chain = opened(() => startChain())
const phones: string[] = []
const deployments: Operated[] = []

afterEach(async () => {
  await chain.anvil.ask('evm_setAutomine', [true])
  // Nothing that is kept or logged has a number.
  for (const { events, ledger } of deployments.splice(0)) {
    const kept = JSON.stringify([events, (await ledger.listAudit({ limit: 99 })).entries])
    for (const phone of phones) expect(kept).not.toContain(phone.slice(1))
  }
})

const folder = mkdtempSync(join(tmpdir(), 'interface-'))
afterAll(() => rmSync(folder, { recursive: true }))
const newDatabase = () => join(folder, `${randomBytes(8).toString('hex')}.sqlite`)

function open(changes?: Record<string, string>, database?: string): Operated {
  const deployment = openOperated(chain, changes, database === undefined ? {} : { database })
  deployments.push(deployment)
  return deployment
}

/** Creates a fresh caller with 1 of the currency, or the given amount. */
async function newCaller(amount = '1', secret?: Hex): Promise<{ phone: string; account: Address }> {
  const phone = `+2547000000${11 + phones.length}`
  phones.push(phone)
  return { phone, account: await give(chain, phone, amount, secret) }
}

const pay = (deployment: Deployment, phone: string, sessionId: string): Promise<string> =>
  dial(deployment, { phone, sessionId, text: `2*${recipient}*0.25` })

describe("the operator's interface", () => {
  test('requires the token', async () => {
    const [deployment, without] = [open(), open({ OPERATOR_TOKEN: '' })]
    const another = { authorization: 'Bearer another-token-of-this-length' }
    for (const path of ['/operator/status', '/operator/payments', '/operator/audit', '/metrics']) {
      for (const [headers, status] of [
        ...[{}, another].map((headers) => [headers, 401] as const),
        [authorized, 200] as const,
      ])
        expect((await deployment.ask(path, { headers })).status).toBe(status)
      expect((await without.ask(path, { headers: authorized })).status).toBe(404)
    }
    const to = new Date().toISOString()
    const refused = await deployment.refused('set-back', { to })
    expect(refused).toEqual({ status: 409, error: 'Redis has no history to set back to' })
    expect((await deployment.refused('set-back', { to: 'soon' })).status).toBe(400)
    const post = { method: 'POST', headers: another }
    expect((await deployment.ask('/operator/pause', post)).status).toBe(401)
    expect((await deployment.status()).intake.state).toBe('open')
  })

  test('shows the status with facts of the chain', async () => {
    const deployment = open()
    const { phone } = await newCaller()
    await deployment.round()
    expect(await pay(deployment, phone, 'status')).toContain('END Transfer Submitted')
    await deployment.allDone()
    // Calls are counted by day: before any time passes, which may be a midnight.
    const { callsToday = 0 } = (await deployment.status()).nodes[0] ?? {}
    expect(callsToday).toBeGreaterThan(5)
    expect(callsToday).toBeLessThanOrEqual(deployment.asked.length)
    deployment.pass(60_000)
    await deployment.round()
    const status = await deployment.status()
    expect(status).toMatchObject({
      ...{ version, schema: schemaVersion, chainId: 31, currency: 'tRBTC' },
      health: { failing: [] },
      relayers: [{ address: chain.relayer, inFlight: 0, queued: 0 }],
      contracts: { loan: chain.loan.toLowerCase(), state: 'ready' },
      nodes: [{ label: 'node 1', state: 'able', failures: 0, height: status.head?.number }],
      lately: { hour: { counts: { 'transfer.accepted': 1, 'transfer.executed': 1 } } },
    })
    const [relayer] = status.relayers
    expect(relayer?.nonces.chain).toBe(relayer?.nonces.ledger)
    expect(Number(relayer?.lastsFor)).toBeGreaterThan(100)
    expect(relayer?.lastMinedAt).not.toBeNull()
    expect(BigInt(status.contracts.pool?.liquidityWei ?? 0)).toBe(parseEther('10'))
    expect(status.blocks[0]?.fullness).toBeGreaterThan(0)
    expect(status.blocks[0]?.fullness).toBeLessThanOrEqual(1)
    const [node] = status.nodes
    expect(node?.heightAt).toMatch(/^2\d{3}-/)
    expect(node?.answers).toBeGreaterThan(5)
    expect(node?.p95Ms).toBeGreaterThanOrEqual(0)
    deployment.pass(24 * 60 * 60 * 1000)
    expect((await deployment.status()).nodes[0]?.callsToday).toBeLessThan(callsToday)
    const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
    expect(JSON.parse(manifest)).toMatchObject({ version })
  })

  test('has metrics in which every name of the alert rules is found', async () => {
    const deployment = open({ UPSTREAM_CALLS_A_DAY: '1000' })
    const { phone } = await newCaller()
    await pay(deployment, phone, 'metrics')
    await deployment.act('pause')
    expect(await pay(deployment, phone, 'refused')).toBe(paused)
    await deployment.act('resume')
    await deployment.allDone()
    await deployment.round()
    const before = deployment.asked.length
    const text = await deployment.metrics()
    expect(deployment.asked.length).toBe(before)
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+]+)$/,
      )
    }
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const names = new Set(samples.map((line) => line.split(/[{ ]/)[0]))
    const file = new URL('../../../docs/operations/alert-rules.yml', import.meta.url)
    const expressions = readFileSync(file, 'utf8').match(/expr: .+/g) ?? []
    const named = new Set(expressions.join().match(/\brelay_[a-z_]+/g))
    expect(expressions.length).toBeGreaterThan(5)
    expect([...named].filter((name) => !names.has(name))).toEqual([])
    const came = 'relay_gateway_requests_total{gateway="africas-talking",event='
    expect(samples).toContainEqual(expect.stringMatching(`^${came}"delivery"} [1-9]`))
    expect(samples).toContainEqual(expect.stringMatching(`^${came}"reply"} [1-9]`))
    expect(samples).toContain('relay_refusals_total{reason="paused"} 1')
    expect(samples).toContain('relay_payment_events_total{kind="transfer",event="accepted"} 1')
    expect(samples).toContain('relay_check_failing{check="node"} 0')
    expect(samples).toContain(`relay_build_info{version="${version}",schema="${schemaVersion}"} 1`)
  })

  test('pauses payments, says so to callers for good, and takes them again', async () => {
    const deployment = open()
    const { phone } = await newCaller()
    await chain.anvil.ask('evm_setAutomine', [false])
    await pay(deployment, phone, 'before')
    const intake = async () => (await deployment.status()).intake
    expect(await intake()).toEqual({ state: 'open' })
    const stopped = await deployment.act('pause')
    expect(stopped.intake).toMatchObject({ state: 'paused' })
    expect(await intake()).toEqual(stopped.intake)
    expect(await pay(deployment, phone, 'meanwhile')).toBe(paused)
    // What was accepted before is shown again, whatever is paused.
    expect(await pay(deployment, phone, 'before')).toContain('END Transfer Submitted')
    const torn = { method: 'POST', body: '{', headers: authorized }
    expect((await deployment.ask('/operator/drain', torn)).status).toBe(400)
    const drained = await deployment.act('drain')
    expect(drained.intake).toMatchObject({ state: 'draining' })
    expect(await pay(deployment, phone, 'drained')).toBe(paused)
    const drain = deployment.operate(ops, ['drain', '--wait'])
    await chain.anvil.ask('evm_setAutomine', [true])
    await chain.anvil.ask('evm_mine')
    await deployment.allDone()
    await until(async () => {
      await deployment.round()
      return (await deployment.act('drain')).open === 0
    })
    expect(await deployment.act('drain')).toMatchObject({ intake: { state: 'drained' }, open: 0 })
    const { code, output } = await drain
    expect(output).toMatch(/\nPayments are refused, and nothing is open: .+ \(since 2\S+\)\.\n$/)
    expect(code).toBe(0)
    deployment.pass(3_000)
    const health = await deployment.ask('/healthz')
    expect(health.body).toMatchObject({ lastRefused: { reason: 'paused' } })
    expect((await deployment.act('resume')).intake).toEqual({ state: 'open' })
    expect(await pay(deployment, phone, 'meanwhile')).toBe(paused)
    expect(await pay(deployment, phone, 'after')).toContain('END Transfer Submitted')
    await deployment.allDone()
    const actions = new Set((await deployment.audit()).map(({ action }) => action))
    expect(actions).toEqual(new Set(['pause', 'drain', 'resume']))
  })

  test('continues only with the account secret that a drain has named', async () => {
    const database = newDatabase()
    const [next, typo] = [generatePrivateKey(), generatePrivateKey()]
    const failing = async ({ ask }: Deployment) =>
      ((await ask('/healthz')).body as { failing: string[] }).failing
    const deployment = open({}, database)
    const { phone } = await newCaller()
    await pay(deployment, phone, 'before')
    await deployment.allDone()
    const named = { nextAccountKey: await computeFingerprint(next) }
    expect((await deployment.refused('drain', { nextAccountKey: '' })).status).toBe(400)
    await until(async () => {
      await deployment.round()
      return (await deployment.act('drain', named)).open === 0
    })
    expect(await pay(deployment, phone, 'draining')).toBe(paused)
    const words = { RELAYER_MNEMONIC: generateMnemonic(english) }
    // A new relayer key opens no other accounts.
    for (const wrong of [{ ACCOUNT_KEY_SECRET: typo }, { ACCOUNT_ID_SECRET: typo, ...words }])
      expect(await failing(open(wrong, database))).toContain('identity')
    expect(await failing(open(words, database))).not.toContain('identity')
    const fresh = open({ ACCOUNT_KEY_SECRET: next }, database)
    expect(await failing(fresh)).not.toContain('identity')
    // Nothing was dialled and no round was made under it before.
    await fresh.act('resume')
    expect(await failing(open({}, database))).toContain('identity')
    const moved = await newCaller('1', next)
    expect(await pay(fresh, moved.phone, 'after')).toContain('END Transfer Submitted')
    await fresh.allDone()
    const entries = await fresh.audit()
    const drain = entries.find(({ action }) => action === 'drain')
    expect(drain?.detail).toEqual({ next: 'ACCOUNT_KEY_SECRET' })
    expect(JSON.stringify(entries)).not.toContain(named.nextAccountKey)
  })

  test('finds payments, and shows all details of one', async () => {
    const deployment = open()
    const [one, other] = [await newCaller(), await newCaller()]
    await pay(deployment, one.phone, 'find 1')
    // Those that are settled are listed by when they were.
    await deployment.allDone()
    deployment.pass(1_000)
    await pay(deployment, other.phone, 'find 2')
    await deployment.allDone()
    await deployment.round()
    const find = deployment.payments
    const all = await find('?state=confirmed')
    expect(all.payments.map(({ account }) => account)).toEqual([other.account, one.account])
    const [newest, oldest] = all.payments
    expect((await find(`?account=${one.account}`)).payments).toEqual([oldest])
    expect((await find(`?hash=${newest?.hash}`)).payments).toEqual([newest])
    expect((await find(`?intent=${oldest?.intent}`)).payments).toEqual([oldest])
    expect((await find('?state=queued')).payments).toEqual([])
    const first = await find('?limit=1')
    expect(first.payments).toEqual([newest])
    const second = await find(`?limit=1&before=${first.next}`)
    expect(second).toEqual({ payments: [oldest], next: null })
    const refused = async (path: string) =>
      (await deployment.ask(`/operator/payments${path}`, { headers: authorized })).status
    expect(await refused('?since=soon')).toBe(400)
    expect(await refused(`/0x${'00'.repeat(32)}`)).toBe(404)
    const told = await deployment.payment(newest?.intent)
    expect(told.transitions.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['signed', 'mined', 'confirmed']),
    )
    expect(told.transactions).toMatchObject([{ hash: newest?.hash, isMined: true, failures: 0 }])
    const receipt = await chain.anvil.ask('eth_getTransactionReceipt', [newest?.hash])
    const { gasUsed } = receipt as { gasUsed: string }
    expect(told.gasUsed).toBe(Number(gasUsed))
    expect(told.explorer).toBe(`https://explorer.testnet.rootstock.io/tx/${newest?.hash}`)
    const why = (name: string) => deployment.operate(ops, ['why', name])
    const shown = await why(newest?.hash ?? '')
    expect(shown).toEqual(await why(newest?.intent ?? ''))
    expect(shown.output).toMatch(
      /^The transfer of 0\.25 tRBTC, accepted 2\S+, was done in block \d+ \(https:\S+\)\.\nAccount 0x\w{40}; intent 0x\w{44}; \d+ gas were used\.\n/,
    )
    for (const { state, at } of told.transitions) expect(shown.output).toContain(`${at}  ${state}`)
    expect(shown.output).toMatch(/\nNonce \d+ at [\d.]+ gwei, last sent 2\S+: mined\. https:\S+\n$/)
  })

  test("explains a missing payment, by number or by the gateway's session", async () => {
    const deployment = open({ HELP_NUMBER: '0700 000 088', MAX_TRANSFERS_A_DAY: '3' })
    const { phone, account } = await newCaller()
    await pay(deployment, phone, 'paid')
    const tooMuch = `2*${recipient}*3`
    const screen = await dial(deployment, { phone, sessionId: 'refused', text: tooMuch })
    await deployment.allDone()
    const held = await deployment.operate(operatorsAccount, ['hold'], { input: phone })
    expect(held.output).toMatch(
      /^The account is held since 2\S+: it begins no payment, loan or cash-out\. .*The role money releases it\.\n$/,
    )
    const heldScreen = await pay(deployment, phone, 'held')
    expect(heldScreen).toBe('END Your account is held. Nothing was sent. Call 0700 000 088.')
    expect((await deployment.act('deposit', { phone })).deposit).toEqual({ kind: 'held' })

    const found = await deployment.act('lookup', { phone })
    expect(found.refusals).toMatchObject([
      { reason: 'held', screen: heldScreen.slice(4) },
      { reason: 'balance_too_low', screen: screen.slice(4) },
    ])
    const pin = { isChosen: false, isBlocked: false }
    expect(found).toMatchObject({ account, open: 0, pin, owedWei: '0' })
    expect(found.balanceWei).toBe(`${parseEther('0.75')}`)
    expect(found.payments).toMatchObject([{ account, kind: 'transfer' }])
    expect(found.heldAt).not.toBeNull()
    const error = 'this is not a phone number, such as +254700000001'
    expect(await deployment.refused('lookup', { phone: '12' })).toEqual({ status: 400, error })
    const today = { transfers: 1, mostTransfers: 3, sentWei: `${parseEther('0.25')}` }
    expect(found.today).toEqual({ ...today, mostSentWei: null })
    const why = await deployment.operate(ops, ['why'], { input: phone })
    expect(why.output).toContain('In 24 hours: 1 of 3 transfers, 0.25 tRBTC sent.')
    expect(why.output).toContain('refused (balance_too_low): Your balance is too low')

    const session = (sessionId: string) =>
      deployment.act('session', { phone, gateway: 'africas-talking', sessionId })
    expect(await session('refused')).toMatchObject({ state: 'refused', reason: 'balance_too_low' })
    const paid = await session('paid')
    await session('paid')
    // The audit has one entry an hour of an account; the hour may just have ended.
    const shown = (await deployment.audit()).filter(({ action }) => action === 'session')
    expect(shown.filter(({ detail }) => detail.account === account).length).toBeLessThan(3)
    expect(paid.state).toBe('accepted')
    const payment = await deployment.payment(paid.intent ?? '')
    expect(payment).toMatchObject({ account, state: 'confirmed', screen: paid.screen })
    expect(payment.batch).toEqual([paid.intent])
    expect((await deployment.refused('session', { phone })).status).toBe(400)

    const { lately } = await deployment.status()
    expect(lately.today.counts).toMatchObject({ 'refused.held': 1 })
    const released = await deployment.operate(operatorsAccount, ['release'], { input: phone })
    expect(released.output).toBe('The account is not held: it pays again.\n')
    expect(await pay(deployment, phone, 'later')).toContain('END Transfer Submitted')
    const entries = await deployment.audit()
    const actions = entries.map(({ action }) => action)
    expect(actions).toEqual(expect.arrayContaining(['hold', 'release', 'session']))
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'lookup', detail: { account } }),
    )
  })

  test('keeps a loan book by the events of the chain: who owes, and who has repaid', async () => {
    const database = newDatabase()
    const deployment = open({}, database)
    const [{ phone, account }, other] = [await newCaller('0'), await newCaller('0')]
    for (const borrower of [phone, other.phone]) {
      const asked = { phone: borrower, sessionId: 'loan', text: '3' }
      expect(await dial(deployment, asked)).toContain('END Loan Requested')
    }
    await deployment.allDone()
    await chain.anvil.ask('anvil_mine', ['0x20'])
    const ask = (query = '') => deployment.operator.ask(`/operator/loans${query}`, loansAnswer)
    const book = await ask()
    const lentWei = `${parseEther('0.01')}`
    const owes = { borrower: account, state: 'owed', lentWei, owedWei: lentWei, repaidWei: '0' }
    expect(book.loans.find(({ borrower }) => borrower === account)).toMatchObject(owes)
    expect(book).toMatchObject({ isWhole: true, currency: 'tRBTC' })
    expect(book.ages[0]).toMatchObject({ name: 'not_due', loans: book.loans.length })
    const { issuedAt = '', dueAt = '' } = book.loans[0] ?? {}
    expect(Date.parse(dueAt)).toBeGreaterThan(Date.parse(issuedAt))

    await dial(deployment, { phone, sessionId: 'repay', text: '4*1' })
    await deployment.allDone()
    const { payments } = await deployment.payments(`?account=${account}&kind=repayment`)
    const { spendsWei, creditedWei } = await deployment.payment(payments[0]?.intent)
    expect({ spendsWei, creditedWei }).toEqual({ spendsWei: '0', creditedWei: lentWei })
    await chain.anvil.ask('anvil_mine', ['0x20'])
    const dayMs = 86_400_000
    deployment.pass(Date.parse(dueAt) - Date.now() + 3 * dayMs)
    const repaid = (await ask('?state=repaid')).loans
    expect(repaid).toMatchObject([{ borrower: account, owedWei: '0', repaidWei: lentWei }])
    const late = await ask()
    expect(late.loans.map(({ overdueDays }) => overdueDays)).not.toContain(0)
    expect(late.ages[1]?.loans).toBe(late.loans.length)
    const PIN_SECRET = `0x${'5'.repeat(64)}`
    const lender = { PROFILE: 'lender', PIN_SECRET, TIME_ZONE: 'Africa/Nairobi' }
    const inZone = open(lender, database)
    const { body } = await inZone.ask('/operator/loans.csv', { headers: authorized })
    const columns =
      'borrower,state,issued_at,due_at,overdue_days,lent,owed,repaid,earlier_loans,currency'
    expect(`${body}`.split('\r\n')[0]).toBe(columns)
    const inNairobi = (at = '') =>
      new Date(Date.parse(at) + 10_800_000).toISOString().slice(0, 19).replace('T', ' ')
    const times = [repaid[0]?.issuedAt, repaid[0]?.dueAt].map(inNairobi)
    expect(`${body}`).toContain(`\r\n${account},repaid,${times},0,0.01,0,0.01,0,tRBTC\r\n`)
    const shown = await deployment.operate(ops, ['loans'])
    expect(shown.output).toContain(`${other.account}  owed  since 2`)
    // What was read is not read again.
    const before = deployment.asked.length
    await ask()
    expect(deployment.asked.length - before).toBeLessThanOrEqual(2)
  })

  test('unblocks a PIN and keeps a forgotten one, for a number that nothing keeps', async () => {
    const PIN_SECRET = `0x${'5'.repeat(64)}`
    const deployment = open({ PROFILE: 'lender', PIN: 'strict', PIN_SECRET })
    const { phone, account } = await newCaller()
    let sessions = 0
    const shown = (text: string) => {
      if (text !== '') sessions += 1
      return dial(deployment, { phone, sessionId: `pin ${Math.max(1, sessions)}`, text })
    }
    const changePin = (action: string) => deployment.act('pin', { phone, action })
    const dayMs = 24 * 60 * 60 * 1_000
    const usual = { account, isChosen: true, isBlocked: false, isDormant: false }
    expect(await changePin('unblock')).toMatchObject({ ...usual, isChosen: false })
    await shown('')
    expect(await shown('1*482615*482615')).toMatch(/^CON Your PIN is set\./)
    for (const pin of ['739164', '739165', '739166']) await shown(`1*${pin}`)
    expect(await shown('1*482615')).toMatch(/^END 3 wrong PINs/)
    expect(await changePin('keep-pin')).toMatchObject({ ...usual, isBlocked: true })
    expect(await changePin('unblock')).toMatchObject({ ...usual, replaceableAt: null })
    expect(await shown('1*482615')).toBe('END Your Balance: 1 tRBTC')
    expect(await shown('8*3*1')).toMatch(/^END You can choose a new PIN from /)
    expect((await changePin('unblock')).replaceableAt).toMatch(/^20\d\d-/)
    expect((await changePin('keep-pin')).replaceableAt).toBeNull()
    deployment.pass(dayMs)
    expect(await shown('')).toMatch(/^CON Rootstock DeFi/)
    deployment.pass(91 * dayMs)
    expect(await shown('1*482615')).toMatch(/^END This phone was not used for 90 days/)
    const unblocked = await deployment.operate(operatorsAccount, ['unblock'], { input: phone })
    expect(unblocked).toEqual({ code: 0, output: 'The PIN is not blocked.\n' })
    expect(await shown('1*482615')).toBe('END Your Balance: 1 tRBTC')
    expect((await deployment.refused('pin', { phone, action: 'tell' })).status).toBe(400)
    const entries = await deployment.audit()
    expect(entries.map(({ action }) => action).sort()).toEqual([
      ...['keep-pin', 'keep-pin', 'unblock', 'unblock', 'unblock', 'unblock'],
    ])
    for (const { detail } of entries) expect(detail).toEqual({ account })
    const told = JSON.stringify([deployment.events, entries, await deployment.metrics()])
    for (const secret of ['482615', '739164']) expect(told).not.toContain(secret)
  })

  test('outbids a nonce that waits, with the same request and within the highest price, and pays once', async () => {
    const database = newDatabase()
    const deployment = open({}, database)
    const { phone } = await newCaller()
    await deployment.round()
    await chain.anvil.ask('evm_setAutomine', [false])
    expect(await pay(deployment, phone, 'outbid')).toContain('END Transfer Submitted')
    const [waiting] = (await deployment.payments()).payments
    const nonce = waiting?.nonce ?? -1
    const [sent] = (await deployment.payment(waiting?.intent)).transactions
    expect(sent).toMatchObject({ isMined: false, nonce })
    const limited = open({ MAX_GAS_PRICE_WEI: sent?.gasPriceWei ?? '' }, database)
    expect(await limited.refused('outbid', { nonce })).toMatchObject({ status: 409 })
    for (const bad of [{}, { nonce: -1 }, { nonce: 1.5 }, undefined]) {
      expect((await deployment.refused('outbid', bad)).status).toBe(400)
    }
    const { output } = await deployment.operate(ops, ['outbid', `${nonce}`, '--json'])
    const answer = JSON.parse(output)
    const told = await deployment.payment(waiting?.intent)
    expect(told.transactions.map(({ hash }) => hash)).toEqual([answer.hash, answer.over])
    const [dear, cheap] = told.transactions.map(({ gasPriceWei }) => BigInt(gasPriceWei))
    expect(Number(dear) / Number(cheap)).toBeGreaterThanOrEqual(1.4)

    await chain.anvil.ask('evm_mine')
    await chain.anvil.ask('evm_setAutomine', [true])
    await until(async () => {
      await deployment.round()
      const [payment] = (await deployment.payments()).payments
      return payment?.state === 'confirmed' && payment.hash === answer.hash
    })
    const found = await deployment.act('lookup', { phone })
    expect(found.balanceWei).toBe(`${parseEther('0.75')}`)
    expect((await deployment.refused('outbid', { nonce })).status).toBe(404)
  })

  test("accepts a price once there is one of the feed's, in the audit", async () => {
    const deployment = open()
    expect((await deployment.refused('rate', { price: '7' })).status).toBe(404)
    const offered = { currency: 'KES', micros: 1n, maxChangePercent: 25, isAgreed: false }
    await deployment.ledger.judgeRate(offered)
    for (const price of ['', '0x7', '-7', '7e3', '1234567890123'])
      expect((await deployment.refused('rate', { price })).status).toBe(400)
    const { output } = await deployment.operate(ops, ['rate', '7.50'])
    expect(output).toMatch(/^Changes are counted from KES 7\.5 now\./)
    const detail = { currency: 'KES', micros: '7500000' }
    expect(await deployment.audit()).toMatchObject([{ action: 'rate', detail }])
  })
})

/** Returns an unused address. */
const newWallet = () => privateKeyToAccount(generatePrivateKey()).address

const newKey = () => `${Math.floor(Date.now() / 1_000)}-${randomBytes(16).toString('hex')}`

const balanceAt = async (address: string) =>
  BigInt((await chain.anvil.ask('eth_getBalance', [address, 'latest'])) as string)

describe('money out of an account', () => {
  test('goes to an address outside, once for its key, in part or all of it, and no number is kept', async () => {
    const deployment = open()
    const { phone, account } = await newCaller('0.423')
    const to = newWallet()
    const asked = { phone, to, amount: '0.3', key: newKey() }
    const answers = await Promise.all([1, 2, 3].map(() => deployment.act('cash-out', asked)))
    const [{ payment } = { payment: undefined }] = answers
    expect(payment).toMatchObject({ account, kind: 'cashOut', spendsWei: `${parseEther('0.3')}` })
    expect(new Set(answers.map((one) => one.payment.intent)).size).toBe(1)
    await deployment.allDone()
    await until(async () => {
      await deployment.round()
      const again = await deployment.act('cash-out', asked)
      return again.payment.state === 'confirmed'
    })
    expect(await balanceAt(to)).toBe(parseEther('0.3'))

    const other = { ...asked, amount: '0.2' }
    const used = 'the key was used for another cash-out, which may have paid'
    expect(await deployment.refused('cash-out', other)).toEqual({ status: 409, error: used })
    const found = await deployment.act('lookup', { phone })
    expect(found.balanceWei).toBe(`${parseEther('0.123')}`)
    expect(found.payments).toHaveLength(1)
    const all = () => ({ ...asked, amount: 'all', key: newKey() })
    await deployment.act('cash-out', all())
    await deployment.allDone()
    expect(await balanceAt(to)).toBe(parseEther('0.423'))
    const empty = 'Your balance is 0. Nothing was sent. Dial again for the menu.'
    expect(await deployment.refused('cash-out', all())).toEqual({ status: 409, error: empty })
    const entries = await deployment.audit()
    const done = entries.filter(({ action }) => action === 'cash-out')
    expect(done.map(({ detail }) => detail.amount)).toEqual(['all', 'all', '0.2', '0.3'])
    expect(done.at(-1)?.detail).toMatchObject({ account, to: to.toLowerCase() })
    expect(deployment.events).toContainEqual(
      expect.objectContaining({ message: `Cash-out confirmed: ${payment?.hash}` }),
    )
  })

  test('is refused in words above the balance, above the limit of the day and under pause', async () => {
    const deployment = open()
    const { phone } = await newCaller('3')
    const to = newWallet()
    const refused = async (amount: string, key = newKey()) => {
      const { status, error } = await deployment.refused('cash-out', { phone, to, amount, key })
      return `${status} ${error}`
    }
    expect(await refused('4')).toBe(
      '409 Your balance is too low: 3 tRBTC. Nothing was sent. Dial again to send less.',
    )
    await callAsOwner(chain, 'setWithdrawalLimit', { args: [parseEther('1')] })
    await chain.anvil.ask('evm_mine')
    const key = newKey()
    expect(await refused('2', key)).toMatch(
      /^409 Only 0\.\d+ tRBTC can be cashed out at the moment\. Nothing was sent\. Dial again for less\.$/,
    )
    // What was refused stays so, whatever the key is used for afterwards.
    expect(await refused('0.1', key)).toBe(
      '409 the key was used for another cash-out, which was refused',
    )
    await callAsOwner(chain, 'pause')
    await chain.anvil.ask('evm_mine')
    expect(await refused('0.1')).toBe(
      '409 Loans and cash-outs are paused. You can still send money and repay. Nothing was sent. Please try again later.',
    )
    await callAsOwner(chain, 'unpause')
    await chain.anvil.ask('evm_mine')
    await deployment.act('pause')
    expect(await refused('0.1')).toBe(
      '409 Payments are paused. Nothing was sent. Please try again later.',
    )
    expect(await balanceAt(to)).toBe(0n)
    expect((await deployment.payments()).payments).toEqual([])
  })

  test('is not requested if the order itself is wrong', async () => {
    const deployment = open()
    const { phone, account } = await newCaller()
    const good = { phone, to: newWallet(), amount: '0.1', key: newKey() }
    const nobody = `0x${'00'.repeat(20)}`
    const wrong = [
      ...[account, chain.loan, chain.forwarder, nobody, good.to.slice(0, -1)].map((to) => ({ to })),
      ...[{ amount: '0' }, { amount: '-1' }, { phone: '12' }, { key: 'short' }],
      { key: newKey().replace(/^\d+/, '1700000000'), isOld: true },
    ]
    for (const { isOld, ...change } of wrong as (Partial<typeof good> & { isOld?: true })[]) {
      const answer = await deployment.refused('cash-out', { ...good, ...change })
      expect([change, answer.status]).toEqual([change, isOld ? 409 : 400])
      expect(answer.error).not.toContain(phone.slice(1))
    }
    expect(await deployment.audit()).toEqual([])
  })

  test('has a command that reads the number and repeats with the same key', async () => {
    const deployment = open()
    const { phone } = await newCaller()
    const to = newWallet()
    const args = ['cash-out', to, '0.2']
    const run = (more: string[], input: string, lost = 0) =>
      deployment.operate(operatorsAccount, more, { input, lost })
    // The first answer is lost on its way, after the money has moved.
    const first = await run(args, phone, 1)
    expect(first).toEqual({ code: 0, output: expect.any(String) })
    expect(first.output).toMatch(/^Key of this cash-out: \d{10}-[\w-]{16,}$/m)
    expect(first.output).toMatch(/^The cash-out of .+$/m)
    expect(first.output).not.toContain(phone.slice(1))
    await deployment.allDone()
    expect(await balanceAt(to)).toBe(parseEther('0.2'))

    const key = /^Key of this cash-out: (.+)$/m.exec(first.output)?.[1] ?? ''
    const again = await run([...args, '--key', key, '--json'], phone)
    expect(again.output).toContain('"kind":"cashOut"')
    await deployment.allDone()
    expect(await balanceAt(to)).toBe(parseEther('0.2'))
    const typed = await run(['cash-out', phone, '0.2', to], '')
    expect([typed.code, typed.output.includes(phone)]).toEqual([1, false])
  })
})

test("a number's wallets are added and taken away by commands, or added by a code that is dialled", async () => {
  const deployment = open({ PROFILE: 'lender', PIN: 'off' })
  const { phone, account } = await newCaller()
  const [till, safe] = [newWallet(), newWallet()]
  const run = (args: string[], input = phone) =>
    deployment.operate(operatorsAccount, args, { input })
  const shown = (name: string, address: Address) => `${name}  ${checksumAddress(address, 31)}\n`
  expect((await run(['wallets'])).output).toBe('No wallet has a name here.\n')
  const added = await run(['add-wallet', 'Till', till])
  expect(added).toEqual({ code: 0, output: shown('Till', till) })
  const issued = await run(['wallet', 'Safe', safe], '')
  expect(issued.output).toMatch(/^\d{8}: good for one number, for an hour\.\n$/)
  const code = issued.output.slice(0, 8)
  const redeem = { phone, sessionId: 'code', text: `7*${code}*1` }
  expect(await dial(deployment, redeem)).toMatch(/^END Wallet Safe is saved\./)
  const out = { phone, sessionId: 'out', text: '7' }
  expect(await dial(deployment, out)).toMatch(/^CON 1\. Till\n2\. Safe\n/)
  const paid = await dial(deployment, { ...out, text: '7*2*0.025*1' })
  expect(paid).toMatch(/^END Cash Out Submitted\nTo: Safe\n/)
  await deployment.allDone()
  expect(await balanceAt(safe)).toBe(parseEther('0.025'))
  expect((await run(['wallets'])).output).toBe(shown('Till', till) + shown('Safe', safe))
  expect((await run(['remove-wallet', 'Till'])).output).toBe(shown('Safe', safe))

  for (const [name, address] of [
    ['Mine', account],
    ['Loan', chain.loan],
    ['Nobody', `0x${'00'.repeat(20)}`],
    ['2 short', safe],
    ['Too long for it', safe],
  ])
    expect((await deployment.refused('wallet', { phone, name, address })).status).toBe(400)
  for (const name of ['Second', 'Third']) await run(['add-wallet', name, newWallet()])
  const fourth = { phone, name: 'Fourth', address: newWallet() }
  const error = 'an account has at most 3 wallets: remove one first'
  expect(await deployment.refused('wallet', fourth)).toEqual({ status: 409, error })
  const kept = await deployment.audit()
  expect(kept.map(({ action }) => action).reverse()).toEqual([
    ...['add-wallet', 'wallet-code', 'redeem-wallet', 'remove-wallet'],
    ...['add-wallet', 'add-wallet', 'add-wallet'],
  ])
  expect(kept.at(-1)?.detail).toEqual({ account, wallet: till.toLowerCase() })
})

test('agents get tills by commands, and numbers of their own', async () => {
  const deployment = open()
  const { phone, account } = await newCaller('0')
  const run = (args: string[], input = phone) =>
    deployment.operate(ops, ['agents', ...args], { input })
  expect((await run([])).output).toBe('Nobody has a till.\n')
  // The first answer is lost on its way.
  const given = { input: phone, lost: 1 }
  const added = await deployment.operate(ops, ['agents', 'add', 'Mama Duka'], given)
  expect(added.output).toMatch(new RegExp(`^\\d{5}   agent  Mama Duka  ${account}\n$`))
  const bill = await run(['add', 'Water', '--bill'])
  expect(bill.output).toMatch(/^\d{5} {3}bill {3}Water /)
  expect((await run(['list'])).output).toBe(added.output + bill.output)
  const till = added.output.slice(0, 5)
  expect((await run(['remove', till])).output).toBe(`${till} has no account now.\n`)
  expect((await run(['remove', till])).code).toBe(1)
  expect((await run(['list'])).output).toBe(bill.output)
  const entries = await deployment.audit()
  const actions = entries.map(({ action }) => action)
  expect(actions).toEqual(['remove-agent', 'add-agent', 'add-agent'])
  for (const { detail } of entries) expect(detail.account).toBe(account)
  const bad = { phone, name: '1', kind: 'agent' }
  expect((await deployment.refused('agents/add', bad)).status).toBe(400)
})

describe('money into an account', () => {
  const give = async (to: string, amount: string) => {
    const [from] = (await chain.anvil.ask('eth_accounts')) as string[]
    const value = `0x${parseEther(amount).toString(16)}`
    await chain.anvil.ask('eth_sendTransaction', [{ from, to, value }])
    // The node answers before it mines.
    await chain.anvil.ask('evm_mine')
  }

  test("is deposited by the account's own key, once, however often it is requested", async () => {
    const deployment = open()
    const { phone, account } = await newCaller('0')
    const ask = async () => (await deployment.act('deposit', { phone })).deposit
    expect(await ask()).toMatchObject({ kind: 'too_little', thereWei: '0', last: null })
    await give(account, '0.5')
    await chain.anvil.ask('evm_setAutomine', [false])
    const answers = await Promise.all([ask(), ask(), ask()])
    const sent = answers.flatMap((answer) => (answer.kind === 'sent' ? [answer] : []))
    // The same bytes, or none.
    expect(new Set(sent.map(({ hash }) => hash)).size).toBe(1)
    expect(await ask()).toEqual({ kind: 'under_way' })
    await chain.anvil.ask('evm_mine')
    await chain.anvil.ask('evm_setAutomine', [true])
    const found = await deployment.act('lookup', { phone })
    expect(found.balanceWei).toBe(sent[0]?.amountWei)
    const left = await balanceAt(account)
    const gas = parseEther('0.5') - BigInt(sent[0]?.amountWei ?? 0) - left
    expect([gas > 0n, gas < parseEther('0.001')]).toEqual([true, true])
    expect(await ask()).toMatchObject({
      ...{ kind: 'too_little', thereWei: `${left}` },
      last: { amountWei: sent[0]?.amountWei, hash: sent[0]?.hash },
    })
    // What comes later is another deposit.
    await give(account, '0.1')
    expect((await ask()).kind).toBe('sent')
    const kept = (await deployment.audit()).at(-1)
    expect(kept).toMatchObject({ action: 'deposit', detail: { account } })
  })

  test('does not move above the highest price, while paused, or without a contract', async () => {
    const { phone, account } = await newCaller('0')
    await give(account, '0.5')
    const ask = async (deployment: Operated) =>
      (await deployment.act('deposit', { phone })).deposit.kind
    expect(await ask(open({ MAX_GAS_PRICE_WEI: '1' }))).toBe('price_too_high')
    const paused = open()
    await paused.act('pause')
    expect(await ask(paused)).toBe('paused')
    const elsewhere = open({ LOAN_ADDRESS: newWallet() })
    expect((await elsewhere.refused('deposit', { phone })).status).toBe(503)
    expect((await open().refused('deposit', { phone: '12' })).status).toBe(400)
    expect(await balanceAt(account)).toBe(parseEther('0.5'))
  })

  test('has a command, and so does its address', async () => {
    const deployment = open()
    const { phone, account } = await newCaller('0')
    const ask = (what: string) => deployment.operate(operatorsAccount, [what], { input: phone })
    const address = checksumAddress(account as Address, 31)
    expect(await ask('address')).toEqual({ code: 0, output: `${address}\n` })
    const nothing = `Nothing is at ${address}. Nothing was sent.\n`
    expect(await ask('deposit')).toEqual({ code: 1, output: nothing })
    await give(account, '0.5')
    const sent = await ask('deposit')
    expect(sent.output).toMatch(/^0\.49\d* tRBTC are on their way into the balance: https:/)
    const again = await ask('deposit')
    expect(again.output).toMatch(/^The last deposit of this account: 0\.49\d* tRBTC in block \d+/)
    expect([sent.code, again.code]).toEqual([0, 0])
    expect([sent, again].some(({ output }) => output.includes(phone.slice(1)))).toBe(false)
  })
})

test('watch repeats the status, even while the service does not answer', async () => {
  const deployment = open()
  await deployment.round()
  const server = await serveApp(deployment)
  const operator = createOperatorClient({ origin: server.url, token, nodeUrl: undefined })
  expect(await writeStatus(operator, false)).toMatch(
    /^http:.+ at 2\d{3}-.+\nPayments are taken\.\n[\s\S]+\n$/,
  )
  expect(statusAnswer.parse(JSON.parse(await writeStatus(operator, true))).chainId).toBe(31)
  const script = new URL('../../../scripts/ops.ts', import.meta.url).pathname
  const args = [script, 'watch', '--json', '--every', '1', '--url', server.url]
  const child = spawn(process.execPath, args, { env: { ...process.env, OPERATOR_TOKEN: token } })
  let told = ''
  child.stdout.on('data', (text) => {
    told += text
  })
  const lines = () => told.split('\n').slice(0, -1)
  await until(() => lines().length > 0)
  await server.close()
  const nothing = JSON.stringify({ error: `Nothing answers at ${server.url}.` })
  await until(() => lines().at(-1) === nothing)
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(statusAnswer.parse(JSON.parse(lines()[0] ?? '')).intake).toEqual({ state: 'open' })
  expect(await writeStatus(operator, false)).toBe(`Nothing answers at ${server.url}.\n`)
})

test("the local stack's dial and fund commands work on any deployment", async () => {
  const secret = 'the-callback-secret-of-this-test'
  const deployment = open({ CALLBACK_SECRET: secret })
  const { phone, account } = await newCaller('0')
  const on = (command: Command, args: string[], env: Record<string, string>) =>
    deployment.operate(command, args, { input: phone, env })
  const given = await on(ops, ['fund', '0.25'], { NODE_URL: chain.anvil.url })
  const gave = `Gave ${account} 0.25 tRBTC with depositFor.\nIts balance is 0.25 tRBTC now.\n`
  expect(given).toEqual({ code: 0, output: gave })
  const shown = await on(dialCommand, ['--text', '1'], { CALLBACK_SECRET: secret })
  expect(shown).toEqual({ code: 0, output: 'END Your Balance: 0.25 tRBTC\n' })
  const stranger = await on(dialCommand, ['--text', '1'], { CALLBACK_SECRET: 'another' })
  const words = /^http:\S+ has another CALLBACK_SECRET than you, or is no relay\.\n$/
  expect(stranger).toEqual({ code: 1, output: expect.stringMatching(words) })
  // A number on a command line stays in the shell's history.
  const typed = await on(dialCommand, ['--phone', phone], { CALLBACK_SECRET: secret })
  expect([typed.code, typed.output.includes(phone)]).toEqual([1, false])
})

describe('money for gas and for loans', () => {
  test('tops relayers up once, however often it is requested', async () => {
    const deployment = open()
    await deployment.round()
    const env = { NODE_URL: chain.anvil.url }
    const relayers = (...args: string[]) => deployment.operate(relayersCommand, args, { env })
    const enough = "enough for \\d+ payments at today's price, \\d+ at worst; nonce"
    expect((await relayers()).output).toMatch(
      new RegExp(`^Relayer ${chain.relayer} has 99\\.\\d+ tRBTC, ${enough}`),
    )
    const given = await relayers('top-up', '100.5')
    const has = `Relayer ${chain.relayer} has 100.5 tRBTC for gas.\n`
    expect(given.output).toMatch(/^Gave [01]\.\d+ tRBTC to 0x\w{40} in 0x\w{64}\.\n/)
    expect(given.output).toContain(has)
    expect(await relayers('top-up', '100.5')).toEqual({ code: 0, output: has })
    expect(await relayers('top-up', '100', '--json')).toEqual({ code: 0, output: '{"gifts":[]}\n' })
    for (const wrong of [['top-up'], ['top-up', '0'], ['status', '1'], ['away']]) {
      expect((await relayers(...wrong)).code).toBe(1)
    }
    expect(await balanceAt(chain.relayer)).toBe(parseEther('100.5'))
    const limit = { env: { ...env, MAX_GAS_PRICE_WEI: '1' } }
    const dear = await deployment.operate(relayersCommand, ['top-up', '101'], limit)
    expect(dear.output).toMatch(
      /^Nothing was sent: the node asks \d+ wei for a unit of gas, and MAX_GAS_PRICE_WEI is 1\.\n$/,
    )
    expect(await balanceAt(chain.relayer)).toBe(parseEther('100.5'))
  })

  test('stops loans and cash-outs only for the owner, and names what continues', async () => {
    const deployment = open()
    await deployment.round()
    const { phone } = await newCaller('0')
    const pool = (args: string[], more = {}) =>
      deployment.operate(poolCommand, args, { env: { NODE_URL: chain.anvil.url, ...more } })
    const foreign = await pool(['pause'], { DEPLOYER_KEY: generatePrivateKey() })
    expect(foreign.output).toMatch(/^Only 0x\w{40} may pause it, and the key is 0x\w{40}'s\.\n$/)
    expect((await pool(['pause'])).output).toMatch(
      /^Paused in 0x\w{64}: loans and cash-outs are refused, transfers, repayments and deposits go on\.\n$/,
    )
    const asked = { phone, sessionId: 'of a pause', text: '3' }
    expect(await dial(deployment, asked)).toBe(
      'END Loans and cash-outs are paused. You can still send money and repay. Nothing was sent. Please try again later.',
    )
    await deployment.round()
    expect((await pool(['status'])).output).toMatch(/ transfers, repayments and deposits go on; /)
    const again = { code: 0, output: 'It is paused already. Nothing was sent.\n' }
    expect(await pool(['pause'])).toEqual(again)
    expect((await pool(['unpause'])).output).toMatch(/^The pause is over, by 0x\w{64}\.\n$/)
  })

  test('funds the pool from a keystore, and takes back for its owner alone', async () => {
    const deployment = open()
    await deployment.round()
    const pool = (args: string[], more = {}) =>
      deployment.operate(poolCommand, args, { env: { NODE_URL: chain.anvil.url, ...more } })
    const [, free = ''] = /^Pool: (\S+) tRBTC free, /.exec((await pool(['status'])).output) ?? []
    const more = formatEther(parseEther(free) + parseEther('0.5'))
    const key = generatePrivateKey()
    const { address } = privateKeyToAccount(key)
    await chain.anvil.ask('anvil_setBalance', [address, '0xde0b6b3a7640000'])
    const keystore = join(folder, 'key.json')
    const words = { address, privateKey: key }
    writeFileSync(keystore, encryptKeystoreJsonSync(words, 'a password', { scrypt: { N: 16 } }))
    const stored = ['fund', '0.5', '--keystore', keystore]
    const wrong = await pool(stored, { KEYSTORE_PASSWORD: 'another' })
    expect(wrong.output).toMatch(/is not a keystore, or its password is another one\.\n$/)
    const funded = await pool(stored, { KEYSTORE_PASSWORD: 'a password' })
    expect(funded.output).toMatch(/^Gave 0\.5 tRBTC to the pool in 0x\w{64}\.\n/)
    expect(funded.output).toContain(`\nThe pool has ${more} tRBTC free now.\n`)
    const foreign = await pool(['defund', 'all'], { DEPLOYER_KEY: key })
    expect(foreign.output).toMatch(/^The pool belongs to 0x\w{40}, and the key is 0x\w{40}'s\.\n$/)
    expect([foreign.code, foreign.output.includes(key.slice(2))]).toEqual([1, false])
    const output = `The pool has ${more} tRBTC free. Nothing was sent.\n`
    expect(await pool(['defund', '11'])).toEqual({ code: 1, output })
    const taken = await pool(['defund', '0.5', '--json'])
    expect(JSON.parse(taken.output)).toMatchObject({ freeWei: `${parseEther(free)}` })
  })
})
