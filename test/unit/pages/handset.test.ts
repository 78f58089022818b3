import { expect, test } from 'vitest'
import { gatewayForms } from '../../../scripts/stack/phone/phone-lines.ts'
import {
  deliverStep,
  getScreen,
  getTypedText,
  isWaitingForAnswer,
  type PhoneSession,
  type Step,
  writeRequest,
} from '../../../src/pages/phone/handset.ts'
import { payments } from '../../../src/ussd/menu/payments.ts'
import { messagesIn } from '../../../src/ussd/messages/languages.ts'

const form = gatewayForms['africas-talking']

const createStep = (typed: string, mode: Step['mode'] = 'As usual', body?: string): Step => ({
  ...{ typed, mode },
  replies:
    body === undefined ? [] : [{ status: 200, body, screen: body, gatewayState: '', tookMs: 1 }],
})

/** Dials the code, gets this screen and answers it. */
const dialled = (code: string, screen: string, typed: string): PhoneSession => ({
  ...{ id: 's', phone: '+254700000001', gateway: 'africas-talking', profile: 'lender' },
  ...{ startedAt: 0, endedAt: null },
  steps: [createStep(code, 'As usual', `CON ${screen}`), createStep(typed)],
})

test.for(Object.entries(messagesIn))('a PIN is hidden on all screens for it in %s', ([, say]) => {
  const { choose, again, form: asForm, easy, differs, enter, wrong } = say.pin
  const asked = [choose, again, asForm, easy, differs, enter.see, enter.change, wrong(2)]
  const sent = Object.values(payments).map(({ words }) => words(say).enterPin)
  for (const screen of [...asked, ...sent]) {
    const of = dialled('*384*1#', screen, '5071')
    expect(getTypedText(of, 1, true), screen).toBe('PIN')
    expect(writeRequest(form, of, 1, true)).toMatch(/text=1\*PIN$/)
    expect(writeRequest(form, of, 1)).toMatch(/text=1\*5071$/)
  }
})

test('a dialled code hides possible PINs, but not choices and numbers', () => {
  const of = dialled('*384*2*0700000002*0.1*5071#', 'Amount:', '1000')
  expect(getTypedText(of, 0, true)).toBe('*384*2*0700000002*0.1*PIN#')
  expect(writeRequest(form, of, 1, true)).toMatch(/text=2\*0700000002\*0.1\*PIN\*1000$/)
})

test('a step is delivered again with the same bytes, and its reply may be lost', async () => {
  const session = dialled('*384#', 'Menu', '1')
  const step = createStep('1', 'Lose the reply')
  session.steps[1] = step
  session.intent = null
  const sent: string[] = []
  const post = async (body: string) => {
    sent.push(body)
    return { status: 200, body: 'END Done' }
  }
  await deliverStep(form, session, step, post)
  expect([getScreen(session), session.endedAt, isWaitingForAnswer(session)]).toEqual([
    ...[undefined, null, false],
  ])
  expect(session.intent).toBeUndefined()
  await deliverStep(form, session, step, post)
  expect(getScreen(session)).toBe('END Done')
  expect(session.endedAt).not.toBeNull()
  expect(new Set(sent).size).toBe(1)
})
