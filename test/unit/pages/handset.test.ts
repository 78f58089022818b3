import { expect, test } from 'vitest'
import {
  createGatewayForm,
  hidePins,
  writeRequest,
} from '../../../scripts/stack/phone/page/phone.js'
import { gatewayForms } from '../../../scripts/stack/phone/phone-lines.ts'
import { africasTalking } from '../../../src/ussd/gateways/presets.ts'
import { transfer } from '../../../src/ussd/menu/entries/transfer.ts'
import { messagesIn } from '../../../src/ussd/messages/languages.ts'

const posts = gatewayForms['africas-talking']

/** Dials the code, gets this screen and answers it. */
function dialled(code: string, screen: string, typed: string) {
  const replies = [{ screen: `CON ${screen}`, gatewayState: '' }]
  const first = { typed: code, shown: hidePins(code), replies }
  const second = { typed, shown: hidePins(typed, screen), replies: [] }
  return { id: 'phone-1', phone: '+254700000001', steps: [first, second] }
}

test.for(Object.entries(messagesIn))('a PIN is hidden on all screens for it in %s', ([, say]) => {
  const { choose, again, form, easy, differs, enter, wrong } = say.pin
  const asked = [choose, again, form, easy, differs, enter.see, enter.change, wrong(2)]
  const sent = [enter.confirm, transfer.words(say).enterPin]
  for (const screen of [...asked, ...sent]) {
    const of = dialled('*384*1#', screen, '5071')
    expect(of.steps[1]?.shown, screen).toBe('PIN')
    expect(writeRequest(posts, of, 1, 'shown')).toMatch(/text=1\*PIN$/)
    expect(writeRequest(posts, of, 1)).toMatch(/text=1\*5071$/)
  }
})

test('a dialled code hides possible PINs, but not choices and numbers', () => {
  const of = dialled('*384*2*0700000002*0.1*5071#', 'Amount:', '1000')
  expect(of.steps[0]?.shown).toBe('*384*2*0700000002*0.1*PIN#')
  expect(writeRequest(posts, of, 1, 'shown')).toMatch(/text=2\*0700000002\*0.1\*PIN\*1000$/)
})

test('a code of the service with more parts stands before the answers, and hides none of its own', () => {
  const serviceCode = '*38400*1#'
  const shown = hidePins('*38400*1*2*5071#', undefined, serviceCode)
  expect(shown).toBe('*38400*1*2*PIN#')
  const form = createGatewayForm(africasTalking.declaration, serviceCode)
  const steps = ['*38400*1*2*5071#', serviceCode].map((typed) => ({ typed, shown, replies: [] }))
  const send = (step: number, part?: 'shown') =>
    writeRequest(form, { id: 'p', phone: '+254700000001', steps: steps.slice(step) }, 0, part)
  expect(send(0)).toMatch(/text=2\*5071$/)
  expect(send(0, 'shown')).toMatch(/text=2\*PIN$/)
  expect(send(1)).toMatch(/text=$/)
})
