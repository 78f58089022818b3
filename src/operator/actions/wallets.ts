import { type Address, checksumAddress } from 'viem'
import { parseAddress } from '../../account/address.ts'
import { createWalletCodes, mostWallets, withoutWallet, withWallet } from '../../account/wallets.ts'
import type { AskedOf, ToldOf } from '../answers.ts'
import type { Subject } from '../records.ts'
import { type Caller, type CallerOptions, type RefusedRequest, refused } from './caller.ts'

export const notPayable = refused(400, 'this is not an address that can be paid on this chain')

/** Parses a recipient address, and refuses the contract's own, which would revert. */
export function parsePayable(
  text: string,
  { chain, loan, forwarder }: Pick<Subject, 'chain' | 'loan' | 'forwarder'>,
): Address | undefined {
  const address = parseAddress(text, chain.id)
  const reserved = [loan, forwarder].map((each) => each.toLowerCase())
  const isPayable = address && BigInt(address) !== 0n && !reserved.includes(address)
  return isPayable ? address : undefined
}

/** Adds, removes or lists wallets; a change is audited before it is made. */
export async function changeWallets(
  { subject, relayer, memory, newId }: CallerOptions,
  { account: { address: account } }: Caller,
  { name, address: typed }: AskedOf<'wallet'>,
): Promise<ToldOf<'wallet'> | RefusedRequest> {
  const address = typed === undefined ? undefined : parsePayable(typed, subject)
  if (typed !== undefined && address === undefined) return notPayable
  if (name !== undefined) {
    const action = address === undefined ? 'remove-wallet' : 'add-wallet'
    const detail = { account, ...(address && { wallet: address }) }
    await relayer.ledger.recordAction({ id: newId(), action, detail })
  }
  let isFull = false
  const { wallets } = await memory.change(account, (before) => {
    if (name === undefined) return undefined
    const after = address ? withWallet(before, { name, address }) : withoutWallet(before, name)
    isFull = after === undefined
    return after
  })
  if (isFull) return refused(409, `an account has ${mostWallets} wallets: remove one first`)
  const shown = (each: Address) => checksumAddress(each, subject.chain.id)
  return { account, wallets: wallets.map((each) => ({ ...each, address: shown(each.address) })) }
}

/** Creates a code; the first caller who dials it within an hour gets this wallet. */
export async function issueWalletCode(
  { subject, relayer, memory, keys, newId }: CallerOptions,
  { name, address: typed }: AskedOf<'wallet-code'>,
): Promise<ToldOf<'wallet-code'> | RefusedRequest> {
  const address = parsePayable(typed, subject)
  if (address === undefined) return notPayable
  await relayer.ledger.recordAction({
    id: newId(),
    action: 'wallet-code',
    detail: { wallet: address },
  })
  return { code: await createWalletCodes({ keys, memory }).issue({ name, address }) }
}
