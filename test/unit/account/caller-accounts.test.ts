import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import { type PhoneNumber, parseCaller, shortenPhone } from '../../../src/account/phone.ts'
import {
  computeFingerprint,
  createIntentKeys,
  createSessionKeys,
} from '../../../src/account/secrets.ts'

const secret = `0x${'11'.repeat(32)}` as const
const other = `0x${'22'.repeat(32)}` as const
const alice = parseCaller('+254700000001') as PhoneNumber
const bob = parseCaller('+254700000002') as PhoneNumber

describe("a caller's account", () => {
  test('never changes: later code finds the money of today', async () => {
    const account = await createCallerAccounts(secret)(alice)
    // By openssl's HMAC of `7:account2:v113:+2547000000011:0` and cast's address of that key.
    expect(account.address).toBe('0x8a5f0cBA01F67C60044f0debc9b6Bc12F8625a9E')
  })

  test('is derived once for several deliveries', async () => {
    const accounts = createCallerAccounts(secret)
    expect(await accounts(alice)).toBe(await accounts(alice))
  })

  test('differs by number and by secret', async () => {
    const addresses = await Promise.all([
      createCallerAccounts(secret)(alice),
      createCallerAccounts(secret)(bob),
      createCallerAccounts(other)(alice),
    ])
    expect(new Set(addresses.map(({ address }) => address)).size).toBe(3)
  })
})

const account = '0x1111111111111111111111111111111111111111'

test.for([
  // The first by openssl's HMAC of `6:intent1:a2:b142:0x1111…`.
  [
    'intent',
    createIntentKeys,
    '0x611e3f5aa1553ba5ee42eb1c30f41935c65c8eed253f9fb11e6cd6afafa0e345',
  ],
  ['session', (key: Hex) => createSessionKeys(key).hashSession, undefined],
] as const)('the key of a %s never changes, and belongs only to it', async ([, create, known]) => {
  const keys = create(secret)
  const all = await Promise.all([
    keys('a', 'b1', account),
    keys('ab', '1', account),
    keys('a', 'b2', account),
    keys('a', 'b1', '0x2222222222222222222222222222222222222222'),
    create(other)('a', 'b1', account),
  ])
  expect(new Set(all).size).toBe(all.length)
  expect(all[0]).toBe(known ?? (await create(secret)('a', 'b1', account)))
})

test('a session key and a fingerprint reveal nothing of their inputs', async () => {
  const keys = createSessionKeys(secret)
  const session = await keys.hashSession('gateway', 'session', account)
  expect(session).toMatch(/^[0-9a-f]{64}$/)
  expect(await keys.hashInput(session, '2*0700000002*1')).toMatch(/^[0-9a-f]{64}$/)
  expect(await computeFingerprint(secret)).not.toContain('1111')
})

test('a short phone number shows its first 4 and last 3 digits', () => {
  expect(shortenPhone(bob)).toBe('2547...002')
})
