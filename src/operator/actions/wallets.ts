import { type Address, checksumAddress } from 'viem'
import * as z from 'zod/mini'
import { addWallet, createWalletCodes, maxWallets, removeWallet } from '../../account/wallets.ts'
import { findNobody, parseAddress } from '../../chain/payees.ts'
import { type Deployment, toIso } from '../records.ts'
import { addressText, hexAddress, phone, time } from '../schemas/fields.ts'
import { action, callerAction, recordInAudit, refuseRequest } from './action.ts'

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

const walletName = z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9 -]{0,7}$/))

const wallet = z.object({
  name: walletName,
  address: hexAddress,
  /** Tells from when it pays, if its address replaced another. */
  paysFrom: z.optional(time),
})

/** Adds a wallet to an account, removes it (no address), or lists all wallets (no name). */
export const changeWallets = callerAction({
  request: z.object({ phone, name: z.optional(walletName), address: z.optional(addressText) }),
  answer: z.object({ account: hexAddress, wallets: z.array(wallet) }),
  async run(options, { address: account }, { name, address: typedAddress }) {
    const { deployment, memory } = options
    const address =
      typedAddress === undefined ? undefined : parsePayable(typedAddress, deployment, account)
    if (typedAddress !== undefined && address === undefined) return notPayable
    if (name !== undefined) {
      const change = address === undefined ? 'remove-wallet' : 'add-wallet'
      await recordInAudit(options, change, { account, ...(address && { wallet: address }) })
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
    return {
      account,
      wallets: wallets.map(({ name: savedName, address: saved, paysFrom }) => ({
        name: savedName,
        address: checksumAddress(saved, deployment.chain.id),
        ...(paysFrom !== undefined && { paysFrom: toIso(paysFrom) }),
      })),
    }
  },
})

/** Creates a code, which adds this wallet for the first caller who dials it within an hour. */
export const issueWalletCode = action({
  request: z.object({ name: walletName, address: addressText }),
  answer: z.object({ code: z.string() }),
  async run(options, { name, address: typedAddress }) {
    const address = parsePayable(typedAddress, options.deployment)
    if (address === undefined) return notPayable
    await recordInAudit(options, 'wallet-code', { wallet: address })
    return { code: await createWalletCodes(options).issue({ name, address }) }
  },
})
