import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { createPublicClient, type Hex, http, parseEther } from 'viem'
import { describe, expect, test } from 'vitest'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { freePort } from '../../../scripts/dev/ports.ts'
import { deposit } from '../../../scripts/dev/relays/callers.ts'
import { startDenoRelays } from '../../../scripts/dev/relays/deno-relays.ts'
import { startRelayWorkers } from '../../../scripts/dev/relays/relay-workers.ts'
import { playScript } from '../../../scripts/stack/phone/dial-script.ts'
import { listPhoneVariables } from '../../../scripts/stack/phone/page/handset.ts'
import { gatewayForms, openPhoneLine } from '../../../scripts/stack/phone/phone-lines.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { opened } from '../../support/opened.ts'
import {
  findPageFaults,
  openBrowser,
  says,
  takePicture,
  takesPictures,
  widths,
} from '../../support/pages/browser.ts'
import { postTo } from '../stack/stack-process.ts'

const { openPage } = openBrowser()
const isOnDeno = process.env.SERVED_BY === 'deno'
const start = isOnDeno ? startDenoRelays : startRelayWorkers
const [operatorToken, callbackSecret] = ['the-token-of-the-operator', 'the-secret-of-the-gateway']
const authorization = `Bearer ${callbackSecret}`

/** Lists gateways, and what a request and a reply of each hold. Deno serves one profile alone. */
const gatewaysOfProfiles = isOnDeno
  ? []
  : ([
      ['hubtel', '"Message":"PIN"', '"Type":"release"'],
      ['example', '<input>1*PIN*PIN</input>', '"more":false'],
    ] as const)

