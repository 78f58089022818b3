import { describe, expect, test } from 'vitest'
import { createScreenReader } from '../../../scripts/dev/oracle/screen-reader.ts'
import { type Fate, judgeSession } from '../../../scripts/dev/oracle/sessions.ts'
import { demonstration } from '../../../src/ussd/messages/demonstration.ts'
import { messagesIn } from '../../../src/ussd/messages/languages.ts'

const read = createScreenReader(demonstration)

/** What is found of a session's screens, each after what was typed for it. */
function findings(screens: readonly (readonly [text: string, screen: string])[], fate: Fate) {
  const told = screens.map(([text, reply]) => ({ text, reply, said: read(reply, 'end') }))
  return [...judgeSession(told, fate)].map(({ rule }) => rule)
}

const submitted = demonstration.loanRequested('0.01 tRBTC', '0x0123456789...')
const nothing: Fate = { isSent: false, outcome: undefined }
const executed: Fate = { isSent: true, outcome: 'executed' }

describe('a screen is read by the message that it is made of', () => {
  test.for(Object.entries(messagesIn))('in the words of %s', ([, say]) => {
    const reads = createScreenReader(say)
    const claimOf = (text: string) => reads(text, 'end')?.claim
    const tx = '0x0123456789...'
    const screen = reads(say.transferSubmitted('2547...002', tx), 'end')
    expect(screen).toEqual({ key: 'transferSubmitted', claim: 'submitted', tx: tx.slice(0, -3) })
    expect(claimOf(say.repaymentSubmitted('all', say.queued))).toBe('submitted')
    expect(claimOf(say.failed.loan)).toBe('failed')
    expect(claimOf(say.nothingWasSent)).toBe('refused')
    expect(claimOf(say.refused.withdrawal_limit(undefined))).toBe('refused')
    expect(claimOf(say.tooManyWait(1))).toBe('refused')
    expect(claimOf(say.pin.locked.blocked)).toBe('refused')
    expect(claimOf(say.sessionEnded)).toBe('ended')
    expect(claimOf(say.sessionClosed)).toBe('closed')
    expect(claimOf(say.uncertain)).toBe('uncertain')
    expect(claimOf(say.unsent)).toBe('uncertain')
    expect(claimOf(say.unavailable)).toBe('unavailable')
    expect(claimOf(say.balance('1 tRBTC'))).toBe('none')
    expect(reads(`${say.pin.wrong(2)}\n${say.pin.enter.send}`, 'ask')?.key).toBe('pin.wrong')
  })

  test('and a changed word is no message', () => {
    expect(read(`${submitted} Soon.`, 'end')).toBeUndefined()
    expect(read('Nothing was sent.', 'end')).toBeUndefined()
  })
})

const other = submitted.replace('0123', '9876')
const failed: Fate = { isSent: true, outcome: 'failed' }

test.for<[what: string, screens: [text: string, screen: string][], fate: Fate, rules: string[]]>([
  [
    'nothing where it is so',
    [
      ['3', submitted],
      ['3', submitted],
    ],
    executed,
    [],
  ],
  ['nothing of what was not sent', [['3', demonstration.nothingWasSent]], nothing, []],
  ['nothing of what failed', [['3', demonstration.failed.loan]], failed, []],
  ['a payment that is none', [['3', submitted]], nothing, ['submitted']],
  ['one that is denied', [['3', demonstration.nothingWasSent]], executed, ['nothing_sent']],
  ['another end', [['3', demonstration.failed.loan]], executed, ['told']],
  ['what nobody knows', [['3', 'Loan done']], executed, ['known']],
  [
    'two answers to one question',
    [
      ['3', submitted],
      ['3', other],
    ],
    executed,
    ['identical'],
  ],
  [
    'two questions',
    [
      ['3', submitted],
      ['4*1', submitted],
    ],
    executed,
    ['one_question'],
  ],
])('the judge of a session finds %s', ([, screens, fate, rules]) => {
  expect(findings(screens, fate)).toEqual(rules)
})
