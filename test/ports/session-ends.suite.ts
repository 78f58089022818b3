import { describe, expect } from 'vitest'
import { createRandom, type Random } from '../../scripts/dev/random.ts'
import { getPhone } from '../../scripts/dev/simulator/plan.ts'
import { ledgerParts } from '../../src/compose/ledger.ts'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import { createLedgerPort } from '../../src/relay/ledger/port.ts'
import { openModelledService } from '../support/modelled-service.ts'
import { seed, times } from '../support/sample.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'

const sessionCount = times({ sampled: 1, full: 12 })
const ordersOfEach = times({ sampled: 2, full: 12 })
const stranger = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
const plenty = 1_000

/** Matches the end screens of sessions that move no money afterwards. */
const isEnd = (screen: string): boolean =>
  /^END (This session has ended|Too many wrong answers|.*Nothing was sent)/.test(screen)

/** Draws a caller's answers in order, perhaps beyond the last screen. */
function drawAnswers(random: Random): string[] {
  const phone = getPhone(random.int(1, 3)).replace('+254', '0')
  const amount = `0.00${random.int(1, 4)}`
  const slips = random.chance(0.3) ? ['nobody'] : []
  const intent = random.pick([
    ['2', ...slips, phone, amount],
    ['2', ...slips, phone, '0', phone, amount],
    ['3'],
    ['4', '2', '0.001'],
    ['9', '9', ...random.pick([['9'], ['3']])],
    ['1'],
  ])
  const more = random.pick([[], ['1'], ['2', phone, amount], ['3'], ['9', '9', '9']])
  return [...intent, ...more]
}

/** Lists everything that a gateway may deliver of it: each beginning and each rest. */
function textsOf(answers: readonly string[]): string[] {
  const beginnings = answers.map((_, index) => answers.slice(0, index + 1).join('*'))
  const rests = answers.map((_, index) => answers.slice(index).join('*'))
  return [...new Set(['', ...beginnings, ...rests])]
}

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  const drawn = items.map((item) => ({ item, place: random.next() }))
  return drawn.sort((a, b) => a.place - b.place).map(({ item }) => item)
}

/** Tests that the end of a session is true, on any store. */
export function sessionEndsSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)
  describe(`the end of a session, on ${name} (SEED=${seed})`, () => {
    async function open(callers: number) {
      const { ledger, relayer } = await create()
      const room = { callers, poolLoans: plenty, capLoans: plenty }
      const service = openModelledService({ ledger, relayer, ...room })
      const paid = async (caller: number) =>
        (await ledger.listPayments(service.accountOf(caller), 10)).length
      return { ...service, paid }
    }

    const sessions = Array.from({ length: sessionCount }, (_, index) =>
      drawAnswers(createRandom(seed, `session ${index}`)),
    )
    const given = [['2', '0700000002', '0.001', '1'], ['9', '9', '9', '3'], ...sessions].map(
      (answers) => [answers.join('*'), answers] as const,
    )

    test.for(given)('is an end if all of %s arrives at once', async ([, answers]) => {
      const random = createRandom(seed, answers.join('*'))
      const texts = textsOf(answers)
      const { deliver, paid } = await open(ordersOfEach)
      for (let caller = 0; caller < ordersOfEach; caller++) {
        const order = shuffled(random, [...texts, ...texts])
        const screens = await Promise.all(order.map((text) => deliver(caller, 's', text)))
        const payments = await paid(caller)
        const what = `${order.join(' | ')}: ${screens.join(' | ')}`
        if (screens.some((screen) => /Nothing was sent/.test(screen)))
          expect(payments, what).toBe(0)
        expect(payments, what).toBeLessThanOrEqual(1)
        const later = []
        for (const text of shuffled(random, texts)) later.push(await deliver(caller, 's', text))
        if (screens.some(isEnd)) expect(await paid(caller), what).toBe(payments)
        if (later.some(isEnd)) expect(await paid(caller)).toBeLessThanOrEqual(1)
      }
    })

    test('is in the ledger before it is shown, and says that nothing was sent', async () => {
      const { deliver } = await open(2)
      const closed = 'END This session has ended. Nothing was sent. Please dial again.'
      const ended = 'END This session has ended. Please dial again.'
      const mistakes = 'END Too many wrong answers. Nothing was sent. Please dial again.'
      expect(await deliver(0, 'late', '2*0700000001*0.001*1')).toBe(closed)
      expect(await deliver(0, 'late', '2*0700000001*0.001')).toBe(closed)
      expect(await deliver(0, 'wrong', '9*9*9')).toBe(mistakes)
      expect(await deliver(0, 'wrong', '3')).toBe(closed)
      expect(await deliver(0, 'wrong', '9*9*9')).toBe(mistakes)
      expect(await deliver(0, 'paid', '2*0700000001*0.001')).toMatch(/^END Transfer Submitted/)
      expect(await deliver(0, 'paid', '2*0700000001*0.001*1')).toBe(ended)
      expect(await deliver(0, 'paid', '9*9*9')).toBe(ended)
    })

    test('is the only screen without a payment that asks the ledger', async ({ harness }) => {
      const asked: string[] = []
      const deliver = openOver(harness, (method) => void asked.push(method))
      for (const text of ['', '2', '9', '9*9', '2*x', '2*0700000001', '4', '4*2', '1']) {
        expect(await deliver(0, `a session of ${text}`, text)).toMatch(/^(CON |END Your Balance)/)
      }
      expect(asked).toEqual(['identify'])
      await deliver(0, 'another', '9*9*9')
      expect(asked).toEqual(['identify', 'lookup', 'refuse'])
    })

    /** Opens the service over a ledger, each call of which is shown first. */
    function openOver(
      { ledger, relayer }: LedgerHarness,
      show: (method: keyof WholeLedger) => void,
    ) {
      const shown = createLedgerPort(ledgerParts.steps, async (method, args) => {
        show(method)
        return await (ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args)
      })
      const room = { callers: 2, poolLoans: plenty, capLoans: plenty }
      return openModelledService({ ledger: shown, relayer, ...room }).deliver
    }

    const writes = ['refuse', 'acceptOffers']
    test.for([
      { how: 'does not write', refused: writes, says: /^END Not sent so far, but it may/ },
      { how: 'does not answer', refused: [...writes, 'lookup'], says: /^END It is not known/ },
    ])('is not ended where the ledger $how', async ({ refused, says }, { harness }) => {
      let isWell = false
      const deliver = openOver(harness, (method) => {
        if (!isWell && refused.includes(method)) throw new Error('The ledger is not there.')
      })
      expect(await deliver(0, 'ended', '9*9*9')).toMatch(says)
      expect(await deliver(0, 'paid', `2*${stranger}*0.001`)).toMatch(says)
      isWell = true
      // Delivered again it is decided, and then it may be said that nothing was sent, or that it
      // was.
      expect(await deliver(0, 'ended', '9*9*9')).toMatch(/Nothing was sent\. Please dial again\.$/)
      expect(await deliver(0, 'paid', `2*${stranger}*0.001`)).toMatch(/^END Transfer Submitted\n/)
    })
  })
}
