import type { Page } from 'playwright-core'
import { type Hex, numberToHex, parseEther } from 'viem'
import { describe, expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { hasBrowser } from '../../../scripts/dev/pages/browser.ts'
import { deposit } from '../../../scripts/dev/relays/callers.ts'
import { startRelayWorkers } from '../../../scripts/dev/relays/relay-workers.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { createCallerAccounts } from '../../../src/account/keys.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { opened } from '../../support/opened.ts'
import { findPageFaults, openPage, widths } from '../../support/pages/browser.ts'

const token = 'the-token-of-the-operator'
const phone = '+254700000001' as PhoneNumber
const paths = ['', '/payments', '/support', '/loans', '/nodes', '/keys', '/alerts', '/audit']

describe.skipIf(!hasBrowser)('the console in a browser', () => {
  const served = opened(serveConsole)

  test.for(widths)('shows every page to who signed in, %d pixels wide', async (width) => {
    expect(await served.pay()).toContain('Transfer Submitted')
    const page = await openPage(`${served.url}/console`, width)
    expect(page.url()).toBe(`${served.url}/console/sign-in`)
    expect(await findPageFaults(page)).toEqual([])
    await signIn(page)
    for (const path of paths) {
      await page.goto(`${served.url}/console${path}`)
      await says(page, '#state', 'Rootstock')
      expect(await findPageFaults(page), path).toEqual([])
    }
    await page.goto(`${served.url}/console/payments`)
    await page.locator('main table a').first().click()
    await says(page, 'h1', 'Payment')
    await says(page, 'main', 'Transfer Submitted')
    expect(await findPageFaults(page)).toEqual([])
    expect((await page.content()).length).toBeLessThan(50_000)
    expect(page.faults).toEqual([])
  })

  test('is closed to another token, to a cookie that is not its own, and once signed out', async () => {
    const page = await openPage(`${served.url}/console/sign-in`)
    await page.locator('input[name=token]').fill('another-token-of-16')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await says(page, 'main', 'This is not the token.')
    const forged = { headers: { cookie: `console=${Date.now() + 9e6}.a.b` }, redirect: 'manual' }
    for (const path of paths) {
      const { status } = await fetch(`${served.url}/console${path}`, forged as RequestInit)
      expect(status, path).toBe(302)
    }
    await signIn(page)
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/console' })
    expect(cookie?.value).not.toContain(token)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto(`${served.url}/console`)
    expect(page.url()).toBe(`${served.url}/console/sign-in`)
  })

  test('holds an account by a typed confirmation alone, of its own form', async () => {
    const page = await openPage(`${served.url}/console/sign-in`)
    await signIn(page)
    await page.goto(`${served.url}/console/support`)
    await page.locator('input[name=phone]').fill(phone)
    await page.getByRole('button', { name: 'Look up' }).click()
    await says(page, 'main', 'Balance')
    expect(page.url()).not.toContain('254')
    expect(await findPageFaults(page)).toEqual([])
    const { address } = await served.accountOf(phone)
    const act = async (name: string, confirmation: string) => {
      const form = page.locator('form', { has: page.getByRole('button', { name, exact: true }) })
      await form.locator('input[name=confirmation]').fill(confirmation)
      await form.getByRole('button').click()
    }
    await act('hold', 'hold')
    await says(page, 'main', 'Nothing was done')
    const posted = `fetch('/console/act', {
      method: 'POST',
      body: new URLSearchParams({ phone: '${phone}', act: 'hold', confirmation: 'hold ${address.slice(-4)}' }),
    }).then(({ status }) => status)`
    expect(await page.evaluate(posted)).toBe(403)
    expect(await served.pay()).toContain('Transfer Submitted')
    await act('hold', `hold ${address.slice(-4)}`)
    await says(page, 'main', 'Done, and in the audit: hold.')
    expect(await served.pay()).toContain('Your account is held.')
    await act('release', `release ${address.slice(-4)}`)
    await says(page, 'main', 'Done, and in the audit: release.')
    await page.goto(`${served.url}/console/audit`)
    await says(page, 'main', 'hold')
    await says(page, 'main', 'release')
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

  test('says within 15 s why payments are refused and what mends it, and when it is over', async () => {
    const page = await openPage(`${served.url}/console/sign-in`)
    await signIn(page)
    await says(page, '#taken', 'Payments are taken.')
    await served.setBalance('0')
    // What the relayer had was read a moment ago: it is asked for again.
    await expect.poll(() => served.pay(), { interval: 2_000 }).toContain('Payments are stopped')
    await saysSoon(page, '#taken', 'Payments are refused because')
    await saysSoon(page, '#taken', 'npm run relayers -- top-up')
    await served.setBalance('100')
    await expect.poll(() => served.pay(), { interval: 2_000 }).toContain('Transfer Submitted')
    await saysSoon(page, '#taken', 'Payments are taken.')
  })
})

async function serveConsole() {
  const chain = await startChain()
  const rpc = rpcTo(chain.anvil.url)
  const variables = { ...chain.bindings, OPERATOR_TOKEN: token, MAX_OPEN_PAYMENTS: '16' }
  const relay = await startRelayWorkers({ variables })
  const accountOf = createCallerAccounts(chain.bindings.ACCOUNT_KEY_SECRET as Hex)
  await deposit(chain, [(await accountOf(phone)).address], parseEther('1'))
  let paid = 0
  return {
    url: relay.url,
    accountOf,
    async pay(): Promise<string> {
      paid += 1
      const text = `2*0x${(0xbeef + paid).toString(16).padStart(40, '0')}*0.00000${paid}`
      return (await relay.deliver({ phone, sessionId: `console ${paid}`, text })).text
    },
    setBalance: (ether: string) =>
      rpc('anvil_setBalance', [chain.relayer, numberToHex(parseEther(ether))]),
    async stop() {
      await relay.stop()
      await chain.stop()
    },
  }
}

async function signIn(page: Page): Promise<void> {
  await page.locator('input[name=token]').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await says(page, 'h1', 'Overview')
}

const says = (page: Page, selector: string, text: string) =>
  expect.poll(() => page.locator(selector).first().textContent()).toContain(text)

const saysSoon = (page: Page, selector: string, text: string) =>
  expect
    .poll(() => page.locator(selector).first().textContent(), { timeout: 15_000 })
    .toContain(text)
