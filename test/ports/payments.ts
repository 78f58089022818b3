import { type Address, type Hex, stringToHex } from 'viem'
import type {
  Acceptance,
  Claiming,
  Execution,
  Ledger,
  Order,
  Screen,
  SignedTransaction,
} from '../../src/relay/ledger/port.ts'

// Payments of a test, made of their sessions' names.

export const alice: Address = '0x1111111111111111111111111111111111111111'
export const bob: Address = '0x2222222222222222222222222222222222222222'
export const carol: Address = '0x3333333333333333333333333333333333333333'

export const id = (text: string): Hex => stringToHex(text, { size: 32 })

export const tokenOf = (session: string): string => `token of ${session}`

export const screenOf = (session: string): Screen => ({
  kind: 'end',
  lines: [session, 'Please wait.'],
})

export const question = (session: string, account = alice, input = 'input') => ({
  session,
  input,
  account,
})

export const claiming = (
  session: string,
  token = tokenOf(session),
  more: Partial<Claiming> = {},
): Claiming => ({
  ...question(session),
  steps: 3,
  token,
  chainNonce: 0,
  poolNonce: 0,
  seen: undefined,
  ...more,
})

export const orderOf = (session: string, account = alice, more: Partial<Order> = {}): Order => ({
  request: {
    from: account,
    intentId: id(session),
    gas: 150_000,
    deadline: 4_000_000_000,
    data: '0x1234',
    signature: '0xabcd',
  },
  kind: 'transfer',
  spendsWei: 10n ** 30n,
  ...more,
})

export const transactionOf = (name: string, gasPriceWei = 100n): SignedTransaction => ({
  hash: id(`tx ${name}`),
  raw: id(`raw ${name}`),
  gasPriceWei,
})

export const acceptance = (
  session: string,
  token: string,
  nonce: number | undefined,
  account = alice,
  more: Partial<Order> = {},
): Acceptance => ({
  session,
  token,
  seen: undefined,
  order: orderOf(session, account, more),
  screen: screenOf(session),
  transaction: nonce === undefined ? undefined : { ...transactionOf(session), nonce },
})

export const executionIn = (block: number, more: Partial<Execution> = {}): Execution => ({
  outcome: 'executed',
  reason: '',
  hash: id('mined'),
  block: { number: block, hash: id(`block ${block}`) },
  ...more,
})

/** Claims and records as a Worker does; the nonce it got. */
export async function accept(
  ledger: Ledger,
  session: string,
  account = alice,
  order: Partial<Order> = {},
  claim: Partial<Claiming> = {},
): Promise<number | undefined> {
  const token = tokenOf(session)
  const more = { ...question(session, account), ...claim }
  const claimed = await ledger.claim(claiming(session, token, more))
  if (claimed.kind !== 'claimed') throw new Error(`${session} was ${claimed.kind}`)
  const nonce = claimed.slot?.nonce
  await ledger.record(acceptance(session, token, nonce, account, order))
  return nonce
}

export const mineAt = (ledger: Ledger, session: string, nonce: number, execution: Execution) =>
  ledger.mined({
    nonce,
    sessions: [session],
    hash: transactionOf(session).hash,
    block: execution.block,
    executions: { [session]: execution },
  })
