import { type Address, createPublicClient, http, parseEther } from 'viem'
import { expect, test } from 'vitest'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { ops } from '../../../scripts/ops.ts'
import { encodeCall } from '../../../src/loan/calls.ts'
import { describeFate } from '../../../src/operator/remedies.ts'
import { opened } from '../../support/opened.ts'
import { dial, give, type Operated, openOperated } from './operating.ts'

const chain = opened(() => startChain())
const [agent, caller] = ['+254700000002', '+254700000001']
const pin = '482615'
const confirmations = 3
const settings = {
  ...{ PROFILE: 'lender', PIN: 'on', PIN_SECRET: `0x${'7'.repeat(64)}` },
  ...{ AGENTS: 'on', MAX_AGENT_SENT_A_DAY_WEI: 'none', CONFIRMATIONS: `${confirmations}` },
  FINAL_AFTER: 'confirmations',
}
const paidWei = parseEther('0.02')

async function choosePin(deployment: Operated, phone: string): Promise<void> {
  for (const text of ['', '1', `1*${pin}`, `1*${pin}*${pin}`])
    await dial(deployment, { phone, sessionId: 'pin', text })
}

/**
 * Is a shop with a customer whose money is settled. It opens first, because a ledger that begins
 * with a used key calls nothing final early for a day.
 */
const shop = opened(async () => {
  const limits = { MAX_SENT_A_DAY_WEI: 'none' }
  const deployment = openOperated(chain, { ...settings, ...limits, FINAL_AFTER: 'block' })
  const [till, customer] = ['+254700000011', '+254700000012']
  const account = await give(chain, till)
  await give(chain, customer)
  for (const phone of [till, customer]) await choosePin(deployment, phone)
  const added = await deployment.act('agents/add', { phone: till, name: 'Duka', kind: 'agent' })
  const client = createPublicClient({ transport: http(chain.anvil.url), cacheTime: 0 })
  let dials = 0
  const block = async () => {
    await chain.anvil.ask('anvil_mine', ['0x1'])
    deployment.pass(30_000)
    await deployment.round()
    await deployment.settled()
  }
  for (let index = 0; index < confirmations; index++) await block()
  return {
    deployment,
    customer,
    block,
    readBalance: () => loanAt(client, chain.loan).getBalance([account]),
    /** Returns what the agent is told of a code. */
    async look(code: string) {
      dials += 1
      const session = { phone: till, sessionId: `see ${dials}`, text: `5*1*${code}` }
      return (await dial(deployment, session)).split('\n')[0]?.replace('CON ', '')
    },
    /** Withdraws, and returns the code. */
    async withdraw(amount: string) {
      dials += 1
      const text = `7*${added.till}*${amount}*${pin}`
      const screen = await dial(deployment, { phone: customer, sessionId: `out ${dials}`, text })
      return /\nCode for agent: (\d{6})\n/.exec(screen)?.[1] ?? screen
    },
    close: () => deployment.settled(),
  }
})

test('of settled money a withdrawal is final after one block, whatever becomes of the block', async () => {
  const { deployment, block, look, readBalance } = shop
  const before = await readBalance()
  const code = await shop.withdraw('0.03')
  await deployment.settled()
  expect(await look(code)).toBe(`${code} 0.03 tRBTC: arriving`)
  await block()
  expect(await look(code)).toBe(`${code} 0.03 tRBTC: to pay out`)
  expect(deployment.events.map(({ event }) => event)).toContain('payment.assured')
  await chain.anvil.ask('anvil_reorg', [2, []])
  expect(await readBalance()).toBe(before)
  expect(await look(code)).toBe(`${code} 0.03 tRBTC: to pay out`)
  for (let index = 0; index < 20 && (await readBalance()) === before; index++) await block()
  expect(await readBalance()).toBe(before + parseEther('0.03'))
  expect(await look(code)).toBe(`${code} 0.03 tRBTC: to pay out`)
  const { payments } = await deployment.act('lookup', { phone: shop.customer })
  expect(payments[0]).toMatchObject({ code, assuredAt: expect.any(String) })
})

