import { expect, test } from 'vitest'
import { describePaid } from '../../../src/operator/actions/orders.ts'

type Options = Parameters<typeof describePaid>[0]
type Answer = Parameters<typeof describePaid>[1]['answer']

const ledger = { readPage: async () => ({ payments: [] }) }
const options = { relayer: { ledger } } as unknown as Options
const lines = ['Your balance is too low.', 'Nothing was sent.']
const notKnown = 'it is not known yet whether it was sent: repeat the same request'

test.for<[Answer, status: number, error: string]>([
  [{ kind: 'screen', screen: { kind: 'end', lines } }, 409, lines.join(' ')],
  [{ kind: 'closed' }, 409, 'it was refused: nothing was sent'],
  ...(['failed', 'ended', 'late', 'unsent', 'uncertain'] as const).map(
    (kind): [Answer, number, string] => [{ kind }, 503, notKnown],
  ),
])('a payment of an operator without a row says by %o what is known', async (given) => {
  const [answer, status, error] = given
  const described = await describePaid(options, { intentId: '0x01', answer })
  expect(described).toMatchObject({ status, error })
})