describe('the phone page in a browser', () => {
  const served = opened(() => serveWithPhone())

  test.for(widths)(
    'pays once by clicks, even with more deliveries, %d pixels wide',
    async (width) => {
      const [caller, friend] = await served.newCallers()
      const page = await openPage(served.url, width)
      expect(page.url()).toBe(`${served.url}/phone`)
      expect(await findPageFaults(page)).toEqual([])
      await pays(page, caller, friend)
      await says(page, '#payment', 'done: its block is final')
      await says(page, '#messages', `${friend}You received 0.25 tRBTC`)
      for (const times of [2, 3]) {
        await page.getByRole('button', { name: 'Deliver again' }).last().click()
        await says(page, '#wire', `the same bytes, delivered ${times} times`)
        if (times === 2) await takePicture(page, 'phone')
      }
      await says(page, '#paid-count', `${caller} has made 1 payment since`)
      expect(await served.balance(caller)).toBe(parseEther('0.75'))
      expect(await served.balance(friend)).toBe(parseEther('1.25'))
      expect(await findPageFaults(page)).toEqual([])
      expect(page.faults).toEqual([])
    },
  )

  test('keeps what is half typed when it asks what is new', async () => {
    const page = await openPage(served.url)
    await sends(page, '', '2. Send Money (P2P)')
    await page.locator('#typed').fill('2')
    for (const _ of [1, 2]) await page.waitForResponse((response) => response.ok())
    await page.getByRole('button', { name: 'Key 7', exact: true }).click()
    expect(await page.locator('#typed').inputValue()).toBe('27')
  })

  test('has a reply that was lost come with the next delivery, and pays once', async () => {
    const [caller, friend] = await served.newCallers()
    const page = await openPage(served.url)
    await pays(page, caller, friend, 'Lose the reply')
    await says(page, '#screen', 'No reply came.')
    await page.getByRole('button', { name: 'Deliver again' }).last().click()
    await says(page, '#screen', 'Transfer Submitted')
    await says(page, '#payment', 'done: its block is final')
    await says(page, '#paid-count', 'has made 1 payment since')
    expect(await served.balance(friend)).toBe(parseEther('1.25'))
  })

  test('delivers late what the gateway held, by the keyboard alone', async () => {
    const [caller, friend] = await served.newCallers()
    const page = await openPage(served.url)
    await pays(page, caller, friend, 'Deliver late')
    await says(page, '#screen', 'the gateway holds the request')
    await page.keyboard.press('Escape')
    await says(page, '#screen', 'Call ended.')
    await page.locator('h1').click()
    await page.keyboard.type('*384*1#')
    await page.keyboard.press('Enter')
    await says(page, '#screen', 'Your Balance: 1 tRBTC')
    await page.getByRole('button', { name: 'Deliver it now' }).press('Enter')
    await says(page, '#paid-count', 'has made 1 payment since')
    await expect.poll(() => served.balance(friend)).toBe(parseEther('1.25'))
    await says(page, '#screen', 'Your Balance: 1 tRBTC')
    await says(page, '#flow-text', '# The gateway delivered this late')
  })

  test.for(gatewaysOfProfiles)(
    'dials with another profile and by %s, and shows no PIN on the page',
    async ([gateway, sent, ended]) => {
      const [caller] = await served.newCallers()
      const page = await openPage(served.url)
      await page.locator('select[name=gateway]').selectOption(gateway)
      await page.locator('select[name=profile]').selectOption('lender')
      await page.locator('#number').fill(caller)
      await sends(page, '', 'Language')
      await sends(page, '1', 'Choose a PIN')
      await sends(page, '5071', 'Type the same PIN again.')
      await sends(page, '5071', 'Your PIN is set.')
      await says(page, '#wire', `POST /ussd/${gateway}`)
      await says(page, '#wire', sent)
      await sends(page, '1', 'Your Balance: 1 tRBTC')
      await says(page, '#wire', ended)
      await says(page, '#flow-text', '= Your PIN is set.\n> 1\nuntil Your Balance: 1 tRBTC')
      expect(await page.locator('main').textContent()).not.toContain('5071')
    },
  )

  test('ends a session as old as networks let one be, and dials anew', async () => {
    const [caller] = await served.newCallers()
    const page = await openPage(served.url)
    await page.clock.install()
    await page.reload()
    await page.locator('#number').fill(caller)
    await sends(page, '', 'My Balance')
    await page.clock.fastForward(170_000)
    await says(page, '#screen', 'My Balance')
    await page.clock.fastForward(11_000)
    await says(page, '#screen', 'Call ended.')
    await sends(page, '*384*1#', 'Your Balance: 1 tRBTC')
  })

  test('saves what was dialled as a flow that plays', async () => {
    const [caller, friend] = await served.newCallers()
    const page = await openPage(served.url)
    await pays(page, caller, friend)
    await page.getByRole('button', { name: 'Deliver again' }).last().click()
    await says(page, '#flow-text', '= Transfer Submitted\nagain\n')
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Save as test' }).click()
    const script = readFileSync(await (await downloading).path(), 'utf8')
    expect(script).toBe(await page.locator('#flow-text').textContent())
    const send = openPhoneLine(gatewayForms['africas-talking'], (path, headers, body) =>
      postTo(served.url, path, { ...headers, authorization }, body),
    )
    const how = { newSession: () => crypto.randomUUID(), toPhone: (typed: string) => typed }
    await playScript(script, { send, ...how, show: () => {} })
    await expect.poll(() => served.balance(friend)).toBe(parseEther('1.5'))
  })

  test('runs no script that the server did not write, and weighs little', async () => {
    const page = await openPage(`${served.url}/phone`)
    await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'document.title = "run"'
      document.body.append(script)
      document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="document.title = 1">')`)
    await expect.poll(() => page.faults.join()).toMatch(/inline script.*Content Security Policy/s)
    expect(await page.title()).toBe('Phone')
    expect((await page.content()).length).toBeLessThan(50_000)
  })

  test('knows no secret, and shows the payments of no session that it has not dialled', async () => {
    const [caller, friend] = await served.newCallers()
    const ask = async (path: string, fields?: Record<string, string>, headers = {}) => {
      const post = fields && { method: 'POST', body: new URLSearchParams(fields) }
      const response = await fetch(`${served.url}${path}`, { headers, ...post })
      return `${response.status} ${await response.text()}`
    }
    expect(await ask('/phone')).not.toMatch(RegExp(`${callbackSecret}|${operatorToken}`))
    expect(await ask('/operator/payments', undefined, { 'x-phone': '' })).toMatch(/^401/)
    const name = { phone: caller, gateway: 'africas-talking', startedAt: 0 }
    const show = (id: string) => ask('/phone', { sessions: JSON.stringify([{ id, ...name }]) })
    for (const sessionId of ['phone-0a1b2c3d-4e5f', 'of-a-gateway']) {
      const transfer = { sessionId, phoneNumber: caller, text: `2*${friend}*0.25` }
      expect(await ask('/ussd', transfer)).toMatch(/^404/)
      expect(await ask('/ussd', transfer, { authorization })).toMatch(/^200 END Transfer/)
    }
    await expect.poll(() => show('phone-0a1b2c3d-4e5f')).toContain('has made 2 payments since')
    expect(await show('phone-0a1b2c3d-4e5e')).toContain('has made 0 payments since')
    expect(await show('of-a-gateway')).not.toContain('payments since')
  })
})

