import { encodeFunctionData, type Hex, type LocalAccount, type PublicClient } from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { callOf } from '../../../src/loan/calls.ts'
import type { LoanBooks } from '../loan-books.ts'
import type { Phone } from './phones.ts'
import type { Pair } from './records.ts'
import { type AccountState, isOpen, readAccount } from './survey.ts'

/**
 * Where accounts go: to the same account of a pair whose loan contract takes them over, or in the same
 * pair to the account of the same phone under a new secret, or of another number.
 */
export type Move =
  | { kind: 'pair'; from: Pair; to: Pair }
  | { kind: 'secret'; from: Pair }
  | { kind: 'number'; from: Pair }

/** A call that an account has to sign. */
export type Call = {
  name: 'moveAccount' | 'acceptAccount' | 'passAccount' | 'transfer'
  signer: LocalAccount
  /** Where it brings the account: a part of the intent's name. */
  target: Hex
  data: Hex
  gas: number
}

/** What an account still needs: calls that go into one transaction, of which only the last moves anything. */
export type Need =
  | { kind: 'nothing' }
  | { kind: 'calls'; calls: readonly Call[] }
  /** Both the account and its heir have had a loan, and this one still owes. */
  | { kind: 'two_debts' }

/**
 * Gas to sign for each call: what it takes where nothing was ever written, in Ethereum's prices, which
 * are above Rootstock's for all but a value that is sent, and a half more.
 */
const gasOf: Record<Call['name'], number> = {
  moveAccount: 250_000,
  acceptAccount: 60_000,
  passAccount: 90_000,
  transfer: 60_000,
}

/** Reads an account in a block, and what it needs after what was seen of it before. */
export async function readNeed(
  client: PublicClient,
  move: Move,
  { account, heir }: Phone,
  { books, block }: { books: LoanBooks; block: bigint },
): Promise<{ state: AccountState; need: Need }> {
  const { loan } = move.from
  const state = await readAccount(client, loan, account.address, block)
  const nothing = { state, need: { kind: 'nothing' } } as const
  const calls = (...all: Call[]) => ({ state, need: { kind: 'calls', calls: all } }) as const
  if (move.kind === 'pair') {
    const data = encodeFunctionData({ abi: microLoanAbi, functionName: 'moveAccount' })
    return isOpen(state) ? calls(call('moveAccount', account, move.to.loan, data)) : nothing
  }
  if (heir === undefined) throw new Error('each phone of this move has an heir')
  if (books.accounts.get(heir.address)?.hasBorrowed === true) {
    if (state.debt !== undefined) return { state, need: { kind: 'two_debts' } }
    // What came after the account was passed on: its heir has its history, and can't take another.
    const data = callOf({ kind: 'transfer', to: heir.address, amountWei: state.balanceWei })
    return isOpen(state) ? calls(call('transfer', account, heir.address, data)) : nothing
  }
  if (!isOpen(state) && !state.isListed) return nothing
  const acceptedBy = await client.readContract({
    address: loan,
    abi: microLoanAbi,
    functionName: 'acceptedBy',
    args: [heir.address],
    blockNumber: block,
  })
  const isAccepted = acceptedBy === account.address
  const encode = (functionName: 'acceptAccount' | 'passAccount', of: Hex) =>
    encodeFunctionData({ abi: microLoanAbi, functionName, args: [of] })
  const accept = encode('acceptAccount', account.address)
  const pass = encode('passAccount', heir.address)
  return calls(
    ...(isAccepted ? [] : [call('acceptAccount', heir, account.address, accept)]),
    call('passAccount', account, heir.address, pass),
  )
}

function call(name: Call['name'], signer: LocalAccount, target: Hex, data: Hex): Call {
  return { name, signer, target, data, gas: gasOf[name] }
}
