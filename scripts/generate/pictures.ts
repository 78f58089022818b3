import { join } from 'node:path'
import { type Hex, parseEther } from 'viem'
import { createCallerAccounts } from '../../src/account/caller-accounts.ts'
import type { PhoneNumber } from '../../src/account/phone.ts'
import { demoNumbers, listInboxVariables } from '../../src/pages/phone/handset.ts'
import { projectRoot } from '../contracts/forge.ts'
import { startChain } from '../dev/chain.ts'
import { launchBrowser } from '../dev/pages/browser.ts'
import { freePort } from '../dev/ports.ts'
import { deposit } from '../dev/relays/callers.ts'
import { startRelayWorkers } from '../dev/relays/relay-workers.ts'

// Takes the pictures of docs/pictures from the real pages, over a chain of their own:
// `npx node scripts/generate/pictures.ts`

const chain = await startChain()
const accountOf = createCallerAccounts(chain.bindings.ACCOUNT_KEY_SECRET as Hex)
const accounts = await Promise.all(demoNumbers.map((phone) => accountOf(phone as PhoneNumber)))
const addresses = accounts.map(({ address }) => address)
await deposit(chain, addresses, parseEther('1'))
const [token, pin] = ['the-token-of-the-pictures', '482615']
const browser = await launchBrowser()

await withRelay({}, async (url) => {
  await takePhone(url)
  await takeConsole(url)
})
await withRelay(
  {
    PROFILE: 'lender',
    PIN: 'on',
    PIN_SECRET: `0x${'5'.repeat(64)}`,
    CONFIRMATIONS: '1',
    AGENTS: 'on',
    MAX_SENT_A_DAY_WEI: 'none',
    MAX_AGENT_SENT_A_DAY_WEI: 'none',
  },
  takeCashOut,
)

await browser.close()
await chain.stop()

/** Runs work with the address of a relay that has these settings. */
async function withRelay(settings: Record<string, string>, work: (url: string) => Promise<void>) {
  const port = await freePort()
  const inbox = listInboxVariables(`http://127.0.0.1:${port}`)
  const variables = { ...chain.bindings, ...inbox, ...settings, OPERATOR_TOKEN: token }
  const relay = await startRelayWorkers({ variables, port, isDevelopment: true })
  await work(relay.url)
  await relay.stop()
}

/** Takes the overview, as an operator sees it after a payment. */
async function takeConsole(url: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 } })
  await page.goto(`${url}/console`)
  await page.locator('input[name=token]').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page
    .locator('#relayer')
    .filter({ hasText: /Lasts for\d/ })
    .waitFor()
  await page.reload()
  await page.screenshot({ path: getPath('console') })
}

/** Opens the phone page; `send` types an answer, and waits until the screen has a text. */
async function openPhone(url: string) {
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 } })
  await page.goto(`${url}/phone`)
  const says = (place: string, text: string) =>
    page.locator(place).filter({ hasText: text }).waitFor()
  const send = async (typed: string, then: string) => {
    await page.locator('#typed').fill(typed)
    await page.keyboard.press('Enter')
    await says('#screen', then)
  }
  return { page, says, send }
}

/** Sends money to a friend, delivers it again, and shows the page when both got a message. */
async function takePhone(url: string): Promise<void> {
  const { page, says, send } = await openPhone(url)
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
  await page.screenshot({ path: getPath('phone'), clip })
}

/** Withdraws money at an agent, and shows the agent's phone when the cash may be handed out. */
async function takeCashOut(url: string): Promise<void> {
  const [caller, agent] = demoNumbers
  const answer = await fetch(`${url}/operator/agents/add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ phone: agent, name: 'Mama Duka', kind: 'agent' }),
  })
  const { till } = (await answer.json()) as { till: string }
  const { page, send } = await openPhone(url)
  const handset = page.locator('.handset')
  for (const number of [agent, caller]) {
    await page.locator('#number').fill(number)
    await send('*384#', 'Choose a PIN')
    await send(pin, 'same PIN again')
    await send(pin, 'Your PIN is set')
  }
  await send('*384#', 'Cash Out')
  await send('7', 'Till')
  await send(till, 'Amount')
  await send('0.02', 'Withdraw 0.02')
  await send(pin, 'Code:')
  await handset.screenshot({ path: getPath('cash-out-caller') })
  await page.locator('#number').fill(agent)
  let shown: string | null = ''
  while (!shown?.includes(': done')) {
    await send('*384#', 'My Activity')
    await send('5', 'Today in')
    shown = await page.locator('#screen').textContent()
  }
  await handset.screenshot({ path: getPath('cash-out-agent') })
}

function getPath(name: string): string {
  return join(projectRoot, `docs/pictures/${name}.png`)
}
