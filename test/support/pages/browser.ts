import { spawnSync } from 'node:child_process'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { programs, runs } from '../../../scripts/debian.ts'

/** Lists the widths at which pages must work: a phone's and a desk's. */
export const widths = [360, 1280]

/** Tells whether the tests write the pictures of docs/pictures, as `PICTURES=1` asks. */
export const takesPictures = process.env.PICTURES === '1'

type OpenedPage = Page & { faults: string[] }

/** Gives the tests of a file pages of one real browser, which share nothing. */
export function openBrowser() {
  let browser: Promise<Browser> | undefined
  afterAll(async () => (await browser)?.close())

  /** Opens a page until its test ends; `faults` are its console's complaints. */
  async function openPage(url: string, width = 1280): Promise<OpenedPage> {
    browser ??= launchBrowser()
    const page = await (await browser).newPage({ viewport: { width, height: 900 } })
    onTestFinished(() => page.close())
    const faults: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    page.on('pageerror', (error) => faults.push(`${error}`))
    await page.goto(url)
    return Object.assign(page, { faults })
  }

  /** Opens the console as who has the operator's token. */
  async function openConsole(url: string, token: string): Promise<OpenedPage> {
    const page = await openPage(`${url}/console/sign-in`)
    await signIn(page, token)
    return page
  }

  return { openPage, openConsole }
}

function launchBrowser(): Promise<Browser> {
  const program = programs['chromium-headless-shell'].find(runs)
  const executablePath = spawnSync('which', [`${program}`], { encoding: 'utf8' }).stdout.trim()
  // Tests often run as root, where Chromium has no sandbox.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

/** Writes what is shown as a picture of the documents, where pictures are asked for. */
export async function takePicture(shown: Page | Locator, name: string): Promise<void> {
  if (!takesPictures) return
  await ('page' in shown ? shown.page() : shown).evaluate('scrollTo(0, 0)')
  await shown.screenshot({ path: `docs/pictures/${name}.png` })
}

/** Waits until an element says this. */
export const says = (page: Page, selector: string, text: string | RegExp, withinMs = 120_000) =>
  expect
    .poll(() => page.locator(selector).first().textContent(), { timeout: withinMs, interval: 100 })
    .toMatch(text)

export async function signIn(page: Page, token: string): Promise<void> {
  await page.locator('input[name=token]').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await says(page, 'h1', 'Overview')
}

/**
 * Finds what axe-core finds wrong with a page as it stands, and whether it is wider than the
 * window, or heavy.
 */
export async function findPageFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  const { length } = await page.content()
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    ...(isTooWide === true ? ['it is wider than the window'] : []),
    ...(length > 50_000 ? [`it has ${length} characters`] : []),
  ]
}
