import { type Address, checksumAddress } from 'viem'
import { parseAddress } from '../../account/address.ts'
import { addWallet, createWalletCodes, maxWallets, removeWallet } from '../../account/wallets.ts'
import { findNobody } from '../../chain/payees.ts'
import type { Deployment } from '../records.ts'
import type { ActionAnswer, ActionRequest } from '../schemas/actions.ts'
import { type Caller, type CallerOptions, type RefusedRequest, refuseRequest } from './caller.ts'

export const notPayable = refuseRequest(
  400,
  'this is not an address that can be paid on this chain',
)

/** Parses a recipient; undefined for nobody's wallet, the contracts and the payer's account. */
export function parsePayable(
  text: string,
  { chain, loan, forwarder }: Pick<Deployment, 'chain' | 'loan' | 'forwarder'>,
  payer?: Address,
): Address | undefined {
  const address = parseAddress(text, chain.id)
  const own = [loan, forwarder, payer].map((one) => one?.toLowerCase())
  const isPayable = address && findNobody(address) === undefined && !own.includes(address)
  return isPayable ? address : undefined
}

/** Adds, removes or lists wallets, after the audit has recorded a change. */
export async function changeWallets(
  { deployment, relayer, memory, newId }: CallerOptions,
  { account: { address: account } }: Caller,
  { name, address: typedAddress }: ActionRequest<'wallet'>,
): Promise<ActionAnswer<'wallet'> | RefusedRequest> {
  const address =
    typedAddress === undefined ? undefined : parsePayable(typedAddress, deployment, account)
  if (typedAddress !== undefined && address === undefined) return notPayable
  if (name !== undefined) {
    const action = address === undefined ? 'remove-wallet' : 'add-wallet'
    const detail = { account, ...(address && { wallet: address }) }
    await relayer.ledger.recordAction({ id: newId(), action, detail })
  }
  let isFull = false
  const { wallets } = await memory.change(account, (before, now) => {
    if (name === undefined) return undefined
    const after = address ? addWallet(before, { name, address }, now) : removeWallet(before, name)
    isFull = after === undefined
    return after
  })
  if (isFull)
    return refuseRequest(409, `an account has at most ${maxWallets} wallets: remove one first`)
  const toChecksum = (lowerCase: Address) => checksumAddress(lowerCase, deployment.chain.id)
  return {
    account,
    wallets: wallets.map(({ name: savedName, address: saved, paysFrom }) => ({
      name: savedName,
      address: toChecksum(saved),
      ...(paysFrom !== undefined && { paysFrom: new Date(paysFrom).toISOString() }),
    })),
  }
}

/** Creates a code, which adds this wallet for the first caller who dials it within an hour. */
export async function issueWalletCode(
  { deployment, relayer, memory, keys, newId }: CallerOptions,
  { name, address: typedAddress }: ActionRequest<'wallet-code'>,
): Promise<ActionAnswer<'wallet-code'> | RefusedRequest> {
  const address = parsePayable(typedAddress, deployment)
  if (address === undefined) return notPayable
  const detail = { wallet: address }
  await relayer.ledger.recordAction({ id: newId(), action: 'wallet-code', detail })
  return { code: await createWalletCodes({ keys, memory }).issue({ name, address }) }
}
