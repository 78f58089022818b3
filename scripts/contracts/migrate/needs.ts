import {
  type Address,
  encodeFunctionData,
  type Hex,
  type LocalAccount,
  type PublicClient,
  zeroAddress,
} from 'viem'
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
  target: Address
  data: Hex
  gas: number
}

/** What an account still needs. The calls go into one transaction, and only the last moves anything. */
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

/** What the account needs after what was seen of it, where `acceptedBy` is the heir's. */
export function needOf(
  move: Move,
  { account, heir }: Phone,
  state: AccountState,
  { books, acceptedBy }: { books: LoanBooks; acceptedBy: Address },
): Need {
  switch (move.kind) {
    case 'pair': {
      if (!isOpen(state)) return { kind: 'nothing' }
      const data = encodeFunctionData({ abi: microLoanAbi, functionName: 'moveAccount' })
      return { kind: 'calls', calls: [call('moveAccount', account, move.to.loan, data)] }
    }
    case 'secret':
    case 'number': {
      if (heir === undefined) throw new Error('each phone of this move has an heir')
      const isHeirUsed = books.accounts.get(heir.address)?.hasBorrowed === true
      if (!isOpen(state) && (isHeirUsed || !state.isListed)) return { kind: 'nothing' }
      if (!isHeirUsed) return { kind: 'calls', calls: passing(account, heir, acceptedBy) }
      if (state.debt !== undefined) return { kind: 'two_debts' }
      // What came after the account was passed on: its heir has its history, and can't take another.
      const data = callOf({ kind: 'transfer', to: heir.address, amountWei: state.balanceWei })
      return { kind: 'calls', calls: [call('transfer', account, heir.address, data)] }
    }
  }
}

/** The same, for the state in a block. */
export async function readNeed(
  client: PublicClient,
  move: Move,
  phone: Phone,
  { books, block }: { books: LoanBooks; block: bigint },
): Promise<{ state: AccountState; need: Need }> {
  const { loan } = move.from
  const state = await readAccount(client, loan, phone.account.address, block)
  const acceptedBy =
    phone.heir === undefined
      ? zeroAddress
      : await client.readContract({
          address: loan,
          abi: microLoanAbi,
          functionName: 'acceptedBy',
          args: [phone.heir.address],
          blockNumber: block,
        })
  return { state, need: needOf(move, phone, state, { books, acceptedBy }) }
}

function passing(account: LocalAccount, heir: LocalAccount, acceptedBy: Address): Call[] {
  const accept = encodeFunctionData({
    abi: microLoanAbi,
    functionName: 'acceptAccount',
    args: [account.address],
  })
  const pass = encodeFunctionData({
    abi: microLoanAbi,
    functionName: 'passAccount',
    args: [heir.address],
  })
  const isAccepted = acceptedBy === account.address
  return [
    ...(isAccepted ? [] : [call('acceptAccount', heir, account.address, accept)]),
    call('passAccount', account, heir.address, pass),
  ]
}

function call(name: Call['name'], signer: LocalAccount, target: Address, data: Hex): Call {
  return { name, signer, target, data, gas: gasOf[name] }
}
