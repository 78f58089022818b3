import { isAddressEqual, type PublicClient } from 'viem'
import { priceObstacle } from '../../stack/chain/node.ts'
import { forwarderAt, loanAt } from '../reads.ts'
import type { Move } from './accounts.ts'
import type { OpenedDeployment, Pair } from './records.ts'

export async function findObstacles({
  client,
  move,
  terms,
  key,
}: OpenedDeployment & { move: Move }): Promise<string[]> {
  const forwarder = forwarderAt(client, move.from.forwarder)
  // One number's account may go while all others are served.
  const isOpen = move.kind !== 'number' && !(await loanAt(client, move.from.loan).paused())
  const isStranger = key !== undefined && !(await forwarder.isRelayer([key.address]))
  const found = [
    ...(await findPairObstacles(client, move.from)),
    isOpen && 'the loan contract is not paused: its guardian calls pause()',
    (await forwarder.paused()) && 'the forwarder is paused: its owner calls unpause()',
    isStranger && `${key.address} is no relayer: setRelayer(${key.address}, true)`,
    priceObstacle(terms.fees.maxWei, await client.getGasPrice()),
    ...(move.kind === 'pair' ? await findPairObstacles(client, move.to) : []),
    move.kind === 'pair' && (await findMoveObstacle(client, move)),
  ]
  return found.filter((words) => typeof words === 'string')
}

/** Says where the contracts of a record do not belong together: what is moved there, no caller reaches. */
async function findPairObstacles(client: PublicClient, { loan, forwarder }: Pair) {
  const isTrusted = await loanAt(client, loan).isTrustedForwarder([forwarder])
  const target = await forwarderAt(client, forwarder).target()
  return [
    !isTrusted && `${loan} does not trust the forwarder of its record`,
    !isAddressEqual(target, loan) && `the forwarder of its record does not call ${loan}`,
  ]
}

async function findMoveObstacle(
  client: PublicClient,
  { from, to }: Extract<Move, { kind: 'pair' }>,
): Promise<string | false> {
  const [successor, openFrom] = await loanAt(client, from.loan).successor()
  if (successor !== to.loan) {
    return `the successor is ${successor}: the owner calls announceSuccessor(${to.loan})`
  }
  const { timestamp } = await client.getBlock()
  const when = new Date(Number(openFrom) * 1000).toISOString()
  return timestamp < openFrom && `accounts move from ${when} on`
}
