import { encodeFunctionData, type Hex, parseEther } from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { encodeCall } from '../../../src/loan/calls.ts'
import { relayForwarderAbi } from '../../../src/relay/forwarder/abi.ts'
import { readArtifact } from '../forge.ts'
import { accountOf, type Call } from './chain.ts'
import { callTo, deploy, execute, loanCall, type Signed, type World } from './world.ts'

/** Lists requests of 20 phones through the relay, and what else is in their batch. */
export type RelayedAction = {
  name: string
  requests: readonly Signed[]
  beside?: readonly Signed[]
}

export const count = 20
const half = parseEther('0.5')

const loan = () => loanCall
const repay = (amountWei: bigint | 'all') => () => encodeCall({ kind: 'repayment', amountWei })
export const transferTo = (group: string, amountWei: bigint) => (index: number) =>
  encodeCall({ kind: 'transfer', to: accountOf(`${group} ${index}`).address, amountWei })
const gift = transferTo('known', 1n)
export const withdraw = (amount: bigint) => (index: number) => {
  const args = [accountOf(`unknown ${index}`).address, amount] as const
  return encodeFunctionData({ abi: microLoanAbi, functionName: 'withdrawTo', args })
}

/** Lists what is measured in the world that {@link preparePhones} leaves behind. */
export function relayedActions(): RelayedAction[] {
  const toKnown = transferTo('known', half)
  const transfer = 'transfer to a known account'
  const spent = signedBy('spender', 'spent', gift)
  const actions: [name: string, group: string, dataOf: (index: number) => Hex, Signed[]?][] = [
    ['loan, the first of its account', 'newcomer', loan],
    ['loan, a later one', 'returning', loan],
    [transfer, 'saver', toKnown],
    [`${transfer}, and one already spent`, 'saver', toKnown, spent.slice(0, 1)],
    [`${transfer}, first intent`, 'beginner', toKnown],
    [`${transfer}, 8 live marks`, 'busy', toKnown],
    ['transfer to a new account', 'saver', transferTo('unknown', half)],
    ['repay a part', 'saver', repay(parseEther('0.005'))],
    ['repay all', 'saver', repay('all')],
    ['withdraw to a new wallet', 'saver', withdraw(half)],
    ['a transfer that fails', 'newcomer', () => gift(0)],
  ]
  return [
    ...actions.map(([name, group, dataOf, beside = []]) => {
      // What is measured beside another request is the transfer to a known account itself.
      const intent = beside.length > 0 ? transfer : name
      return { name, requests: signedBy(group, intent, dataOf), beside }
    }),
    { name: 'already spent', requests: spent },
  ]
}

/**
 * Prepares newcomers without anything; beginners with a balance, and busy ones with 8 live marks
 * besides; savers with a balance and a loan, and returning ones who have repaid one, whose marks
 * may be used again.
 */
export async function preparePhones(world: World): Promise<void> {
  const { chain, loan: contract, owner } = world
  for (const group of ['saver', 'beginner', 'busy']) {
    for (let index = 0; index < count; index += 1) {
      const to = [accountOf(`${group} ${index}`).address]
      await chain.send(callTo(owner, contract, microLoanAbi, 'depositFor', to, parseEther('1')))
    }
  }
  await execute(world, signedBy('returning', 'a loan before', loan))
  await execute(world, signedBy('returning', 'a repayment before', repay('all')))
  await execute(world, signedBy('saver', 'a gift', gift))
  await execute(world, signedBy('saver', 'another gift', gift))
  await chain.pass(8 * 86_400)
  // What is repaid of a loan of today is taken back from the day's sum.
  await execute(world, signedBy('saver', 'a loan of today', loan))
  await execute(world, signedBy('spender', 'spent', gift))
  for (let index = 0; index < 8; index += 1) {
    await execute(world, signedBy('busy', `gift ${index}`, gift))
  }
}

export function signedBy(group: string, intent: string, dataOf: (index: number) => Hex): Signed[] {
  return Array.from({ length: count }, (_, index) => {
    const signer = accountOf(`${group} ${index}`)
    return { signer, data: dataOf(index), intent: `${intent} of ${group} ${index}` }
  })
}

/** Lists calls that an account makes itself in turn, and OpenZeppelin's token beside them. */
export async function directCalls(world: World): Promise<[string, Call][]> {
  const { chain, loan, forwarder, owner } = world
  const wallet = accountOf('outside wallet')
  const [alice, bob] = [accountOf('alice').address, accountOf('bob').address]
  const one = parseEther('1')
  const token = await deploy(chain, owner, 'Token', [wallet.address], 'Compared')
  const tokenAbi = readArtifact('Token', 'Compared').abi
  const ofLoan = (name: string, args: unknown[], value = 0n) =>
    callTo(wallet, loan, microLoanAbi, name, args, value)
  const ofToken = () => callTo(wallet, token, tokenAbi, 'transfer', [bob, half])
  return [
    ['deposit, first', ofLoan('deposit', [], one)],
    ['deposit', ofLoan('deposit', [], one)],
    ['depositFor, first', ofLoan('depositFor', [alice], one)],
    ['transfer to a new account', ofLoan('transfer', [bob, half])],
    ['transfer to a known account', ofLoan('transfer', [bob, half])],
    ['ERC-20 transfer to a new account', ofToken()],
    ['ERC-20 transfer to a known account', ofToken()],
    ['announceWithdrawal', ofLoan('announceWithdrawal', [half])],
    // After two days and an hour.
    ['withdraw', ofLoan('withdraw', [half])],
    ['fund', ofLoan('fund', [], one)],
    ['defund', callTo(owner, loan, microLoanAbi, 'defund', [one])],
    ['setRelayer', callTo(owner, forwarder, relayForwarderAbi, 'setRelayer', [alice, true])],
    ['pause', callTo(owner, loan, microLoanAbi, 'pause', [])],
  ]
}
