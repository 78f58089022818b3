import { type Address, isAddressEqual, type PublicClient } from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { relayForwarderAbi } from '../../../src/relay/forwarder/abi.ts'
import { priceObstacle } from '../../stack/chain/gas-price.ts'
import type { Move } from './needs.ts'
import type { Pair, PoolTerms } from './records.ts'

/** What stands in the way of a run, in words; a run begins only where nothing does. */
export async function findObstacles(
  { client, move, terms }: { client: PublicClient; move: Move; terms: PoolTerms },
  relayer: Address | undefined,
): Promise<string[]> {
  const loan = { address: move.from.loan, abi: microLoanAbi } as const
  const forwarder = { address: move.from.forwarder, abi: relayForwarderAbi } as const
  const [isPaused, isStopped] = await Promise.all([
    client.readContract({ ...loan, functionName: 'paused' }),
    client.readContract({ ...forwarder, functionName: 'paused' }),
  ])
  const dear = priceObstacle(terms.fees.maxWei, await client.getGasPrice())
  const isAllowed =
    relayer === undefined ||
    (await client.readContract({ ...forwarder, functionName: 'isRelayer', args: [relayer] }))
  return [
    ...(await findPairObstacles(client, move.from)),
    // One number's account may go while all others are served.
    ...(isPaused || move.kind === 'number'
      ? []
      : ['the loan contract is not paused: its guardian calls pause()']),
    ...(isStopped ? ['the forwarder is paused: its owner calls unpause()'] : []),
    ...(isAllowed ? [] : [`${relayer} is no relayer: setRelayer(${relayer}, true)`]),
    ...(dear === undefined ? [] : [dear]),
    ...(move.kind === 'pair' ? await findPairObstacles(client, move.to) : []),
    ...(move.kind === 'pair' ? await findMoveObstacles(client, move) : []),
  ]
}

/** Says where the contracts of a record do not belong together: what is moved there, no caller reaches. */
async function findPairObstacles(
  client: PublicClient,
  { loan, forwarder }: Pair,
): Promise<string[]> {
  const [isTrusted, target] = await Promise.all([
    client.readContract({
      address: loan,
      abi: microLoanAbi,
      functionName: 'isTrustedForwarder',
      args: [forwarder],
    }),
    client.readContract({ address: forwarder, abi: relayForwarderAbi, functionName: 'target' }),
  ])
  return [
    ...(isTrusted ? [] : [`${loan} does not trust the forwarder of its record`]),
    ...(isAddressEqual(target, loan) ? [] : [`the forwarder of its record does not call ${loan}`]),
  ]
}

async function findMoveObstacles(
  client: PublicClient,
  { from, to }: Extract<Move, { kind: 'pair' }>,
): Promise<string[]> {
  const [successor, openFrom] = await client.readContract({
    address: from.loan,
    abi: microLoanAbi,
    functionName: 'successor',
  })
  if (successor !== to.loan) {
    return [`the successor is ${successor}: the owner calls announceSuccessor(${to.loan})`]
  }
  const { timestamp } = await client.getBlock()
  const when = new Date(Number(openFrom) * 1000).toISOString()
  return timestamp < openFrom ? [`accounts move from ${when} on`] : []
}