if (takesPictures) {
  describe('the phone page of a deployment with agents', () => {
    const limits = { MAX_SENT_A_DAY_WEI: 'none', MAX_AGENT_SENT_A_DAY_WEI: 'none' }
    const lender = { PROFILE: 'lender', PIN: 'on', AGENTS: 'on', CONFIRMATIONS: '1', ...limits }
    const served = opened(() => serveWithPhone(lender))

    test('shows the code of a withdrawal to its caller alone, until the agent types it', async () => {
      const [caller, agent] = await served.newCallers()
      const till = await served.addAgent(agent)
      const page = await openPage(served.url)
      const handset = page.locator('.handset')
      const hangUp = page.getByRole('button', { name: 'Hang up' })
      for (const number of [agent, caller]) {
        await page.locator('#number').fill(number)
        await sends(page, '', 'Language')
        await sends(page, '1', 'Choose a PIN')
        await sends(page, '482615', 'Type the same PIN again.')
        await sends(page, '482615', 'Your PIN is set.')
        await hangUp.click()
      }
      await sends(page, '', 'Cash Out')
      await sends(page, '7', 'Till')
      await sends(page, till, 'Amount')
      await sends(page, '0.02', 'Withdraw 0.02')
      await sends(page, '482615', 'Code for agent:')
      const [, code = ''] =
        /Code for agent: (\d+)/.exec((await page.locator('#screen').textContent()) ?? '') ?? []
      await takePicture(handset, 'cash-out-caller')
      await page.locator('#number').fill(agent)
      const isDone = async () => {
        if (await hangUp.isEnabled()) await hangUp.click()
        await sends(page, '', 'My Activity')
        await sends(page, '5', 'Received today')
        return await page.locator('#screen').textContent()
      }
      await expect.poll(isDone).toContain(': to pay out')
      await sends(page, '1', 'For agents. Code of the withdrawal')
      await sends(page, code, `${code} 0.02 tRBTC: to pay out`)
    })
  })
}

/** Is declared by its operator. */
const [ask, end] = ['{"say":"{screen}","more":true}', '{"say":"{screen}","more":false}']
const example = {
  ...{ name: 'example', posts: 'xml', session: 'id', phone: 'msisdn', text: 'input' },
  reply: { type: 'application/json', ask, end },
}

async function serveWithPhone(settings: Record<string, string> = {}) {
  const chain = await startChain()
  const port = await freePort()
  const variables = {
    ...{ ...chain.bindings, ...listPhoneVariables(`http://127.0.0.1:${port}`, undefined) },
    ...{ PIN_SECRET: `0x${'5e'.repeat(32)}`, OPERATOR_TOKEN: operatorToken },
    ...{ GATEWAY: JSON.stringify(example), CALLBACK_SECRET: callbackSecret },
    ...settings,
  }
  const relay = await start({ variables, port, isDevelopment: true, workers: 1 })
  const accountOf = createCallerAccounts(chain.bindings.ACCOUNT_KEY_SECRET as Hex)
  const client = createPublicClient({ transport: http(chain.anvil.url) })
  const addressOf = async (phone: string) => (await accountOf(phone as PhoneNumber)).address
  let callers = 0
  return {
    url: relay.url,
    /** Gives two numbers that nobody has dialled from, with 1 tRBTC each. */
    async newCallers(): Promise<[string, string]> {
      callers += 2
      const [one, other] = [10_000 + callers, 10_001 + callers]
      const phones: [string, string] = [`+2547000${one}`, `+2547000${other}`]
      await deposit(chain, await Promise.all(phones.map(addressOf)), parseEther('1'))
      return phones
    },
    /** Gives a number a till. */
    async addAgent(phone: string): Promise<string> {
      const headers = {
        authorization: `Bearer ${operatorToken}`,
        'content-type': 'application/json',
      }
      const body = JSON.stringify({ phone, name: 'Mama Duka', kind: 'agent' })
      const init = { method: 'POST', headers, body }
      const answer = await fetch(`${relay.url}/operator/agents/add`, init)
      return ((await answer.json()) as { till: string }).till
    },
    balance: async (phone: string) =>
      loanAt(client, chain.loan).getBalance([await addressOf(phone)]),
    async stop() {
      await relay.stop()
      await chain.stop()
    },
  }
}

/** Sends 0.25 tRBTC by the phone's keys; the gateway treats the last delivery in this manner. */
async function pays(page: Page, caller: string, friend: string, manner = 'As usual') {
  await page.locator('#number').fill(caller)
  await sends(page, '', '2. Send Money (P2P)')
  await sends(page, '2', 'Enter Recipient')
  await sends(page, friend.replace('+254', '0'), 'Enter Amount')
  await page.getByRole('radio', { name: manner }).check()
  await sends(page, '0.25', manner === 'As usual' ? 'Transfer Submitted' : '.')
}

/** Presses keys, those that the phone lacks on the keyboard, and sends what that typed. */
async function sends(page: Page, keys: string, then: string): Promise<void> {
  for (const key of keys) {
    if (key === '.') await page.keyboard.press(key)
    else await page.getByRole('button', { name: `Key ${key}`, exact: true }).click()
  }
  await page.getByRole('button', { name: /^(Call|Send)$/ }).click()
  await says(page, '#screen', then)
}
