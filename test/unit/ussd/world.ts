import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { menus, sampleTills } from '../../../scripts/dev/menu-ways.ts'
import { digest } from '../../../scripts/dev/simulator/model/hashing.ts'
import { createMemory } from '../../../src/account/memory.ts'
import { addWallet, createWalletCodes, type Wallet } from '../../../src/account/wallets.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'

export const friend = '+254700000001'
export const stranger = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'

/** Words of an account that is held. */
export const heldIn = {
  en: 'Your account is held. Nothing was sent. Call 0700 000 099.',
  sw: 'Akaunti yako imezuiwa. Hakuna kilichotumwa. Piga 0700 000 099.',
  fr: "Votre compte est retenu. Rien n'a été envoyé. Appelez le 0700 000 099.",
  es: 'Su cuenta esta retenida. No se envio nada. Llame al 0700 000 099.',
} as const
const unitsMs = { s: 1_000, min: 60_000, days: 86_400_000 }

type WorldOptions = Omit<Parameters<typeof openModelledRelay>[0], 'clock' | 'callers'> & {
  clock?: ReturnType<typeof createHandClock>
}

/** The service of a lender, the time of which the test lets pass. */
export function openWorld(options: Partial<WorldOptions> = {}) {
  const { clock = createHandClock() } = options
  const usual = { callers: 6, poolLoans: 9, capLoans: 9, product: menus.lender }
  const relay = openModelledRelay({ ...usual, ...options, clock })
  const shown = new Map<string, string>()
  let repair = () => {}

  const acts: Record<string, (words: string) => unknown> = {
    '#': () => {},
    break() {
      repair = relay.breakNode()
    },
    repair: () => repair(),
    principal: (amount) => relay.changePrincipal(parseEther(amount)),
    settle: () => relay.settle(),
    hold: (caller) => relay.ledger.setHold(relay.accountOf(Number(caller)), true, 'hold'),
    release: (caller) => relay.ledger.setHold(relay.accountOf(Number(caller)), false, 'release'),
    fail: (reason) => relay.fail(reason),
    paid: async (count) => expect(await relay.paid(0), 'payments').toBe(Number(count)),
  }

  async function act(line: string): Promise<void> {
    const [verb = '', ...rest] = line.split(' ')
    const known = acts[verb]
    if (known !== undefined) return void (await known(rest.join(' ')))
    const ms = Number(verb) * unitsMs[rest[0] as keyof typeof unitsMs]
    if (Number.isNaN(ms)) throw new Error(`No line of a play is: ${line}`)
    clock.forward(ms)
  }

  /**
   * Delivers what phones send, a line each, and holds the screen to what stands behind `->`.
   *
   * - `s: 2*1 -> CON Loan: 1 tRBTC|0. Back`: the session `s` of the first caller; `s@1: …` is one
   * of the second.
   *   `|` ends a line of the screen; `…` stands for any words, `<date>`, `<address>` and
   *   `<receipt>` for one
   * - `-> same`: what this delivery has shown before; `-> not …`: anything else
   * - `settle`, `fail Balance too low`: what waits is in a final block, and what became of it there
   * - `paid 1`: so many payments the first caller has made; `3 min`: so much time passes; `# …`: a
   * remark
   * - `break`, `repair`: the node gives no answer, and does again; `principal 0.02`: a loan is of
   * so much
   * - `hold 0`, `release 0`: support holds the account of the first caller, and releases it
   */
  async function play(script: string): Promise<void> {
    for (const line of script.split('\n').map((each) => each.trim())) {
      const [, session, caller = '0', text = '', , isNot, wanted] =
        /^([^:]+?)(?:@(\d))?:(?: (.*?))??( -> (not )?(.+))?$/.exec(line) ?? []
      if (session === undefined) {
        if (line !== '') await act(line)
        continue
      }
      const screen = await relay.deliver(Number(caller), session, text)
      const key = line.replace(/ -> .+/, '')
      // What a test says of receipts, it says with their numbers.
      const told = wanted?.includes('<receipt>') ? screen : screen.replaceAll(receipts, '')
      if (wanted === 'same') expect(screen, line).toBe(shown.get(key))
      else if (isNot) expect(told, line).not.toMatch(patternOf(wanted ?? ''))
      else if (wanted !== undefined) expect(told, line).toMatch(patternOf(wanted))
      shown.set(key, screen)
    }
  }

  return { clock, ...relay, play }
}

/** A world in which wallets are added, and codes made, as operators have it done. */
export function openWallets(options: Partial<WorldOptions> = {}) {
  const clock = createHandClock()
  const store = createMemoryStore(clock.now)
  const memory = createMemory(() => store)
  const world = openWorld({ ...options, clock, memory: store })
  const hashInput = (session: string, text: string) => digest('input', session, text)
  return {
    ...world,
    issue: createWalletCodes({ keys: { hashInput }, memory }).issue,
    add: (caller: number, one: Wallet) =>
      memory.change(world.accountOf(caller), (before, now) => addWallet(before, one, now)),
  }
}

/** Gives the sample's tills to callers, the first of them to this one. */
export async function giveTills({ ledger, accountOf }: Parties, first = 1): Promise<void> {
  for (const [index, till] of [...sampleTills.values()].entries()) {
    const to = { ...till, account: accountOf(first + index) }
    await ledger.setTill({ id: till.till, till: till.till, to })
  }
}

type Parties = Pick<ReturnType<typeof openModelledRelay>, 'ledger' | 'accountOf'>

/** Plays a script, which stands behind it, in a world of its own. */
export const plays =
  (title: string, open: () => Pick<World, 'play'> | Promise<Pick<World, 'play'>> = openWorld) =>
  (texts: TemplateStringsArray, ...values: unknown[]) =>
    test(title, async () => {
      const { play } = await open()
      await play(String.raw({ raw: texts }, ...values))
    })

type World = ReturnType<typeof openWorld>

/** Matches receipt numbers behind lines about payments. */
const receipts = / \(\d{3}-\d{4}, \d{1,2} \S+\)$/gm

const anyOf: Readonly<Record<string, string>> = {
  ...{ '|': '\n', '…': '[^]*', '<date>': '\\d{1,2} [A-Z][a-z]{2} 20\\d\\d' },
  ...{
    '<address>': '0x[0-9a-fA-F]{40}',
    '<receipt>': '\\d{3}-\\d{4}(?:, \\d{1,2} [A-Z][a-z]{2})?',
  },
}

/** What a screen has to be as a whole. */
function patternOf(wanted: string): RegExp {
  const words = wanted.replaceAll(/[.*+?^${}()[\]\\]/g, '\\$&')
  return new RegExp(`^${words.replaceAll(/[|…]|<\w+>/g, (each) => anyOf[each] ?? each)}$`)
}
