import { expect, test } from 'vitest'
import { gatewayForms } from '../../../src/pages/phone/gateway-forms.ts'
import {
  addAnswer,
  addReply,
  getTypedText,
  type PhoneSession,
  startSession,
  writeRequest,
} from '../../../src/pages/phone/handset.ts'
import { payments } from '../../../src/ussd/menu/payments.ts'
import { messagesIn } from '../../../src/ussd/messages/languages.ts'

const posts = gatewayForms['africas-talking']

/** Dials the code, gets this screen and answers it. */
function dialled(code: string, screen: string, typed: string): PhoneSession {
  const phone = { phone: '+254700000001', gateway: 'africas-talking', profile: 'lender' } as const
  const [begun] = startSession([], { ...phone, startedAt: 0, code }, 'answered')
  if (begun === undefined) throw new Error('nothing was dialled')
  const reply = `CON ${screen}`
  const came = { status: 200, reply, screen: reply, gatewayState: '', tookMs: 1 }
  const asked = addReply(begun, 0, {
    ...{ received: came, now: 1, replyState: 'answered', isLate: false },
  })
  return addAnswer(asked, typed, 'answered')
}

test.for(Object.entries(messagesIn))('a PIN is hidden on all screens for it in %s', ([, say]) => {
  const { choose, again, form, easy, differs, enter, wrong } = say.pin
  const asked = [choose, again, form, easy, differs, enter.see, enter.change, wrong(2)]
  const sent = Object.values(payments).map(({ words }) => words(say).enterPin)
  for (const screen of [...asked, ...sent]) {
    const of = dialled('*384*1#', screen, '5071')
    expect(getTypedText(of, 1, true), screen).toBe('PIN')
    expect(writeRequest(posts, of, 1, true)).toMatch(/text=1\*PIN$/)
    expect(writeRequest(posts, of, 1)).toMatch(/text=1\*5071$/)
  }
})

test('a dialled code hides possible PINs, but not choices and numbers', () => {
  const of = dialled('*384*2*0700000002*0.1*5071#', 'Amount:', '1000')
  expect(getTypedText(of, 0, true)).toBe('*384*2*0700000002*0.1*PIN#')
  expect(writeRequest(posts, of, 1, true)).toMatch(/text=2\*0700000002\*0.1\*PIN\*1000$/)
})
