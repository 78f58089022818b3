import { type Address, zeroAddress } from 'viem'
import { describe, expect } from 'vitest'
import type { LoanLog } from '../../src/loan/calls.ts'
import type { BookedLoan } from '../../src/loan/loan-book.ts'
import type { PagePosition } from '../../src/operator/kept/backup.ts'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'
import {
  accept,
  agreed,
  alice,
  bob,
  carol,
  id,
  judge,
  lentTo,
  loanLog,
  question,
  refusingOf,
  settle,
  unlimited,
} from './payments.ts'

type Answer<Method extends 'readPerson' | 'exportKept'> = Awaited<ReturnType<WholeLedger[Method]>>

const target: Address = '0x4444444444444444444444444444444444444444'
const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
const contract = id('contract').slice(0, 42) as Address

/** Tests what every ledger offers to operators. */
export function operationsSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)
  describe(`the operator before the ledger on ${name}`, () => {
    test('stores when the pause began, and records each action once', async ({ ledger, pass }) => {
      const paused = await ledger.setIntake('paused', 'first')
      pass(60_000)
      expect(await ledger.setIntake('paused', 'second')).toEqual(paused)
      await ledger.setIntake('paused', 'second')
      await ledger.recordAction({ id: 'third', action: 'outbid', detail: { nonce: '7' } })
      await ledger.recordAction({ id: 'third', action: 'outbid', detail: { nonce: '8' } })
      const entries = (await ledger.listAudit({ limit: 10 })).entries
      expect(entries.map(({ id }) => id).sort()).toEqual(['first', 'second', 'third'])
      expect(entries.at(-1)?.id).toBe('first')
      expect(entries.find(({ id }) => id === 'third')?.detail).toEqual({ nonce: '7' })
      expect((await ledger.readVitals()).intake).toEqual(paused)
      pass(399 * dayMs)
      await ledger.prune()
      expect((await ledger.listAudit({ limit: 10 })).entries).toHaveLength(3)
      pass(dayMs + 1)
      await ledger.prune()
      expect((await ledger.listAudit({ limit: 10 })).entries).toEqual([])
      expect((await ledger.readVitals()).intake).toEqual(paused)
    })

    test('carries what only operators know to another ledger, while payments are refused', async ({
      ledger,
      pass,
    }) => {
      const to = { account: bob, name: 'Duka', kind: 'agent' } as const
      await ledger.setHold(alice, true, 'hold', 'SIM swap')
      await ledger.setTill({ id: 'a', till: '12344', to: { ...to, number: 'sealed' } })
      await ledger.setTill({ id: 'b', till: '54320', to: { ...to, number: 'gone' } })
      await ledger.setTill({ id: 'c', till: '54320' })
      await ledger.renumber({
        id: 'r',
        numbering: 'n',
        accounts: [
          [carol, alice],
          [bob, alice],
        ],
      })
      const pages: Answer<'exportKept'>[] = []
      for (
        let next: PagePosition | undefined = { part: 0, from: 0 };
        next;
        next = pages.at(-1)?.next
      )
        pages.push(await ledger.exportKept(next))
      expect(JSON.stringify(pages)).toContain('sealed')
      expect(JSON.stringify(pages)).not.toContain('gone')
      expect(pages.map(({ audit, holds }) => [audit.length, holds.length])[0]).toEqual([4, 0])

      const { ledger: other } = await create()
      await accept(other, 'paid', bob)
      const carry = async () => {
        const answers = []
        for (const page of pages) answers.push(await other.importKept('import', page))
        return answers
      }
      expect((await carry())[0]).toEqual({ kind: 'open' })
      expect((await other.readStanding(alice)).heldAt).toBeUndefined()
      await other.setIntake('paused', 'pause')
      pass(1_000)
      const refused = [bob]
      const [, held, tills, kept] = await carry()
      expect([held, tills]).toMatchObject([{ added: 1 }, { added: 2, refused: [] }])
      expect(kept).toEqual({ kind: 'imported', added: 1, refused })
      const standing = await other.readStanding(alice)
      expect(standing).toMatchObject({ heldAt: expect.any(Number), heldFor: 'SIM swap' })
      expect(await other.listTills()).toEqual(await ledger.listTills())
      expect(await other.findTillNumber(bob)).toBe('sealed')
      expect(await other.findFormerAccount(carol)).toBe(alice)
      const audit = (await other.listAudit({ limit: 99 })).entries
      for (const entry of (await ledger.listAudit({ limit: 99 })).entries)
        expect(audit).toContainEqual(entry)
      expect(audit.map(({ action }) => action)).toContain('import')
      // A removed number is nobody else's, and what the ledger has itself stays.
      const another = { ...to, account: carol }
      expect(await other.setTill({ id: 'd', till: '54320', to: another })).toBeUndefined()
      expect((await carry()).map((one) => 'added' in one && one.added)).toEqual([0, 0, 0, 0])
    })

    test('holds an account in the accepting step, until its release', async ({ ledger, pass }) => {
      await accept(ledger, 'before')
      const held = await ledger.setHold(alice, true, 'a')
      expect(held).toMatchObject({ open: 1, heldAt: expect.any(Number) })
      expect((await judge(ledger, 'offered')).kind).toBe('held')
      expect(await ledger.findPayment('offered')).toBeUndefined()
      const loan = { kind: 'loan', spendsWei: 0n } as const
      expect(await ledger.findKnownRefusal(alice, unlimited, loan)).toEqual({ kind: 'held' })
      expect(await ledger.findKnownRefusal(bob, unlimited, loan)).toBeUndefined()
      expect((await judge(ledger, 'another', bob)).kind).toBe('accepted')
      // What was accepted goes on, and money may arrive.
      await settle(ledger, 'before', 0)
      expect((await ledger.findPayment('before'))?.state).toBe('confirmed')
      pass(1_000)
      const { heldAt } = held
      const renew = (id: string, reason?: string) => ledger.setHold(alice, true, id, reason)
      expect(await renew('b')).toMatchObject({ heldAt, heldFor: undefined })
      expect(await renew('d', 'SIM swap')).toMatchObject({ heldAt, heldFor: 'SIM swap' })
      expect(await renew('e', 'lost phone')).toMatchObject({ heldAt, heldFor: 'lost phone' })
      expect(await renew('f')).toMatchObject({ heldAt, heldFor: 'lost phone' })
      const released = await ledger.setHold(alice, false, 'c', 'has a new SIM')
      expect(released).toMatchObject({ heldAt: undefined, heldFor: undefined })
      expect((await judge(ledger, 'offered')).kind).toBe('accepted')
      const actions = (await ledger.listAudit({ limit: 10 })).entries.map(
        ({ id, action }) => `${id} ${action}`,
      )
      const holds = ['a', 'b', 'd', 'e', 'f'].map((id) => `${id} hold`)
      expect(actions.sort()).toEqual([...holds, 'c release'].sort())
    })

    test('gives a till to another account 90 days after its removal', async ({ ledger, pass }) => {
      const give = async (account: Address, id: string) => {
        const to = { account, name: 'Duka', kind: 'agent' } as const
        return (await ledger.setTill({ id, till: '12344', to }))?.account
      }
      const take = (id: string) => ledger.setTill({ id, till: '12344' })
      expect(await ledger.findTill('12344')).toBeUndefined()
      const given = [await give(alice, 'a'), await give(bob, 'b'), await give(alice, 'a')]
      expect(given).toEqual([alice, alice, alice])
      const till = { till: '12344', account: alice, name: 'Duka', kind: 'agent' }
      expect([await ledger.findTill('12344'), await ledger.listTills()]).toEqual([till, [till]])
      expect(await ledger.lookup(question('s', alice))).toMatchObject({ isAgent: true })
      expect(await ledger.lookup(question('s', bob))).not.toHaveProperty('isAgent')
      const taken = [await take('c'), await take('d'), await ledger.findTill('12344')]
      expect(taken).toEqual([undefined, undefined, undefined])
      expect(await ledger.lookup(question('s', alice))).not.toHaveProperty('isAgent')
      pass(90 * dayMs)
      expect([await give(bob, 'e'), await ledger.listTills()]).toEqual([undefined, []])
      pass(1)
      expect(await give(bob, 'f')).toBe(bob)
      const audit = (await ledger.listAudit({ limit: 9 })).entries
      const done = audit.map(({ action, detail }) => `${action} ${detail.account}`)
      expect(done).toEqual([`add-agent ${bob}`, `remove-agent ${alice}`, `add-agent ${alice}`])
    })

    test("exports a person's rows from later pages of all rows", async ({ ledger, pass }) => {
      const note = (name: string, account: Address) =>
        ledger.recordAction({ id: name, action: name, detail: { account } })
      await note('first', alice)
      pass(1_000)
      await Promise.all(Array.from({ length: 510 }, (_, index) => note(`other ${index}`, bob)))
      pass(1_000)
      await note('last', alice)
      const page = async (position: PagePosition) => {
        const { audit, next } = await ledger.readPerson({ account: alice, contract, position })
        return { actions: audit.map(({ action }) => action), next }
      }
      const { actions, next } = await page({ part: 3, from: 0 })
      expect(actions).toEqual(['first'])
      if (next === undefined) throw new Error('all stood on the first page')
      expect(await page(next)).toEqual({ actions: ['last'], next: undefined })
    })

    test('exports an account, and erases what guards nothing', async ({ ledger, pass, rules }) => {
      const sms = [{ party: 'sender', sealed: '0x51' }] as const
      for (const [nonce, session] of ['old', 'of bob'].entries()) {
        const attached = { till: { account: carol, reference: `paid ${session}` } }
        await accept(ledger, session, nonce === 0 ? alice : bob, { order: { attached, agreed } })
        await settle(ledger, session, nonce)
      }
      pass(rules.retentionMs + 60_000)
      await ledger.prune()
      const order = {
        ...{ sms, agreed, reminder: '0x52' },
        attached: { till: { account: carol, reference: 'AB-12' } },
      }
      await accept(ledger, 'settled', alice, { order, chainNonce: 2, poolNonce: 2 })
      await settle(ledger, 'settled', 2)
      pass(1_000)
      await accept(ledger, 'open', alice, { order: { sms }, chainNonce: 3, poolNonce: 3 })
      await ledger.refuse({ ...refusingOf('refused'), reason: 'blocked' })
      await ledger.setHold(alice, true, 'hold')
      const repaid = { borrower: alice, payer: alice, amount: 11n, remaining: 0n }
      const logs = [lentTo(alice, 60), lentTo(bob, 60), loanLog('LoanRepaid', repaid)]
      await ledger.bookLoans({ contract, from: undefined, next: 5, logs })
      expect(await ledger.readStanding(alice, contract)).toMatchObject({ reminded: 'none' })
      expect((await ledger.readStanding(bob, contract)).reminded).toBeUndefined()

      const till = { account: alice, name: 'Corner Shop', kind: 'agent' } as const
      // Its number, sealed, is no part of what is exported.
      await ledger.setTill({ id: 'till', till: '12344', to: { ...till, number: 'sealed' } })

      const tell = async (account: Address) => {
        const pages: Answer<'readPerson'>[] = []
        for (let position: PagePosition | undefined = { part: 0, from: 0 }; position; ) {
          const page: Answer<'readPerson'> = await ledger.readPerson({
            account,
            contract,
            position,
          })
          pages.push(page)
          position = page.next
        }
        return {
          payments: pages.flatMap((page) => page.payments.map(({ intentId }) => intentId)),
          archived: pages.flatMap((page) => page.archived.map(({ intentId }) => intentId)),
          agreed: pages.flatMap((page) =>
            [...page.payments, ...page.archived].flatMap((each) => each.agreed ?? []),
          ),
          sessions: pages.flatMap((page) => page.sessions.map(({ reason }) => reason)),
          audit: pages.flatMap((page) => page.audit.map(({ action }) => action)),
          loans: pages.flatMap(({ loan }) => (loan ? [loan.state] : [])),
          references: pages.flatMap((page) => page.references.map(({ reference }) => reference)),
          tills: pages.flatMap((page) => page.tills),
        }
      }
      const ofBob = await tell(bob)
      const whole = {
        ...{ payments: [id('settled'), id('open')], archived: [id('old')] },
        agreed: [agreed, agreed],
        ...{ sessions: ['blocked'], audit: ['hold', 'add-agent'], loans: ['repaid'] },
        ...{ references: ['AB-12', 'paid old'], tills: [{ till: '12344', ...till }] },
      }
      expect(await tell(alice)).toEqual(whole)
      const erasing = { id: 'erase', account: alice, contract, from: 0 }
      pass(1_000)
      const erased = await ledger.erase(erasing)
      expect(erased).toEqual({
        gone: { archived: 1, messages: 1, refusals: 1, loans: 1 },
        kept: { payments: 2, open: 1, loans: 0, holds: 1, recalled: 0, until: expect.any(Number) },
        next: undefined,
      })
      const nothing = { archived: 0, messages: 0, refusals: 0, loans: 0 }
      expect((await ledger.erase(erasing)).gone).toEqual(nothing)
      const left = {
        agreed: [agreed],
        ...{ archived: [], sessions: [undefined], loans: [], references: ['AB-12'] },
        audit: ['hold', 'add-agent', 'erase'],
      }
      expect(await tell(alice)).toEqual({ ...whole, ...left })
      expect(await tell(bob)).toEqual(ofBob)
      expect((await ledger.erase({ ...erasing, account: bob })).kept).toMatchObject({ loans: 1 })

      // Whatever is delivered again is answered as it was, and nothing is paid again.
      await ledger.setHold(alice, false, 'release')
      for (const session of ['settled', 'open', 'refused']) {
        expect((await judge(ledger, session)).kind).toBe('answered')
      }
      await settle(ledger, 'open', 3)
      expect((await ledger.takeSms(9)).taken.map(({ session }) => session)).toEqual(['open'])
      pass(dayMs)
      expect(await ledger.listDueReminders(9)).toEqual([alice])
      await ledger.erase({ ...erasing, id: 'once more' })
      expect(await ledger.listDueReminders(9)).toEqual([])
      expect(await ledger.prune()).toBeUndefined()
      expect((await judge(ledger, 'open')).kind).toBe('answered')
      pass(rules.retentionMs / 2)
      await accept(ledger, 'later', alice, { chainNonce: 4, poolNonce: 4 })
      await settle(ledger, 'later', 4)
      pass(rules.retentionMs + 60_000)
      await ledger.prune()
      const { payments } = await ledger.readPage({ archived: true, limit: 9 })
      const named = payments.map(({ intentId, account, spendsWei, agreed }) => [
        ...[intentId, account, spendsWei === '0' && agreed === null],
      ])
      const erasedOnes = ['settled', 'open', 'old', 'of bob'].map((session) => [
        ...[id(session), zeroAddress, true],
      ])
      expect(named.sort()).toEqual([...erasedOnes, [id('later'), alice, false]].sort())
    })

    test('shows the counts of the hour and the day', async ({ ledger, pass }) => {
      const refuse = (session: string, reason: string) =>
        ledger.refuse({ ...refusingOf(session), reason })
      const look = async () => (await ledger.readVitals({ probes: true })).lately
      await look()
      await refuse('s0', 'blocked')
      expect((await look()).hour.counts).toEqual({ 'refused.blocked': 1 })
      for (let minutes = 0; minutes < 75; minutes += 5) {
        pass(5 * 60_000)
        await look()
      }
      await refuse('s1', 'held')
      const { hour, today } = await look()
      expect(hour.counts).toEqual({ 'refused.held': 1 })
      expect(today.counts).toHaveProperty(['refused.held'], 1)
      pass(dayMs)
      expect((await look()).today.counts).toEqual({})
    })

    test('counts the payments of each hour of about a day, also once samples are dropped', async ({
      ledger,
      pass,
    }) => {
      const look = async () => (await ledger.readVitals({ probes: true })).paymentsByHour
      const { now } = await ledger.readVitals()
      // Is two hours before midnight.
      const begin = now - (now % dayMs) + dayMs + 22 * hourMs
      pass(begin + 60_000 - now)
      for (const [hour, count] of [2, 0, 1].entries()) {
        await look()
        for (let each = 0; each < count; each += 1) await accept(ledger, `s${hour}.${each}`)
        for (let minutes = 0; minutes < 60; minutes += 5) {
          pass(5 * 60_000)
          await look()
        }
      }
      const hours = [
        { at: begin, payments: 2 },
        { at: begin + 2 * hourMs, payments: 1 },
      ]
      expect(await look()).toEqual(hours)
      for (let hour = 3; hour < 23; hour += 1) {
        pass(hourMs)
        await look()
      }
      expect(await look()).toEqual(hours)
      pass(4 * hourMs)
      await look()
      expect(await look()).toEqual([])
    })

    test("keeps the loan book by the contract's events, each block once", async ({ ledger }) => {
      const term = { principal: 1n, dailyCap: 0n, term: 60, pauseBetween: 0, loansPerDay: 0 }
      const current = { ...term, listOnly: false, feeRate: 0 }
      const terms = loanLog('TermsSet', { previous: current, current })
      const paid = (borrower: Address, amount: bigint, remaining: bigint) =>
        loanLog('LoanRepaid', { borrower, payer: bob, amount, remaining })
      const book = (from: number | undefined, next: number, ...logs: LoanLog[]) =>
        ledger.bookLoans({ contract, from, next, logs })
      const listed = async (state: BookedLoan['state']) =>
        (await ledger.listLoans({ contract, state, limit: 9 })).map(({ borrower }) => borrower)
      expect(await ledger.readLoanBook(contract)).toMatchObject({ next: undefined })
      await book(undefined, 5, terms, lentTo(alice, 100), lentTo(bob, 90), lentTo(carol, 95))
      // A second reader of the same blocks notes nothing.
      await book(undefined, 5, lentTo(alice, 100))
      expect(await listed('owed')).toEqual([bob, carol, alice])
      await book(5, 9, paid(alice, 4n, 7n), paid(bob, 11n, 0n))
      await book(5, 9, paid(alice, 4n, 3n))
      await book(9, 10, loanLog('LoanWrittenOff', { borrower: carol, amount: 11n }))
      const loan = { borrower: alice, state: 'owed', issuedAt: 40, dueAt: 100, earlierLoanCount: 0 }
      const inWei = { lentWei: 10n, owedWei: 7n, repaidWei: 4n }
      const owed = { contract, state: 'owed', limit: 9 } as const
      expect(await ledger.listLoans(owed)).toEqual([{ ...loan, ...inWei }])
      expect([await listed('repaid'), await listed('written_off')]).toEqual([[bob], [carol]])
      await book(10, 11, lentTo(bob, 200))
      const passed = { from: alice, to: target, amount: 0n, owed: 7n }
      await book(11, 12, loanLog('AccountPassed', passed), paid(target, 7n, 0n))
      const lentAgain = [{ borrower: bob, earlierLoanCount: 1, repaidWei: 0n }]
      expect(await ledger.listLoans(owed)).toMatchObject(lentAgain)
      expect([await listed('moved'), await listed('repaid')]).toEqual([[alice], [target]])
      const { next, sums } = await ledger.readLoanBook(contract)
      const wei = { lentWei: 40n, repaidWei: 22n, writtenOffWei: 11n }
      expect({ next, sums }).toEqual({ next: 12, sums: { termSeconds: 60, loans: 4, ...wei } })
    })

    test('keeps cleared alerts', async ({ ledger, pass, rules }) => {
      const finding = { name: 'stuck', says: 'Look.' }
      await ledger.recordAlerts([finding], { mustNotify: false })
      expect(await ledger.listPastAlerts()).toEqual([])
      await ledger.recordAlerts([], { mustNotify: false })
      pass(rules.alertEndMs + 1_000)
      await ledger.recordAlerts([], { mustNotify: false })
      expect(await ledger.listPastAlerts()).toMatchObject([finding])
      await ledger.recordAlerts([], { mustNotify: false })
      expect(await ledger.listPastAlerts()).toHaveLength(1)
    })

    test('shows every payment once, in pages, and history', async ({ ledger, pass, rules }) => {
      const sessions = ['s0', 's1', 's2', 's3']
      for (const [nonce, session] of sessions.entries()) {
        await accept(ledger, session)
        // Two of them at a time in one moment.
        if (nonce % 2 === 1) pass(5_000)
      }
      const walk = async (archived: boolean, limit: number) => {
        const seen: string[] = []
        for (let before: number | undefined; ; ) {
          const { payments, next } = await ledger.readPage({ archived, limit, before })
          seen.push(...payments.map(({ intentId }) => intentId))
          if (next === undefined) return seen.sort()
          before = next
        }
      }
      const all = sessions.map(id).sort()
      expect(await walk(false, 3)).toEqual(all)
      expect(await walk(false, 50)).toEqual(all)
      for (const [nonce, session] of sessions.entries()) await settle(ledger, session, nonce)
      pass(rules.retentionMs + 60_000)
      await ledger.prune()
      expect(await walk(false, 2)).toEqual([])
      expect(await walk(true, 50)).toEqual(all)
      const [first] = (await ledger.readPage({ intent: id('s0'), limit: 1 })).payments
      expect(first).toMatchObject({ state: 'confirmed', deadline: null })
    })

    test('accepts another table of number forms once numbers keep accounts', async ({ ledger }) => {
      const under = (NUMBERING: string) => ({ chainId: 31, fingerprints: { NUMBERING } })
      const renumber = (accounts: [Address, Address][], kept?: number, id = 'alias') =>
        ledger.renumber({ id, numbering: 'new', accounts, kept })
      await ledger.identify(under('old'))
      const different = { kind: 'different', names: ['NUMBERING'] }
      expect(await ledger.identify(under('new'))).toEqual(different)
      await accept(ledger, 'paid', bob)
      const pairs = [alice, bob].map((account): [Address, Address] => [account, carol])
      // Who has paid from an account has it for good: a redelivery would else pay from the other
      // one.
      const kept = { kind: 'renumbered', refused: [bob] }
      expect(await renumber(pairs)).toEqual(kept)
      expect(await renumber(pairs)).toEqual(kept)
      expect(await renumber([[alice, bob]])).toEqual({ kind: 'renumbered', refused: [alice] })
      expect(await ledger.findFormerAccount(alice)).toBe(carol)
      expect(await ledger.findFormerAccount(bob)).toBeUndefined()
      expect(await ledger.identify(under('new'))).toEqual(different)
      expect((await ledger.listAudit({ limit: 9 })).entries).toEqual([])
      expect(await renumber([], 1)).toEqual({ kind: 'renumbered', refused: [] })
      expect(await ledger.identify(under('new'))).toEqual({ kind: 'same' })
      expect(await ledger.identify(under('old'))).toEqual(different)
      const detail = { numbering: 'new', kept: '1' }
      expect((await ledger.listAudit({ limit: 9 })).entries).toMatchObject([
        { action: 'alias', detail },
      ])
      // While payments are taken no number gets another account.
      expect(await renumber([[target, carol]], 2, 'late')).toEqual({ kind: 'serving' })
      await ledger.setIntake('paused', 'pause')
      expect(await renumber([[target, carol]], 2, 'late')).toMatchObject({ refused: [] })
      expect(await ledger.findFormerAccount(target)).toBe(carol)
    })

    test("counts payments' outcomes, whatever is pruned", async ({ ledger, pass, rules }) => {
      for (const session of ['s0', 's1']) await accept(ledger, session)
      for (const _ of ['once', 'twice']) {
        await settle(ledger, 's0', 0)
        await ledger.refuse(refusingOf('s2', bob))
      }
      await ledger.expire('s1', 5_000_000_000)
      await ledger.refuse({ ...refusingOf('s3', bob), obstacle: 'paused' })
      pass(rules.retentionMs + 60_000)
      await ledger.prune()
      const ofTransfers = { 'transfer.accepted': 2, 'transfer.executed': 1, 'transfer.overdue': 1 }
      const counts = { ...ofTransfers, 'refused.own': 1, 'refused.paused': 1 }
      expect((await ledger.readVitals()).counts).toEqual(counts)
    })
  })
}
