import { encodeFunctionData, type Hex, parseEther } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { callOf } from '../../../src/loan/calls.ts'
import { accountOf } from './chain.ts'
import { callTo, execute, loanTerms, type Signed, type World } from './world.ts'

/** What phones do through the relay: for each of 20 the request that it signs, and what else is in the batch. */
export type RelayedAction = {
  name: string
  requests: readonly Signed[]
  beside?: readonly Signed[]
}

const count = 20
const eightDays = 8 * 86_400

/** In the world that {@link preparePhones} leaves behind. */
export function relayedActions(): RelayedAction[] {
  const known = (index: number) => accountOf(`known ${index}`).address
  const unknown = (index: number) => accountOf(`unknown ${index}`).address
  const half = parseEther('0.5')
  const repaid = parseEther('0.005')
  const toKnown = (index: number) => callOf({ kind: 'transfer', to: known(index), amountWei: half })
  const transfer = action('transfer to a known account', 'saver', toKnown)
  return [
    action('loan, the first of its account', 'newcomer', () => loan),
    action('loan, a later one', 'returning', () => loan),
    transfer,
    { ...transfer, name: `${transfer.name}, and one already spent`, beside: spent().slice(0, 1) },
    action('transfer to a known account, first intent', 'beginner', toKnown),
    action('transfer to a known account, 8 live marks', 'busy', toKnown),
    action('transfer to a new account', 'saver', (index) =>
      callOf({ kind: 'transfer', to: unknown(index), amountWei: half }),
    ),
    action('repay a part', 'saver', () => callOf({ kind: 'repayment', amountWei: repaid })),
    action('repay all', 'saver', () => callOf({ kind: 'repayment', amountWei: 'all' })),
    action('withdraw to a new wallet', 'saver', (index) =>
      encodeFunctionData({
        abi: microLoanAbi,
        functionName: 'withdrawTo',
        args: [unknown(index), half],
      }),
    ),
    action('a transfer that fails', 'newcomer', () => gift(0)),
    { name: 'already spent', requests: spent() },
  ]
}

/**
 * 20 newcomers without anything; beginners with a balance, and busy ones with 8 live marks besides; savers with a
 * balance and a loan, and returning ones who have repaid one, whose marks may be used again.
 */
export async function preparePhones(world: World): Promise<void> {
  const { chain, loan: contract, owner } = world
  for (const group of ['saver', 'beginner', 'busy']) {
    for (let index = 0; index < count; index += 1) {
      const { address } = accountOf(`${group} ${index}`)
      const deposit = callTo(
        owner,
        contract,
        microLoanAbi,
        'depositFor',
        [address],
        parseEther('1'),
      )
      await chain.send(deposit)
    }
  }
  const repayment = callOf({ kind: 'repayment', amountWei: 'all' })
  const before = [
    signedBy('returning', 'a loan before', () => loan),
    signedBy('returning', 'a repayment before', () => repayment),
    signedBy('saver', 'a gift', gift),
    signedBy('saver', 'another gift', gift),
  ]
  for (const batch of before) await execute(world, batch)
  await chain.pass(eightDays)
  // What is repaid of a loan of today is taken back from the day's sum.
  await execute(
    world,
    signedBy('saver', 'a loan of today', () => loan),
  )
  await execute(world, spent())
  for (let index = 0; index < 8; index += 1) {
    await execute(world, signedBy('busy', `gift ${index}`, gift))
  }
}

const loan = callOf({ kind: 'loan', ...loanTerms })

function gift(index: number): Hex {
  const to = accountOf(`known ${index}`).address
  return callOf({ kind: 'transfer', to, amountWei: 1n })
}

const spent = (): Signed[] => signedBy('spender', 'spent', gift)

function action(name: string, group: string, dataOf: (index: number) => Hex): RelayedAction {
  return { name, requests: signedBy(group, name, dataOf) }
}

function signedBy(group: string, intent: string, dataOf: (index: number) => Hex): Signed[] {
  return Array.from({ length: count }, (_, index) => {
    const signer: PrivateKeyAccount = accountOf(`${group} ${index}`)
    return { signer, data: dataOf(index), intent: `${intent} of ${group} ${index}` }
  })
}
