import { type Address, type Hex, maxUint256 } from 'viem'
import { showAddress } from '../account/address.ts'
import type { CallerAccounts } from '../account/keys.ts'
import { shortPhone } from '../account/phone.ts'
import { callOf } from '../loan/calls.ts'
import type { LoanReader } from '../loan/reader.ts'
import type { ContractCall } from '../relay/pay/delivery.ts'
import type { Intent } from './intent.ts'
import { type Messages, shortAddress } from './messages/texts.ts'
import type { Recipient } from './recipient.ts'
import { end } from './screens/screen.ts'

export type ContractCallsOptions = {
  chainId: number
  loan: LoanReader
  /** What a transfer has to be at least. */
  leastTransferWei: bigint
  accounts: CallerAccounts
  say: Messages
  /** An amount as screens show it. */
  amountOf: (wei: bigint) => string
}

/** Makes of an account's intent the call that carries it out, with the screen that says so. */
export function createContractCalls(
  options: ContractCallsOptions,
): (intent: Intent, account: Address) => Promise<ContractCall> {
  return async (intent, account) => {
    switch (intent.kind) {
      case 'transfer':
        return await transferCall(options, intent, account)
      case 'loan':
        return await loanCall(options, intent)
      case 'repayment':
        return repaymentCall(options, intent)
      case 'cashOut':
        return await cashOutCall(options, intent, account)
    }
  }
}

async function transferCall(
  options: ContractCallsOptions,
  { recipient, amountWei }: Extract<Intent, { kind: 'transfer' }>,
  caller: Address,
): Promise<ContractCall> {
  const { chainId, accounts, say } = options
  const to = await addressOf(recipient, accounts)
  const shown =
    recipient.kind === 'address' ? shortAddress(showAddress(to, chainId)) : shortNumber(recipient)
  return {
    ...(await spending(options, to, amountWei, caller)),
    kind: 'transfer',
    submitted: submitted(say, (tx) => say.transferSubmitted(shown, tx)),
  }
}

/**
 * The whole balance is what the chain has of it now. Where that may not be sent, the call is one that the
 * contract refuses by the balance: who has paid before a ledger was lost is then still found.
 */
async function spending(
  { loan, leastTransferWei }: ContractCallsOptions,
  to: Address,
  amountWei: bigint | 'all',
  caller: Address,
): Promise<Pick<ContractCall, 'data' | 'spendsWei'>> {
  const spendsWei = amountWei === 'all' ? await loan.balance(caller) : amountWei
  const isPossible = spendsWei > 0n && spendsWei >= leastTransferWei
  return isPossible || amountWei !== 'all'
    ? { data: callOf({ kind: 'transfer', to, amountWei: spendsWei }), spendsWei }
    : { data: callOf({ kind: 'transfer', to, amountWei: maxUint256 }), spendsWei: 0n }
}

async function loanCall(
  { loan, say, amountOf }: ContractCallsOptions,
  { terms: shown }: Extract<Intent, { kind: 'loan' }>,
): Promise<ContractCall> {
  const terms = shown ?? (await loan.terms())
  const { principalWei } = terms
  return {
    data: callOf({ kind: 'loan', ...terms }),
    kind: 'loan',
    spendsWei: 0n,
    shared: { poolWei: principalWei, capWei: principalWei, lendable: () => loan.lendable() },
    submitted: submitted(say, (tx) => say.loanRequested(amountOf(principalWei), tx)),
  }
}

function repaymentCall(
  { say, amountOf }: ContractCallsOptions,
  { amountWei }: Extract<Intent, { kind: 'repayment' }>,
): ContractCall {
  const shown = amountWei === 'all' ? 'all' : amountOf(amountWei)
  return {
    data: callOf({ kind: 'repayment', amountWei }),
    kind: 'repayment',
    spendsWei: amountWei === 'all' ? 0n : amountWei,
    submitted: submitted(say, (tx) => say.repaymentSubmitted(shown, tx)),
  }
}

async function cashOutCall(
  { chainId, loan, say, amountOf }: ContractCallsOptions,
  { to, amountWei: asked }: Extract<Intent, { kind: 'cashOut' }>,
  account: Address,
): Promise<ContractCall> {
  // The contract knows no word for all of a balance.
  const amountWei = asked === 'all' ? await loan.balance(account) : asked
  const shown = [shortAddress(showAddress(to, chainId)), amountOf(amountWei)] as const
  return {
    data: callOf({ kind: 'cashOut', to, amountWei }),
    kind: 'cashOut',
    spendsWei: amountWei,
    shared: {
      ...{ poolWei: 0n, capWei: 0n, outWei: amountWei },
      lendable: async () => ({ poolWei: 0n, capWei: 0n, ...(await loan.withdrawable()) }),
    },
    submitted: submitted(say, (tx) => say.cashOutSubmitted(...shown, tx)),
  }
}

/** What screens show of a number once a payment goes there. */
export const shortNumber = (recipient: Exclude<Recipient, { kind: 'address' }>): string =>
  recipient.kind === 'known' ? recipient.label : shortPhone(recipient.phone)

export async function addressOf(recipient: Recipient, accounts: CallerAccounts): Promise<Address> {
  switch (recipient.kind) {
    case 'address':
    case 'known':
      return recipient.address
    case 'phone':
      return (await accounts(recipient.phone)).address
  }
}

/** The screen of acceptance; without a hash the payment is queued. */
function submitted(say: Messages, text: (tx: string) => string): ContractCall['submitted'] {
  return (hash: Hex | undefined) =>
    end(text(hash === undefined ? say.queued : `${hash.slice(0, 12)}...`))
}
