import type { Page } from 'playwright-core'
import { type Hex, parseEther } from 'viem'
import { describe, expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { startLoopbackServer } from '../../../scripts/dev/loopback-server.ts'
import { deposit } from '../../../scripts/dev/relays/callers.ts'
import { startDenoRelays } from '../../../scripts/dev/relays/deno-relays.ts'
import { bodyOf, startRelayWorkers } from '../../../scripts/dev/relays/relay-workers.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { hashKey } from '../../../src/runtime/bearer.ts'
import { opened } from '../../support/opened.ts'
import {
  findPageFaults,
  openBrowser,
  says,
  signIn,
  takePicture,
  widths,
} from '../../support/pages/browser.ts'

const { openPage, openConsole } = openBrowser()
const start = process.env.SERVED_BY === 'deno' ? startDenoRelays : startRelayWorkers
const token = 'the-token-of-the-operator'
const phone = '+254700000001' as PhoneNumber
const paths = {
  '': 'Overview',
  '/payments': 'Payments',
  '/support': 'Support',
  '/loans': 'Loans',
  '/people': 'People',
  '/alerts': 'Alerts',
  '/audit': 'Audit',
  '/keys': 'API keys',
  '/system': 'System',
}
/** Finds a raw name, a share of gas, or wei that are written out. */
const rawWords = /\b[a-z]+_[a-z]+|\d %|\d{13}|\bwei\b/

describe('the console in a browser', () => {
  const served = opened(serveConsole)

  test.for(widths)('shows every page after sign-in, %d pixels wide', async (width) => {
    expect(await served.pay()).toContain('Transfer Submitted')
    const page = await openPage(`${served.url}/console`, width)
    expect(page.url()).toBe(`${served.url}/console/sign-in`)
    expect(await findPageFaults(page)).toEqual([])
    await signIn(page, token)
    await served.newKey()
    for (const [path, title] of Object.entries(paths)) {
      await page.goto(`${served.url}/console${path}`)
      await says(page, '#state', /Rootstock.*\d\d:\d\d:\d\d, all times in UTC/)
      await says(page, 'h1', title)
      expect(await page.locator('nav [aria-current=page]').allTextContents()).toEqual([title])
      expect(await findPageFaults(page), path).toEqual([])
      if (width < 1280) expect(await findSideways(page), path).toEqual([])
      const shown = await readShown(page, 'main')
      if (path === '/system') expect(shown).toMatch(rawWords)
      else expect(shown).not.toMatch(rawWords)
    }
    await says(page, '#relayer', /The key that pays for gas.*Max gas price\d+ wei.*NoncesLedger\d+/)
    await page.goto(`${served.url}/console/people`)
    await says(
      page,
      '#operators',
      /reader\s*read.*supporter\s*support.*a name is 2 to 20 small letters.*money.*unblocks PINs/s,
    )
    await page.goto(`${served.url}/console/payments`)
    await says(page, '#payments table', 'Send Money')
    await page.locator('main table a').first().click()
    await says(
      page,
      '#payment',
      /Send Money: 0\.0.*What happened.*accepted.*signed.*in block \d+.*its block is final/s,
    )
    await says(page, 'main', 'Transfer Submitted')
    expect(await page.locator('nav [aria-current=page]').textContent()).toBe('Payments')
    expect(await readShown(page, 'main')).not.toMatch(rawWords)
    await page.getByText('System', { exact: true }).last().click()
    expect(await readShown(page, 'main')).toMatch(rawWords)
    expect(await findPageFaults(page)).toEqual([])
    if (width < 1280) expect(await findSideways(page)).toEqual([])
    expect(page.faults).toEqual([])
  })

  test('tells on its overview the state, the fuel, the pool, what waits, and the day, each once', async () => {
    const page = await openConsole(served.url, token)
    await says(page, '#taken', /^Payments are taken\. Nothing needs you\.$/)
    await says(page, '#fuel', /The relayer pays for[\d,]+ payments.*tRBTC, at today’s price of gas/)
    await says(page, '#pool', /May be lent today[\d.]+ tRBTC.*borrowers owe it [\d.]+ tRBTC/)
    await says(page, '#pool', /with what was lent to them\. All of this was read at \d\d:\d\d:\d\d/)
    await says(page, '#waiting', /Waiting payments0/)
    const before = Number(await page.locator('#today .value').textContent())
    expect(await served.pay()).toContain('Transfer Submitted')
    await says(page, '#today .value', `${before + 1}`)
    await says(page, '#today', /\d+ done, 0 failed since .*the most, \d+, in the hour from \d\d:00/)
    for (const tile of ['fuel', 'pool', 'waiting', 'today'])
      expect(await page.locator(`#${tile} svg[aria-hidden=true]`).count(), tile).toBe(1)
    expect(await page.locator('#today rect.good').count()).toBeGreaterThan(0)
    expect(await findSaidTwice(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 680 })
    await takePicture(page, 'console')
  })

  test('keeps what is open when a part of the page is new', async () => {
    await served.pay()
    const page = await openConsole(served.url, token)
    await page.goto(`${served.url}/console/payments`)
    await page.locator('main table a').first().click()
    await page.locator('details summary').click()
    await page.route('**/console/payments/*', async (route) => {
      const body = (await (await route.fetch()).text()).replace('What happened', 'What is new')
      await route.fulfill({ body, contentType: 'text/html' })
    })
    await says(page, 'main', 'What is new')
    expect(await page.locator('details').getAttribute('open')).not.toBeNull()
  })

  test('says with the menu that there is no such page, or no answer', async () => {
    const page = await openConsole(served.url, token)
    for (const path of ['/nothing', '/payments/0x12', `/payments/0x${'77'.repeat(22)}`]) {
      const answer = await page.goto(`${served.url}/console${path}`)
      expect(answer?.status(), path).toBe(404)
      await says(page, 'nav', /Overview.*System/s)
      await says(page, 'main', 'no such')
      expect(await findPageFaults(page), path).toEqual([])
    }
  })

  test('is closed to another token, to a cookie that is not its own, and once signed out', async () => {
    const page = await openPage(`${served.url}/console/sign-in`)
    await page.locator('input[name=token]').fill('another-token-of-16')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await says(page, 'main', 'This is no operator’s token.')
    const forged = {
      headers: { cookie: `console=operator.${Date.now() + 9e6}.a.b` },
      redirect: 'manual',
    }
    for (const path of Object.keys(paths)) {
      const { status } = await fetch(`${served.url}/console${path}`, forged as RequestInit)
      expect(status, path).toBe(302)
      const headers = { ...forged.headers, 'x-fresh': '1' }
      const shown = await fetch(`${served.url}/console${path}`, { headers })
      expect([shown.status, await shown.text()]).toEqual([
        401,
        expect.stringContaining('has ended'),
      ])
    }
    await signIn(page, token)
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/console' })
    expect(cookie?.value).not.toContain(token)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto(`${served.url}/console`)
    expect(page.url()).toBe(`${served.url}/console/sign-in`)
  })

  test('shows what the role may do, and names the role that may do the rest', async () => {
    const reader = await openConsole(served.url, 'the-token-of-read')
    expect(await reader.locator('nav').textContent()).toMatch(/reader \(read\).*Payments/s)
    expect(await reader.locator('nav').textContent()).not.toContain('Support')
    await says(reader, '#commands', 'npm run ops -- pause (needs the role operate)')
    await reader.goto(`${served.url}/console/support`)
    await says(reader, 'main', 'this needs the role support: reader has the role read.')
    await reader.goto(`${served.url}/console/accounts/${(await served.accountOf(phone)).address}`)
    await says(reader, '#payments', 'Sent, the newest first')
    const page = await openConsole(served.url, 'the-token-of-support')
    await page.goto(`${served.url}/console/support`)
    await page.locator('input[name=text]').fill(phone)
    await page.getByRole('button', { name: 'Look up' }).click()
    await says(page, 'main', 'To hold, type “hold ')
    // Its PIN counts.
    expect(await page.locator('main').textContent()).not.toContain('unblock')
    expect(await findPageFaults(page)).toEqual([])
    const end = (await served.accountOf(phone)).address.slice(-4)
    const csrf = await page.locator('main input[name=csrf]').first().getAttribute('value')
    const act = (name: string) => {
      const fields = { csrf, phone, act: name, confirmation: `${name} ${end}` }
      const body = `new URLSearchParams(${JSON.stringify(fields)})`
      return page.evaluate(
        `fetch('/console/act', { method: 'POST', body: ${body} }).then((one) => one.text())`,
      )
    }
    expect(await act('unblock')).toContain('Nothing was done: this needs the role money')
    expect(await act('keep-pin')).toContain('Done, and in the audit: keep-pin.')
    const audit = await (await served.ask('GET', '/operator/audit')).text()
    expect(audit).toContain('"by":"supporter","action":"lookup"')
    expect(audit).toContain('"by":"supporter","action":"keep-pin"')
    expect(audit).not.toContain('unblock')
  })

  test('holds an account only after a typed confirmation in its own form', async () => {
    const page = await openConsole(served.url, token)
    await page.goto(`${served.url}/console/support`)
    await page.locator('input[name=text]').fill(phone)
    await page.getByRole('button', { name: 'Look up' }).click()
    await says(page, 'main', 'Balance')
    expect(page.url()).not.toContain('254')
    expect(await findPageFaults(page)).toEqual([])
    const { address } = await served.accountOf(phone)
    const act = async (name: string, confirmation: string, reason?: string) => {
      const form = page.locator('form', { has: page.getByRole('button', { name, exact: true }) })
      await form.locator('input[name=confirmation]').fill(confirmation)
      if (reason !== undefined) await form.locator('input[name=reason]').fill(reason)
      await form.getByRole('button').click()
    }
    await act('hold', 'hold')
    await says(page, 'main', 'Nothing was done: the confirmation')
    const end = address.slice(-4)
    const fields = `{ phone: '${phone}', act: 'hold', confirmation: 'hold ${end}' }`
    const posted = `fetch('/console/act', { method: 'POST', body: new URLSearchParams(${fields}) })`
    expect(await page.evaluate(`${posted}.then(({ status }) => status)`)).toBe(403)
    await act('hold', `hold ${end}`, 'asked by 0700 000 001')
    await says(
      page,
      'main',
      'Nothing was done: a reason has no phone number, and no other number of over 6 digits.',
    )
    expect(await served.pay()).toContain('Transfer Submitted')
    await act('hold', `hold ${end}`, 'SIM swap reported')
    await says(page, 'main', 'Done, and in the audit: hold.')
    await says(page, 'main', 'Account held forSIM swap reported')
    expect(await served.pay()).toContain('Your account is held.')
    await act('release', `release ${end}`)
    await says(page, 'main', 'Done, and in the audit: release.')
    // The page of the form is loaded again like any other.
    await page.waitForResponse((response) => response.url().endsWith('/console/act'))
    expect(await page.locator('body').getAttribute('class')).not.toBe('stale')
    await page.goto(`${served.url}/console/audit`)
    for (const done of ['hold', 'release', 'sign in']) await says(page, 'main', done)
    expect(await page.locator('#audit').textContent()).not.toContain('lookup')
    await page.getByText('With look-ups').click()
    await says(page, 'main', 'lookup')
  })

  test('answers on one page a caller whose money was sent and did not arrive', async () => {
    expect(await served.pay()).toContain('Transfer Submitted')
    expect(await served.pay('50')).toContain('Your balance is too low')
    const page = await openConsole(served.url, token)
    await page.goto(`${served.url}/console/support`)
    const number = page.locator('input[name=text]')
    const look = async (typed = phone as string) => {
      await number.fill(typed)
      await number.press('Enter')
      return page.locator('main').textContent()
    }
    await look('0700000099')
    await says(
      page,
      'main',
      'Nothing was found. A number without its country code is found only once',
    )
    expect(await number.inputValue()).toBe('0700000099')
    await look('0700000001')
    await says(page, 'main', 'Account 0x')
    await says(page, 'main', /A wallet sends it money at 0x\w{40} \(6\. Receive\)\. Nothing waits/)
    await says(page, 'main', 'Sent to a wrong number? The payment’s page, by its Ref, says what')
    await expect.poll(() => look()).toMatch(/was done in block \d+\..*Transfer Submitted\nTo: 0x/s)
    await says(page, 'main', /balance too low.*Nothing was sent/s)
    expect(await findPageFaults(page)).toEqual([])
    const payee = await page.locator('main td[data-label=With] a').first().getAttribute('href')
    await page.goto(`${served.url}/console/accounts/0x${'cd'.repeat(20)}`)
    await says(page, 'main', 'No account of this address was ever used.')
    await page.goto(`${served.url}${payee}`)
    await says(page, 'h1', 'Account')
    await says(page, 'main', /Account 0x\w{40}.*To hold the account.*receivedSend Money/s)
    expect(await findPageFaults(page)).toEqual([])
    const audit = async () => (await served.ask('GET', '/operator/audit')).text()
    const before = await audit()
    await page.waitForResponse((response) => response.url().endsWith(`${payee}`))
    expect(await audit()).toBe(before)
    await page.getByText('all payments of the account').click()
    await says(page, '#received', /Ref.*Send Money.*done/s)
    await says(page, '#payments', /Sent, the newest firstNone\./)
  })

  test('is used by the keyboard alone, and shows where its focus is', async () => {
    await served.pay()
    const page = await openPage(`${served.url}/console`)
    const go = async (name: string) => {
      const next = async () => {
        await page.keyboard.press('Tab')
        return page.evaluate('document.activeElement.textContent')
      }
      await expect.poll(next).toBe(name)
      const outline = 'getComputedStyle(document.activeElement).outlineStyle'
      expect(await page.evaluate(outline)).not.toBe('none')
      await page.keyboard.press('Enter')
    }
    await page.keyboard.press('Tab')
    await page.keyboard.type(token)
    await page.keyboard.press('Enter')
    await says(page, 'h1', 'Overview')
    await go('Payments')
    await says(page, 'h1', 'Payments')
    await go(`${await page.locator('main table a').first().textContent()}`)
    await says(page, 'h1', 'Payment')
    await go('Sign out')
    await says(page, 'h1', 'Console')
  })

  test('is refused to another site: its forms, even with the right token, and its frames', async () => {
    const page = await openConsole(served.url, token)
    await page.goto(`${served.url}/console/support`)
    const csrf = await page.locator('main input[name=csrf]').getAttribute('value')
    const site = await startLoopbackServer(async (_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<iframe src="${served.url}/console/sign-in"></iframe>
        <form method="post" action="${served.url}/console/support">
          <input name="csrf" value="${csrf}"><input name="text" value="${phone}">
        </form>`)
    })
    await page.goto(site.url.replace('127.0.0.1', 'localhost'))
    await expect.poll(() => page.faults.join()).toMatch(/frame-ancestors/)
    await page.evaluate('document.forms[0].submit()')
    await says(page, 'main', 'Nothing was done: the session has ended.')
    await site.close()
  })

  test('runs no script that the server did not write', async () => {
    const page = await openPage(`${served.url}/console/sign-in`)
    await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'document.title = "run"'
      document.body.append(script)`)
    await expect.poll(() => page.faults.join()).toMatch(/inline script.*Content Security Policy/s)
    expect(await page.title()).toBe('Console')
  })
})

/** Finds what scrolls sideways. */
const findSideways = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('body *')]
    .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 1)
    .filter((part) => ['auto', 'scroll'].includes(getComputedStyle(part).overflowX))
    .map((part) => part.outerHTML.slice(0, 80))`)

/** Reads what a reader sees: not what is closed. */
const readShown = (page: Page, selector: string) =>
  page.evaluate<string>(`document.querySelector('${selector}').innerText`)

/** Finds sentences and commands that a page shows more than once. */
async function findSaidTwice(page: Page): Promise<string[]> {
  const shown = await readShown(page, 'body')
  const said = shown.split(/\n|(?<=[.:;]) /).filter((part) => part.length > 15)
  return said.filter((part, index) => said.indexOf(part) !== index)
}

async function serveConsole() {
  const chain = await startChain()
  const secret = 'the-secret-of-the-gateway'
  const variables = {
    ...chain.bindings,
    OPERATOR_TOKEN: token,
    OPERATORS: (['read', 'support'] as const)
      .map((role) => `${role}er:${role}:${hashKey(`the-token-of-${role}`)}`)
      .join(),
    CALLBACK_SECRET: secret,
  }
  const relay = await start({ variables, workers: 1 })
  const { url } = relay
  const accountOf = createCallerAccounts(chain.bindings.ACCOUNT_KEY_SECRET as Hex)
  await deposit(chain, [(await accountOf(phone)).address], parseEther('1'))
  let paid = 0
  async function dial(from: string, text: string): Promise<string> {
    const body = bodyOf({ phone: from, sessionId: `dials ${text}`, text })
    return (await fetch(`${url}/${secret}/ussd`, { method: 'POST', body })).text()
  }
  async function ask(method: string, path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${token}` }
    const sent = body && { body: JSON.stringify(body) }
    const response = await fetch(`${url}${path}`, { method, headers, ...sent })
    expect(response.ok, path).toBe(true)
    return response
  }
  return {
    url,
    accountOf,
    ask,
    dial,
    async pay(amount?: string): Promise<string> {
      paid += 1
      const recipient = `0x${(0x100000beef + paid).toString(16).padStart(40, '0')}`
      return dial(phone, `2*${recipient}*${amount ?? `0.00000${paid}`}`)
    },
    /** Makes an API key. */
    newKey: () =>
      ask('POST', '/keys', {
        hash: hashKey(crypto.randomUUID()),
        name: 'of a test',
        quota: 5,
        methods: null,
      }),
    async stop() {
      for (const each of [relay, chain]) await each.stop()
    },
  }
}
