import { type Address, getContract, type PublicClient } from 'viem'
import { microLoanAbi } from '../../src/loan/abi.ts'
import { relayForwarderAbi } from '../../src/relay/forwarder/abi.ts'

export const loanAt = (client: PublicClient, address: Address) =>
  getContract({ client, address, abi: microLoanAbi }).read

export const forwarderAt = (client: PublicClient, address: Address) =>
  getContract({ client, address, abi: relayForwarderAbi }).read

/** How many questions are asked at a time: what a public node serves without refusing. */
const width = 8

export async function inTurns<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: width }, worker))
}
