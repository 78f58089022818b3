import type { Address } from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { readArtifact } from '../forge.ts'
import { count, type RelayedAction, signedBy, transferTo, withdraw } from './actions.ts'
import { accountOf, type Call, type MeasuredChain } from './chain.ts'
import { callTo, deploy, execute, openWorld, type World } from './world.ts'

/** Is half a token, as the contract counts it. */
const half = 500_000n
const gift = transferTo('known', 1n)
const holder = accountOf('holder')
/** Is a quantum of a token of 18 decimals. */
const quantum = 10n ** 12n

type TokenWorld = World & { token: Address }

/** Deploys a pair over OpenZeppelin's token (18 decimals), of which the holder has approved all. */
export async function openTokenWorld(chain: MeasuredChain): Promise<TokenWorld> {
  const token = await deploy(chain, accountOf('issuer'), 'Token', [holder.address], 'Compared')
  const world = await openWorld(chain, { owner: accountOf('owner of tokens'), token })
  const { abi } = readArtifact('Token', 'Compared')
  await chain.send(callTo(holder, token, abi, 'approve', [world.loan, 2n ** 255n]))
  await chain.send(callTo(holder, world.loan, microLoanAbi, 'fundTokens', [20n * half]))
  return { ...world, token }
}

/** Prepares savers with a balance, whose marks may be used again. */
export async function prepareTokenPhones({ chain, ...world }: World): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const args = [accountOf(`saver ${index}`).address, 2n * half]
    await chain.send(callTo(holder, world.loan, microLoanAbi, 'depositTokensFor', args))
  }
  await execute({ chain, ...world }, signedBy('saver', 'a gift of tokens', gift))
  await chain.pass(8 * 86_400)
}

/** Lists what is relayed in that world; more than this goes as it does in the currency. */
export function tokenActions(): RelayedAction[] {
  const transfer = transferTo('known', half)
  return [
    { name: 'tokens: transfer to a known account', dataOf: transfer },
    { name: 'tokens: withdraw to a new wallet', dataOf: withdraw(half) },
  ].map(({ name, dataOf }) => ({ name, requests: signedBy('saver', name, dataOf) }))
}

/** Lists direct calls that move tokens, in turn; those without a name prepare the next one. */
export function tokenCalls({ loan, token, owner }: TokenWorld): [string, Call][] {
  const ofLoan = (name: string, args: unknown[], from = holder) =>
    callTo(from, loan, microLoanAbi, name, args)
  const deposit = () => ofLoan('depositTokensFor', [holder.address, half])
  const { abi } = readArtifact('Token', 'Compared')
  const send = () => callTo(holder, token, abi, 'sendToInlet', [loan, half * quantum])
  const sweep = () => ofLoan('sweepInlet', [holder.address])
  return [
    ['tokens: depositTokensFor, first', deposit()],
    ['tokens: depositTokensFor', deposit()],
    ['tokens: fundTokens', ofLoan('fundTokens', [half])],
    ['', send()],
    ['tokens: sweepInlet, first', sweep()],
    ['', send()],
    ['tokens: sweepInlet', sweep()],
    ['tokens: announceWithdrawal', ofLoan('announceWithdrawal', [half])],
    ['tokens: withdraw', ofLoan('withdraw', [half])],
    ['tokens: defund', ofLoan('defund', [half], owner)],
  ]
}