test('every place says of a payment when it is done, and none before it stays on the chain', async () => {
  const deployment = openOperated(chain, settings)
  const client = createPublicClient({ transport: http(chain.anvil.url) })
  const account = await give(chain, agent)
  await give(chain, caller)
  for (const phone of [agent, caller]) await choosePin(deployment, phone)
  const { till } = await deployment.act('agents/add', { phone: agent, name: 'Duka', kind: 'agent' })
  const text = `7*${till}*0.02*${pin}`
  const withdraw = () => dial(deployment, { phone: caller, sessionId: 'cash', text })
  const shown = await withdraw()
  expect(shown).toContain('END Withdrawal Submitted')
  const [, code = 'none'] = /\nCode for agent: (\d{6})\n/.exec(shown) ?? []
  await deployment.settled()

  /** Returns what came to the agent by the chain, so many blocks below its head. */
  async function came(depth: number) {
    const blockNumber = (await client.getBlockNumber({ cacheTime: 0 })) - BigInt(depth)
    const wei = await loanAt(client, chain.loan).getBalance([account], { blockNumber })
    return wei - parseEther('1')
  }

  let dials = 0
  async function viewScreen() {
    dials += 1
    const screen = await dial(deployment, { phone: agent, sessionId: `look ${dials}`, text: '5' })
    expect(screen).not.toContain(code)
    return screen.split('\n').find((line) => line.startsWith('0.02 tRBTC: '))
  }

  /** Requires the agent's word at each other place, while the chain has the payment. */
  async function expectOneWord(told: string | undefined) {
    const word = (told?.split(': ').at(-1) ?? '').replace('to pay out', 'done')
    const read = async (phone: string, ...texts: string[]) => {
      dials += 1
      const session = { phone, sessionId: `word ${dials}` }
      const screens = texts.map((text) => dial(deployment, { ...session, text }))
      return (await Promise.all(screens)).join('\n')
    }
    const isDone = word === 'done'
    const received = await read(agent, '5', '5*98')
    expect(received).toMatch(
      RegExp(`Received 0\\.02 tRBTC from \\S+: ${word} \\(\\d{3}-\\d{4}, \\d+ \\w+\\)\\n`),
    )
    expect(received).toContain(`\nFloat: ${isDone ? '1.02' : '1'} tRBTC\n`)
    const balance = isDone ? '1.02 tRBTC' : '1 tRBTC\n(arriving: 0.02 tRBTC)'
    expect(await read(agent, '1')).toBe(`END Your Balance: ${balance}`)
    expect(await read(caller, '5')).toMatch(
      RegExp(
        `\\nWithdrew 0\\.02 tRBTC at .+: ${word.replace('done', 'cash not given yet')} \\(\\d{3}-\\d{4}, \\d+ \\w+\\)\\n`,
      ),
    )
    for (const phone of [agent, caller]) {
      const { payments } = await deployment.act('lookup', { phone })
      expect(payments.map((payment) => describeFate(payment))).toMatchObject([
        expect.stringMatching(RegExp(`^(is|was) ${word}\\b`)),
      ])
    }
  }

  async function next(): Promise<string | undefined> {
    await chain.anvil.ask('anvil_mine', ['0x1'])
    deployment.pass(30_000)
    await deployment.round()
    await deployment.settled()
    const told = await viewScreen()
    expect(['0.02 tRBTC: arriving', '0.02 tRBTC: to pay out']).toContain(told)
    const isFinal = told?.endsWith('to pay out') === true
    if (isFinal) expect(await came(confirmations - 1)).toBe(paidWei)
    if ((await came(0)) === paidWei) await expectOneWord(told)
    return told
  }

  expect(await came(0)).toBe(paidWei)
  const first = await viewScreen()
  expect(first).toBe('0.02 tRBTC: arriving')
  await expectOneWord(first)
  expect(await next()).toBe('0.02 tRBTC: arriving')
  await chain.anvil.ask('anvil_reorg', [2, []])
  expect(await came(0)).toBe(0n)
  expect(await viewScreen()).toBe('0.02 tRBTC: arriving')

  let told: string | undefined
  for (let block = 0; block < 20 && !told?.endsWith('to pay out'); block++) told = await next()
  expect(told).toBe('0.02 tRBTC: to pay out')
  expect(await came(0)).toBe(paidWei)
  // Delivered once more it is the same payment, with the same code.
  expect(/\nCode for agent: (\d{6})\n/.exec(await withdraw())?.[1]).toBe(code)
  expect(await next()).toBe('0.02 tRBTC: to pay out')
  expect(await came(0)).toBe(paidWei)
})

