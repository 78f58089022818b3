import { expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { createCallerAccounts } from '../../../src/account/keys.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { createSessionKeys } from '../../../src/account/session-keys.ts'
import { createAsked } from '../../../src/ussd/asked.ts'

const secret = `0x${'77'.repeat(32)}` as const
const [caller, friend] = ['+254700000001', '+254700000002'].map((each) => parseCaller(each)) as [
  PhoneNumber,
  PhoneNumber,
]

test('a delivery derives the account of a number once, however many of its steps ask for it', async () => {
  const derive = createCallerAccounts(secret)
  const derived: PhoneNumber[] = []
  const accounts = (phone: PhoneNumber) => {
    derived.push(phone)
    return derive(phone)
  }
  const parts = { keys: createSessionKeys(secret), accounts, settings: menus.lender.settings }
  const request = { gateway: 'africas-talking', sessionId: 's', phone: caller, text: '' }
  const asked = createAsked(parts, request, 0)
  const { address } = await asked.account()
  const steps = ['', '2', `2*${friend}`].map(asked.question)
  for (const { account } of await Promise.all(steps)) expect(account).toBe(address)
  await Promise.all([asked.session(), asked.accounts(caller), asked.accounts(friend)])
  await asked.accounts(friend)
  expect(derived).toEqual([caller, friend])
})
