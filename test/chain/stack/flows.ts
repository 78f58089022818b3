import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPublicClient, http, stringify, zeroAddress } from 'viem'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { devKey } from '../../../scripts/dev/anvil.ts'
import { sampleTills } from '../../../scripts/dev/menu-ways.ts'
import { createRandom } from '../../../scripts/dev/random.ts'
import { openOperator } from '../../../scripts/ops/operator-client.ts'
import { openNode } from '../../../scripts/stack/chain/node.ts'
import { getDemoDeposit } from '../../../scripts/stack/money/callers.ts'
import { createTreasury, depositCalls } from '../../../scripts/stack/money/treasury.ts'
import { type Dialled, playScript } from '../../../scripts/stack/phone/dial-script.ts'
import type { GatewayForm } from '../../../scripts/stack/phone/page/handset.ts'
import { createGatewayForm } from '../../../scripts/stack/phone/page/phone.js'
import {
  gatewayForms,
  openPhoneLine,
  type PhoneLine,
  type Post,
} from '../../../scripts/stack/phone/phone-lines.ts'
import { StackError } from '../../../scripts/stack/report.ts'
import { openSecrets } from '../../../scripts/stack/secrets.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { gatewayDeclaration } from '../../../src/ussd/gateways/declaration.ts'
import { seed } from '../../support/sample.ts'
import { postTo, type Start } from './stack-process.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export const flowsOf = (
  profile: 'demo' | 'lender' | 'strict' | 'local' | 'agents' | 'dollar',
): string[] => globSync(`test/flows/${profile}/*.txt`, { cwd: root }).sort()

export const phonesAt = (place: number): PhoneNumber[] =>
  [1, 2, 3].map((caller) => `+254700000${numberAt(place, caller)}` as PhoneNumber)

const numberAt = (place: number, caller: number) => `${place * 3 + caller}`.padStart(3, '0')

/** A gateway that sends the last answer alone, numbers what it sends, and has a bad line. */
const declaration = gatewayDeclaration.parse({
  ...{ name: 'numbered', posts: 'json', session: 'id', phone: 'from' },
  ...{ text: 'input', sequence: 'seq' },
  kinds: { field: 'kind', first: ['begin'], answer: ['answer'], end: ['end'] },
  reply: { type: 'application/json', ask: '{"ask":"{screen}"}', end: '{"end":"{screen}"}' },
})
export const numbered = createGatewayForm(declaration)
export const numberedVariables = { GATEWAY: JSON.stringify(declaration) }

/**
 * Delivers twice at once, then something from before once more; and from each session one answer
 * first as if it were of another, of which nothing has come yet.
 */
function openBadLine(form: GatewayForm, post: Post): PhoneLine {
  const line = openPhoneLine(form, post)
  const random = createRandom(seed, form.path)
  const sent: Dialled[] = []
  return async (dialled) => {
    if (dialled.text.split('*').length === 3) {
      const early = form.write({ ...dialled, session: `${dialled.session} early` }, '')
      await post(form.path, { 'content-type': form.contentType }, early)
    }
    const [screen, again] = await Promise.all([line(dialled), line(dialled)])
    if (isPaid(screen) && again !== screen) throw new StackError(`${screen} is later ${again}`)
    sent.push(dialled)
    await line(random.pick(sent))
    return screen
  }
}

const isPaid = (screen: string): boolean => /^(Tx|Code): /m.test(screen)

/**
 * Plays a flow with numbers and money of its own; returns how many payments its screens tell of.
 * @throws {StackError} a line does not hold
 */
export async function playFlow(
  { folder, start }: { folder: string; start: Start },
  file: string,
  place: number,
  gateway: GatewayForm = gatewayForms['africas-talking'],
): Promise<number> {
  const { relayUrl, nodeUrl, contracts } = start.stack()
  const node = await openNode([nodeUrl], 31)
  const treasury = createTreasury(node, devKey)
  const token = await loanAt(node.client, contracts.loan).token()
  const { ACCOUNT_KEY_SECRET } = openSecrets(join(folder, 'secrets.json'))
  for (const phone of phonesAt(place)) {
    const { address } = await createCallerAccounts(ACCOUNT_KEY_SECRET)(phone)
    const amount = getDemoDeposit(token !== zeroAddress)
    await treasury.payLoan(contracts.loan, depositCalls, [address], amount)
  }
  const written = readFileSync(`${root}/${file}`, 'utf8')
  const script = written
    // Whom no one knows is known once something was sent there.
    .replaceAll(/(00 ?000 ?)088\b/g, `$1${900 + place}`)
    // As E.164, as screens spell it and as people do, and what screens show of it afterwards.
    .replaceAll(
      /(00[ -]?000[ -]?|\.\.\.)00([1-3])\b/g,
      (_, before: string, caller: string) => `${before}${numberAt(place, Number(caller))}`,
    )
  const tills = new Map<string, string>()
  for (const [index, { till, name, kind }] of [...sampleTills.values()].entries()) {
    if (!script.includes(till)) continue
    const agent = { phone: phonesAt(place)[index + 1], name, kind }
    const operator = openOperator(undefined, { DEV_DIR: folder })
    tills.set(till, (await operator.act('agents/add', agent)).till)
  }
  const post: Post = (path, headers, body) => postTo(relayUrl, path, headers, body)
  const line = (gateway === numbered ? openBadLine : openPhoneLine)(gateway, post)
  const paid = new Set<string>()
  let sessions = 0
  const dialled = script.replaceAll(/12344|54320/g, (till) => tills.get(till) ?? till)
  await playScript(dialled, {
    async send(one) {
      const screen = await line(one)
      if (isPaid(screen)) paid.add(one.session)
      return screen
    },
    newSession: () => `${file} ${gateway.path} ${++sessions}`,
    toPhone: (typed) => typed,
    show: () => {},
  })
  return paid.size
}

export const typedPins = ['482615', '739164']

/** Finds where a stack wrote one of these words, plain or in hex, once it ended. */
export async function tracesOf(
  { folder, start }: { folder: string; start: Start },
  words: readonly string[],
): Promise<string[]> {
  const { relayUrl, nodeUrl, operatorToken } = start.stack()
  const authorization = `Bearer ${operatorToken}`
  const signal = AbortSignal.timeout(30_000)
  const metrics = await fetch(`${relayUrl}/metrics`, { headers: { authorization }, signal })
  const written = new Map([['metrics', await metrics.text()]])
  for (const [block, text] of await blocksOf(nodeUrl)) written.set(block, text)
  written.set('log', (await start.interrupt()).output)
  for (const file of globSync('**/*', { cwd: folder, withFileTypes: true })) {
    const path = join(file.parentPath, file.name)
    if (file.isFile()) written.set(path, readFileSync(path, 'latin1'))
  }
  const needles = words.flatMap((word) => [word, Buffer.from(word).toString('hex')])
  return [...written].flatMap(([place, text]) =>
    needles.filter((needle) => text.includes(needle)).map((needle) => `${needle} in ${place}`),
  )
}

async function blocksOf(nodeUrl: string): Promise<[string, string][]> {
  const client = createPublicClient({ transport: http(nodeUrl) })
  const height = Number(await client.getBlockNumber())
  const blocks = Array.from(
    { length: height + 1 },
    async (_, number): Promise<[string, string]> => {
      const blockNumber = BigInt(number)
      const block = await client.getBlock({ blockNumber, includeTransactions: true })
      const logs = await client.getLogs({ fromBlock: blockNumber, toBlock: blockNumber })
      return [`block ${number}`, stringify([block, logs])]
    },
  )
  return Promise.all(blocks)
}
