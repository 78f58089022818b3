import { join } from 'node:path'
import { type Hex, parseEther } from 'viem'
import { createCallerAccounts } from '../../src/account/caller-accounts.ts'
import type { PhoneNumber } from '../../src/account/phone.ts'
import { demoNumbers } from '../../src/pages/phone/handset.ts'
import { listInboxVariables } from '../../src/pages/phone/inbox.ts'
import { projectRoot } from '../contracts/forge.ts'
import { startChain } from '../dev/chain.ts'
import { launchBrowser } from '../dev/pages/browser.ts'
import { freePort } from '../dev/ports.ts'
import { deposit } from '../dev/relays/callers.ts'
import { startRelayWorkers } from '../dev/relays/relay-workers.ts'
import { readFlags } from '../stack/command.ts'

const helpText = `Takes the pictures of docs/pictures from the real pages, over a chain of their own.

  npx node scripts/generate/pictures.ts`

readFlags(helpText, {})

const chain = await startChain()
const accountOf = createCallerAccounts(chain.bindings.ACCOUNT_KEY_SECRET as Hex)
const accounts = await Promise.all(demoNumbers.map((phone) => accountOf(phone as PhoneNumber)))
const addresses = accounts.map(({ address }) => address)
await deposit(chain, addresses, parseEther('1'))
const port = await freePort()
const inbox = listInboxVariables(`http://127.0.0.1:${port}`)
const variables = { ...chain.bindings, ...inbox, OPERATOR_TOKEN: 'the-token-of-the-pictures' }
const relay = await startRelayWorkers({ variables, port, isDevelopment: true })
const browser = await launchBrowser()

await takePhone()
await takeConsole()

await browser.close()
await relay.stop()
await chain.stop()

/** Takes the overview, as an operator sees it after a payment. */
async function takeConsole(): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 } })
  await page.goto(`${relay.url}/console`)
  await page.locator('input[name=token]').fill(variables.OPERATOR_TOKEN)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('#relayer').filter({ hasText: 'payments' }).waitFor()
  await page.reload()
  await page.screenshot({ path: join(projectRoot, 'docs/pictures/console.png') })
}

/** Sends money to a friend, delivers it again, and shows the page when both got a message. */
async function takePhone(): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 } })
  await page.goto(`${relay.url}/phone`)
  const says = (place: string, text: string) =>
    page.locator(place).filter({ hasText: text }).waitFor()
  const send = async (typed: string, then: string) => {
    await page.locator('#typed').fill(typed)
    await page.keyboard.press('Enter')
    await says('#screen', then)
  }
  await send('*384#', 'Send Money')
  await send('2', 'Recipient')
  await send('0700000002', 'Amount')
  await send('0.25', 'Submitted')
  await says('#steps', 'confirmed')
  await says('#messages', 'You received')
  await page.getByRole('button', { name: 'Deliver again' }).last().click()
  await says('#wire', 'delivered 2 times')
  await says('#timer', ':')
  const clip = { x: 0, y: 0, width: 1100, height: 900 }
  await page.screenshot({ path: join(projectRoot, 'docs/pictures/phone.png'), clip })
}