test('support finds by what is read out, and shows what an account sent and received', async () => {
  const deployment = openOperated(chain, settings)
  const [from, to] = ['+254700000021', '+254700000022']
  const [sender, receiver] = [await give(chain, from), await give(chain, to)]
  for (const phone of [from, to]) await choosePin(deployment, phone)
  const { till } = await deployment.act('agents/add', { phone: to, name: 'Duka', kind: 'agent' })
  const text = `7*${till}*0.02*${pin}`
  const screen = await dial(deployment, { phone: from, sessionId: 'cash', text })
  const [, code = '', number = ''] =
    /Code for agent: (\d{6})\nRef: (\d{3}-\d{4})\n/.exec(screen) ?? []
  await deployment.settled()
  const [{ hash: whole } = {}] = (await deployment.act('find', { text: code })).payments
  const hash = `${whole}`.slice(0, 12)

  const paid = { account: sender, recipient: receiver, code, kind: 'withdrawal' }
  const numbers = [number, number.replace('-', ''), number.replace('-', ' '), `Ref: ${number}`]
  for (const clue of [code, hash, `${hash}...`, hash.slice(2), ...numbers]) {
    const { accounts, payments } = await deployment.act('find', { text: clue })
    expect([clue, accounts, payments]).toMatchObject([clue, [], [paid]])
  }
  /** Returns each account that was found: how, and its payments by their direction. */
  const findAccounts = async (clue: string) =>
    (await deployment.act('find', { text: clue })).accounts.map(({ by, country, caller }) => ({
      ...{ by, country, account: caller.account },
      ways: caller.payments.map(({ direction }) => direction),
    }))
  const received = { by: 'number', country: 'KE', account: receiver, ways: ['in'] }
  for (const form of [to, '0700000022', '254700000022', '+254 700 000 022', '700000022']) {
    expect([form, await findAccounts(form)]).toEqual([form, [received]])
  }
  expect(await findAccounts(from)).toEqual([{ ...received, account: sender, ways: ['out'] }])
  const others = { country: null, account: receiver, ways: ['in'] }
  for (const name of [till, 'Duka', 'duka'])
    expect([name, await findAccounts(name)]).toEqual([name, [{ by: 'till', ...others }]])
  expect(await findAccounts(receiver)).toEqual([{ by: 'address', ...others }])
  const nothing = { accounts: [], payments: [] }
  for (const unknown of ['hello', '000000', '0x0123456789', '0700000099', '2547']) {
    expect([unknown, await deployment.act('find', { text: unknown })]).toEqual([unknown, nothing])
  }

  const why = async (input: string, ...args: string[]) =>
    (await deployment.operate(ops, ['why', ...args], { input })).output
  const unsaid = `code ${code} (not said to be paid out)`
  expect(await why('0700000022')).toContain(
    `\nReceived from ${sender}, ${unsaid}: The withdrawal of`,
  )
  expect(await why('', till)).toContain(`It has the till ${till} (agent, Duka).`)
  expect(await why('', till)).toMatch(
    /\nSince 20\d\d-\S+T00:00:00\.000Z it took 0 tRBTC at its till, and paid out 0 tRBTC of that in cash; 0 withdrawals wait for cash\. The account sent 0 tRBTC in all\.\n/,
  )
  for (const clue of [hash, code, number])
    expect(await why('', clue)).toContain(`It pays ${receiver}, ${unsaid}.`)
  await chain.anvil.ask('anvil_mine', [`0x${confirmations}`])
  await deployment.round()
  const readDay = async () => (await deployment.act('lookup', { phone: to })).till
  const tookWei = { inWei: `${parseEther('0.02')}`, inLocal: null }
  expect(await readDay()).toMatchObject({ ...tookWei, cashWei: '0', waiting: 1 })
  await dial(deployment, { phone: to, sessionId: 'handed', text: `5*1*${code}*${pin}` })
  expect(await readDay()).toMatchObject({ ...tookWei, cashWei: tookWei.inWei, waiting: 0 })
  for (const clue of [hash, code])
    expect(await why('', clue)).toMatch(/code \d{6} \(paid out by the agent 20\d\d-\S+Z\)\.\n/)
  expect(await why('', '0700000022')).toContain('a phone number is read from input')
  const told = JSON.stringify([deployment.events, await deployment.audit()])
  for (const digits of ['700000022', '700000021']) expect(told).not.toContain(digits)
  expect(await deployment.audit()).toContainEqual(
    expect.objectContaining({ action: 'lookup', detail: { account: receiver } }),
  )
})

test('support shows what arrived on the chain without a payment of this ledger', async () => {
  const deployment = openOperated(chain, settings)
  const [phone, stranger] = ['+254700000032', await give(chain, '+254700000033')]
  await give(chain, phone)
  const data = encodeCall({
    kind: 'transfer',
    to: (await deployment.act('lookup', { phone })).account as Address,
    amountWei: 5n,
  })
  await chain.anvil.ask('anvil_impersonateAccount', [stranger])
  await chain.anvil.ask('anvil_setBalance', [stranger, '0xde0b6b3a7640000'])
  const sent = { from: stranger, to: chain.loan, data }
  const hash = await chain.anvil.ask('eth_sendTransaction', [sent])
  const { payments, arrivals } = await deployment.act('lookup', { phone })
  expect({ payments, arrivals }).toMatchObject({
    payments: [],
    arrivals: [{ from: stranger, amountWei: '5', hash }],
  })
  const why = await deployment.operate(ops, ['why'], { input: phone })
  expect(why.output).toMatch(
    /Received from 0x\w{40}: 0\.\S+ tRBTC arrived in block \d+ by 0x\w{64}/,
  )
})
