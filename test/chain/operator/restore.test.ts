import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, http, parseEther } from 'viem'
import { afterAll, beforeAll, describe, type ExpectStatic, expect, test } from 'vitest'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { restoreFile, writeExport } from '../../../scripts/ops/ledger-file.ts'
import {
  createOperator,
  type OperatorClient,
  Unanswered,
} from '../../../scripts/ops/operator-client.ts'
import { reconcile } from '../../../scripts/ops/reconcile/reconcile-deployment.ts'
import { paymentsAnswer } from '../../../src/operator/schemas/payments.ts'
import { isOpen } from '../../../src/relay/ledger/port.ts'
import { opened } from '../../support/opened.ts'
import {
  authorized,
  type Dialled,
  dial,
  give,
  type Operated,
  openOperated,
  token,
} from './operating.ts'

const recipient = '0x00000000000000000000000010000000000b0b0b'
const folder = mkdtempSync(join(tmpdir(), 'restore-'))

afterAll(() => rmSync(folder, { recursive: true }))

/** The operator, with one payment on no page. */
const withoutPayment = (operator: OperatorClient, intent: string | undefined) =>
  createOperator(async (path, schema, sent) => {
    const answer = await operator.ask(path, schema, sent)
    if (!path.startsWith('/operator/payments?archived')) return answer
    const page = paymentsAnswer.parse(answer)
    return { ...page, payments: page.payments.filter((one) => one.intent !== intent) } as never
  }, operator)

/** Loses the first answer of a path, after the action is done. */
function losingOneAnswer(operator: OperatorClient, lost: string): OperatorClient {
  let isLost = false
  return createOperator(async (path, schema, sent) => {
    const answer = await operator.ask(path, schema, sent)
    if (isLost || path !== lost) return answer
    isLost = true
    throw new Unanswered('Nothing answers.')
  }, operator)
}

const phones = Array.from({ length: 13 }, (_, index) => `+2547000000${10 + index}`)
const chain = opened(() => startChain())

/** Callers with money, on a chain that makes blocks only when it is told to. */
beforeAll(async () => {
  for (const phone of phones) await give(chain, phone)
  await chain.anvil.ask('evm_setAutomine', [false])
})

const changes = {
  // As many in the pool as on Rootstock: most of them wait in the ledger.
  POOL_RULES: 'rootstock',
  BLOCK_SECONDS: '0.2',
  CONFIRMATIONS: '2',
  MAX_GAS_PRICE_WEI: `${10n ** 11n}`,
}
const open = () => openOperated(chain, changes)

const readReceived = (): Promise<bigint> =>
  loanAt(createPublicClient({ transport: http(chain.anvil.url) }), chain.loan).getBalance([
    recipient,
  ])

async function blockAndRound(deployment: Operated): Promise<void> {
  await chain.anvil.ask('evm_mine')
  // Longer than a payment's own request waits to ask for its receipt, which it does by the real
  // clock.
  deployment.pass(30_000)
  await deployment.round()
}

/** Blocks and rounds until nothing is open. */
async function finishPayments(deployment: Operated): Promise<void> {
  await until(async () => {
    await blockAndRound(deployment)
    return !isOpen(await deployment.ledger.readWork())
  })
}

