import { type Abi, parseEther } from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { relayForwarderAbi } from '../../../src/relay/forwarder/abi.ts'
import { readArtifact } from '../forge.ts'
import { accountOf, type Call } from './chain.ts'
import { callTo, deploy, type World } from './world.ts'

/** Calls that an account makes itself, one after another, and OpenZeppelin's token beside them. */
export async function directCalls({
  chain,
  loan,
  forwarder,
  owner,
}: World): Promise<[string, Call][]> {
  const wallet = accountOf('outside wallet')
  const [alice, bob] = [accountOf('alice').address, accountOf('bob').address]
  const one = parseEther('1')
  const half = parseEther('0.5')
  const token = await deploy(chain, owner, 'Token', [wallet.address], 'Compared')
  const tokenAbi = readArtifact('Token', 'Compared').abi as Abi
  const ofLoan = (name: string, args: unknown[], value = 0n) =>
    callTo(wallet, loan, microLoanAbi, name, args, value)
  return [
    ['deposit, first', ofLoan('deposit', [], one)],
    ['deposit', ofLoan('deposit', [], one)],
    ['depositFor, first', ofLoan('depositFor', [alice], one)],
    ['transfer to a new account', ofLoan('transfer', [bob, half])],
    ['transfer to a known account', ofLoan('transfer', [bob, half])],
    ['ERC-20 transfer to a new account', callTo(wallet, token, tokenAbi, 'transfer', [bob, half])],
    [
      'ERC-20 transfer to a known account',
      callTo(wallet, token, tokenAbi, 'transfer', [bob, half]),
    ],
    ['announceWithdrawal', ofLoan('announceWithdrawal', [half])],
    // After two days and an hour.
    ['withdraw', ofLoan('withdraw', [half])],
    ['fund', ofLoan('fund', [], one)],
    ['defund', callTo(owner, loan, microLoanAbi, 'defund', [one])],
    ['setRelayer', callTo(owner, forwarder, relayForwarderAbi, 'setRelayer', [alice, true])],
    ['pause', callTo(owner, loan, microLoanAbi, 'pause', [])],
  ]
}
