import { encodeFunctionData, type Hex, parseEther } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { callOf } from '../../../src/loan/calls.ts'
import { accountOf } from './chain.ts'
import { callTo, execute, principalWei, type Signed, type World } from './world.ts'

/** What phones do through the relay: for each of 20 the request that it signs. */
export type RelayedAction = { name: string; requests: readonly Signed[] }

const count = 20

/** In the world that {@link preparePhones} leaves behind. */
export function relayedActions(): RelayedAction[] {
  const known = (index: number) => accountOf(`known ${index}`).address
  const unknown = (index: number) => accountOf(`unknown ${index}`).address
  const transfer = callOf({ kind: 'transfer', to: known(0), amountWei: 1n })
  const half = parseEther('0.5')
  const repaid = parseEther('0.005')
  return [
    action('loan, the first of its account', 'newcomer', () =>
      callOf({ kind: 'loan', principalWei }),
    ),
    action('loan, a later one', 'returning', () => callOf({ kind: 'loan', principalWei })),
    action('transfer to a known account', 'saver', (index) =>
      callOf({ kind: 'transfer', to: known(index), amountWei: half }),
    ),
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
    action('a transfer that fails', 'newcomer', () => transfer),
    { name: 'already spent', requests: spent() },
  ]
}

/** 20 newcomers without anything; savers with a balance and a loan; returning ones who have repaid a loan. */
export async function preparePhones(world: World): Promise<void> {
  const { chain, loan, owner } = world
  for (let index = 0; index < count; index += 1) {
    const saver = accountOf(`saver ${index}`).address
    await chain.send(callTo(owner, loan, microLoanAbi, 'depositFor', [saver], parseEther('1')))
  }
  const loanCall = callOf({ kind: 'loan', principalWei })
  await execute(
    world,
    signedBy('returning', 'a loan before', () => loanCall),
  )
  const repayment = callOf({ kind: 'repayment', amountWei: 'all' })
  await execute(
    world,
    signedBy('returning', 'a repayment before', () => repayment),
  )
  await execute(
    world,
    signedBy('saver', 'a loan before', () => loanCall),
  )
  const known = (index: number) => accountOf(`known ${index}`).address
  const gift = (index: number) => callOf({ kind: 'transfer', to: known(index), amountWei: 1n })
  await execute(world, signedBy('saver', 'a gift', gift))
  await execute(world, spent())
}

function spent(): Signed[] {
  const to = accountOf('known 0').address
  return signedBy('newcomer', 'spent', () => callOf({ kind: 'transfer', to, amountWei: 1n }))
}

function action(name: string, group: string, dataOf: (index: number) => Hex): RelayedAction {
  return { name, requests: signedBy(group, name, dataOf) }
}

function signedBy(group: string, intent: string, dataOf: (index: number) => Hex): Signed[] {
  return Array.from({ length: count }, (_, index) => {
    const signer: PrivateKeyAccount = accountOf(`${group} ${index}`)
    return { signer, data: dataOf(index), intent: `${intent} of ${group} ${index}` }
  })
}