describe('a restore', () => {
  test('in the middle of 50 open payments changes none of their outcomes', async () => {
    const file = join(folder, 'ledger.jsonl')
    const lost = open()
    const text = `2*${recipient}*0.01`
    const sessions = phones.flatMap((phone) =>
      ['a', 'b', 'c', 'd'].map(
        (name): Dialled => ({ phone, sessionId: `${phone.slice(-2)}${name}`, text }),
      ),
    )
    const [before, after] = [sessions.slice(0, 50), sessions.slice(50)]
    const told = new Map<Dialled, string>()
    for (const one of before) told.set(one, await dial(lost, one))
    const queued = [...told.values()].filter((screen) => screen.includes('Tx: queued'))
    expect(queued.length).toBeGreaterThan(25)
    await blockAndRound(lost)
    const { entries } = await writeExport(lost.operator, file)
    expect(entries).toBeGreaterThanOrEqual(50)
    expectNothingSecret(expect, readFileSync(file, 'utf8'))

    // What the export does not know: a block of all that waited, and two payments more, one in a
    // block.
    await blockAndRound(lost)
    const executed = async () => (await readReceived()) / parseEther('0.01')
    expect(await executed()).toBe(50n)
    for (const one of after) {
      await chain.anvil.ask('evm_mine')
      told.set(one, await dial(lost, one))
    }
    expect(await executed()).toBe(51n)

    const restored = open()
    const ours = restored.operator
    const answer = await restoreFile(ours, file, { adds: false })
    expect(answer).toMatchObject({ added: entries, kept: 0 })
    // It was there a moment ago: the ledger has it, and nothing is added twice.
    const unlucky = losingOneAnswer(ours, '/operator/restore/entries')
    expect(await restoreFile(unlucky, file, { adds: true })).toMatchObject({ added: 0 })
    await expect(restoreFile(ours, file, { adds: false })).rejects.toThrow(
      'the ledger has payments that are open: say that the export is to be added to it',
    )
    expect((await restored.status()).intake.state).toBe('open')
    await finishPayments(restored)
    for (const [one, screen] of told) {
      const again = await dial(restored, one)
      // What the export did not have is found by its intent: with the hash that carried it.
      if (before.includes(one)) expect(again).toBe(screen)
      else expect(again).toContain('END Transfer Submitted')
    }
    await finishPayments(restored)
    // On a busy machine a dial may be refused, which moves nothing and is told so again.
    const accepted = [...told.values()].filter((screen) => screen.includes('Transfer Submitted'))
    expect(await readReceived()).toBe(parseEther('0.01') * BigInt(accepted.length))
    const { payments } = await restored.ledger.readPage({ limit: 200 })
    expect(new Set(payments.map(({ state }) => state))).toEqual(new Set(['confirmed']))
    expect(payments).toHaveLength(accepted.length)
    const found = await reconcile(ours, { fromBlock: 0, eachAccount: true })
    expect(found.differences).toEqual([])
    // One that moves on while pages are read is on none of them.
    const moving = withoutPayment(ours, payments.at(0)?.intentId)
    const besides = await reconcile(moving, { fromBlock: 0, eachAccount: true })
    expect(besides).toEqual(found)
  })

  test('accepts no torn file and none of another deployment', async () => {
    const deployment = open()
    const ours = deployment.operator
    await dial(deployment, { phone: `${phones[0]}`, sessionId: 'x', text: '1' })
    const file = join(folder, 'torn.jsonl')
    await deployment.ledger.recordAction({ id: 'one', action: 'outbid', detail: {} })
    await writeExport(ours, file)
    const whole = readFileSync(file, 'utf8')
    truncateSync(file, whole.length - 20)
    const restoring = () => expect(restoreFile(ours, file, { adds: true })).rejects
    await restoring().toThrow(/is torn after \d+ entries/)
    const other = whole.replace(/(?<="ACCOUNT_KEY_SECRET":")[0-9a-f]{4}/, '0000')
    writeFileSync(file, other)
    await restoring().toThrow('the export is of another ledger: it differs in ACCOUNT_KEY_SECRET')
    expect((await deployment.status()).intake.state).toBe('open')
    const body = JSON.stringify({ exportedAt: 1, entries: ['x'.repeat(3_000_000)] })
    const init = { method: 'POST', headers: authorized, body }
    expect((await deployment.ask('/operator/restore/entries', init)).status).toBe(413)
  })
})

function expectNothingSecret(expect: ExpectStatic, text: string): void {
  const secrets = ['ACCOUNT_ID_SECRET', 'ACCOUNT_KEY_SECRET', 'RELAYER_MNEMONIC']
  const planted = [...secrets.map((name) => chain.bindings[name] ?? name), token, ...phones]
  for (const one of planted) expect(text).not.toContain(one.replace(/^\+|^0x/, ''))
}
