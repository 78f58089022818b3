import type { Address, Hex } from 'viem'
import type { Execution, Ledger, OpenNonce, Work } from '../../../../src/relay/ledger/port.ts'
import { tableNames } from '../../../../src/relay/ledger/rows.ts'
import type { Sql } from '../../../../src/relay/ledger/stores/sql.ts'
import type { SqlLedger } from '../../../../src/relay/ledger/stores/sqlite.ts'
import { unsettled } from './open.ts'

const hash: Hex = `0x${'57'.repeat(32)}`
const account: Address = `0x${'57'.repeat(20)}`
const token = 'a token of no claim'
const transaction = { hash, raw: hash, gasPriceWei: 10n ** 15n }
const screen = { kind: 'end' as const, lines: ['Nothing.'] }
const execution: Execution = { outcome: 'executed', reason: '', hash, block: { number: 1, hash } }

/** What a call answers that answers nothing. */
const nothing = { kind: 'nothing' }

/** A call that has to change nothing, and what it is answered. */
type Call = { [Method in keyof Ledger]: [Method, Parameters<Ledger[Method]>, string] }[keyof Ledger]

/**
 * Makes calls that come too late or from a process that holds nothing, at a moment of a history, and
 * tells which of them change something or are answered otherwise than by a refusal.
 */
export function strangersCalls(ledger: SqlLedger, storage: Sql): string[] {
  const calls = callsOn(ledger.work())
  const before = textOf(storage)
  const wrong = calls.flatMap(([method, args, expected]) => {
    const call = ledger[method] as (...args: readonly unknown[]) => unknown
    const answer = call(...args)
    const said = Array.isArray(answer) ? { kind: `${answer.length}` } : (answer ?? nothing)
    const { kind } = said as { kind: string }
    return kind === expected ? [] : [`${method} of a stranger is answered ${kind}, not ${expected}`]
  })
  return textOf(storage) === before ? wrong : [...wrong, 'the calls of a stranger changed rows']
}

const textOf = (storage: Sql): string =>
  JSON.stringify(tableNames.map((table) => storage.exec(`SELECT row FROM ${table}`)))

function callsOn(work: Work): Call[] {
  const { nonces, carried, mined, queued, stuck } = work
  const waiting = [...queued, ...stuck]
  const held = nonces.filter(({ leaseLive }) => leaseLive).map(({ nonce }) => nonce)
  const elsewhere = { ...execution, block: { number: 2, hash } }
  return [
    ...nonces.flatMap(onNonce),
    ...carried.flatMap(({ session }): Call[] => [
      ['settle', [session, execution], '0'],
      ['confirm', [session, hash], '0'],
    ]),
    ...carried
      .filter(({ session }) => nonces.some((one) => one.session === session))
      .map(({ session }): Call => ['requeue', [session], '0']),
    ...mined.flatMap(({ session }): Call[] => [
      ['confirm', [session, hash], '0'],
      ['expire', [session], '0'],
      ['requeue', [session], '0'],
      ['settle', [session, elsewhere], '0'],
    ]),
    ...waiting.flatMap(({ session }): Call[] => [
      ['confirm', [session, hash], '0'],
      ['requeue', [session], '0'],
    ]),
    ...unsettled(work).flatMap(({ session, order }): Call[] => {
      const question = { session, input: 'another', account: order.request.from, steps: 3 }
      const counts = { chainNonce: 0, poolNonce: 0, seen: undefined }
      const none = { seen: undefined, transaction: undefined }
      return [
        ['record', [{ session, token, order, screen, ...none }], 'fenced'],
        ['claim', [{ ...question, ...counts, token }], 'ended'],
        ['refuse', [{ ...question, screen, token }], 'ended'],
        ['adopt', [{ ...question, screen, order, execution }], 'ended'],
        ['lookup', [question], 'ended'],
      ]
    }),
    // What is held is its holder's, and what was not named is left as it is.
    ['release', [held, 0], nothing.kind],
    ['release', [[], 0], nothing.kind],
    ['sent', [hash, true], '0'],
    ['displaced', [work.nextNonce + 9], '0'],
    ['abandon', [work.nextNonce + 9], '0'],
    ['reopen', [hash], '0'],
    ['payments', [account, 5], '0'],
  ]
}

/** A nonce that another holds, or that has bytes. */
function onNonce({ nonce, session, state, leaseLive, transactions }: OpenNonce): Call[] {
  if (state === 'leased' && !leaseLive) return []
  const leasing = { nonce, token, chainNonce: nonce, session: undefined }
  const calls: Call[] = [
    ['lease', [leasing], 'taken'],
    ['lease', [{ ...leasing, chainNonce: nonce + 1 }], 'taken'],
    ['attach', [{ nonce, token, transaction }], 'fenced'],
    ['mined', [{ nonce, session: 'another', hash, block: { number: 1, hash }, execution }], '0'],
  ]
  const [highest] = transactions
  if (state === 'leased' || highest === undefined) return calls
  const isFree = session === undefined
  return [
    ...calls,
    ['replace', [{ nonce, over: hash, carriesPayment: !isFree, transaction }], 'fenced'],
    ...(isFree
      ? [
          [
            'replace',
            [{ nonce, over: highest.hash, carriesPayment: true, transaction }],
            'fenced',
          ] as Call,
        ]
      : []),
  ]
}
