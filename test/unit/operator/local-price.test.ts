import { expect, test } from 'vitest'
import { caller } from '../../../src/operator/schemas/callers.ts'
import { openDeployment } from '../../support/deployment.ts'
import { required } from '../compose/variables.ts'

const feed = 'https://prices.example/kes'
const OperatorToken = 'the-token-of-this-test'

/** Looks up an account of a lender whose feed tells this price, of so many seconds ago. */
async function lookUp(kes: number, ageSeconds = 0) {
  const variables = { PROFILE: 'lender', PIN: 'off', LOCAL_CURRENCY: 'KES', RATE_FEED_URL: feed }
  const { ask } = openDeployment({
    variables: {
      ...required,
      ...variables,
      OPERATOR_TOKEN: OperatorToken,
      NODE_URL: 'http://127.0.0.1:1',
    },
    fetch: async (url, init) =>
      `${url}` === feed
        ? Response.json({ rootstock: { kes, last_updated_at: Date.now() / 1_000 - ageSeconds } })
        : fetch(url, init),
  })
  const headers = { authorization: `Bearer ${OperatorToken}` }
  const body = JSON.stringify({ phone: '+254700000001' })
  return caller.parse((await ask('/operator/lookup', { method: 'POST', headers, body })).body)
}

test('an account is looked up with the present price in local money, and without an old one', async () => {
  expect((await lookUp(12_000_000)).price).toEqual({ currency: 'KES', micros: '12000000000000' })
  expect((await lookUp(12_000_000, 16 * 60)).price).toBeNull()
})
