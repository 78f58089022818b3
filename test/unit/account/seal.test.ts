import { describe, expect, test } from 'vitest'
import { createSeal } from '../../../src/account/secrets.ts'

const secret = `0x${'11'.repeat(32)}` as const
const text = '{"phone":"+254700000001"}'

describe('a seal', () => {
  const seal = createSeal(secret, 'sms')

  test('opens only with its secret and its purpose', async () => {
    const sealed = await seal.encrypt(text, 'session:sender')
    expect(await seal.decrypt(sealed, 'session:sender')).toBe(text)
    // By another process with the same secret.
    expect(await createSeal(secret, 'sms').decrypt(sealed, 'session:sender')).toBe(text)
    expect(await seal.decrypt(sealed, 'session:receiver')).toBeUndefined()
    expect(await createSeal(secret, 'other').decrypt(sealed, 'session:sender')).toBeUndefined()
    const other = createSeal(`0x${'22'.repeat(32)}`, 'sms')
    expect(await other.decrypt(sealed, 'session:sender')).toBeUndefined()
  })

  test('does not open if a byte has changed, or if it is no seal', async () => {
    const sealed = await seal.encrypt(text, 'a')
    const last = sealed.endsWith('0') ? '1' : '0'
    for (const damaged of [`${sealed.slice(0, -1)}${last}`, sealed.slice(0, 20), '0x', 'no hex']) {
      expect(await seal.decrypt(damaged, 'a')).toBeUndefined()
    }
  })

  test('reveals nothing, not even whether two hide the same text', async () => {
    const [one, other] = await Promise.all([seal.encrypt(text, 'a'), seal.encrypt(text, 'a')])
    expect(one).not.toBe(other)
    expect(one).not.toContain(Buffer.from('254700000001').toString('hex'))
  })
})
