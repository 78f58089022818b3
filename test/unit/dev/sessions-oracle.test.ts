import { expect, test } from 'vitest'
import { createScreenReader } from '../../../scripts/dev/oracle/screen-reader.ts'
import { type Fate, judgeSession } from '../../../scripts/dev/oracle/sessions.ts'
import { loan } from '../../../src/ussd/menu/entries/loan.ts'
import { demonstration } from '../../../src/ussd/messages/demonstration.ts'

const read = createScreenReader(demonstration)

/** Judges a session's screens, each with its text. */
function findings(screens: readonly (readonly [text: string, screen: string])[], fate: Fate) {
  const told = screens.map(([text, reply]) => ({ text, reply, said: read(reply, 'end') }))
  return [...judgeSession(told, fate)].map(({ rule }) => rule)
}

const words = loan.words(demonstration)
const submitted = words.submitted('0.01 tRBTC', '', '0x0123456789...')
const nothing: Fate = { isSent: false, outcome: undefined }
const executed: Fate = { isSent: true, outcome: 'executed' }

const other = submitted.replace('0123', '9876')
const failed: Fate = { isSent: true, outcome: 'failed' }

const [once, denied, refuted] = [
  ['3', submitted],
  ['3', demonstration.nothingWasSent],
  ['3', demonstration.failed(words.label)],
] as const

test.for<[what: string, screens: (readonly [string, string])[], fate: Fate, rules: string[]]>([
  ['nothing where it is so', [once, once], executed, []],
  ['nothing of what was not sent', [denied], nothing, []],
  ['nothing of what failed', [refuted], failed, []],
  ['a payment that is none', [once], nothing, ['submitted']],
  ['one that is denied', [denied], executed, ['nothing_sent']],
  ['another end', [refuted], executed, ['told']],
  ['what nobody knows', [['3', 'Loan done']], executed, ['known']],
  ['two answers to one question', [once, ['3', other]], executed, ['identical']],
  ['two questions', [once, ['4*1', submitted]], executed, ['one_question']],
])('the judge of a session finds %s', ([, screens, fate, rules]) => {
  expect(findings(screens, fate)).toEqual(rules)
})
