import { type Address, type Hex, type LocalAccount, parseEther, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rootstockRules } from '../../../scripts/dev/rootstock-pool/rules.ts'
import { createRpcCall } from '../../../scripts/dev/rpc.ts'

/** Is a funded account that signs transactions. */
export type Sender = {
  address: LocalAccount['address']
  sign(transaction: Partial<Wanted> & { nonce: number }): Promise<Hex>
}

type Wanted = { gasPrice: bigint; gas: bigint; value: bigint; data: Hex; to: Address | undefined }

let senders = 0

export const minPrice = rootstockRules.minGasPriceWei

/** Creates a new account each time, the same ones in every run. */
export async function newSender(
  anvilUrl: string,
  balanceWei: bigint = parseEther('1'),
): Promise<Sender> {
  senders += 1
  const account = privateKeyToAccount(toHex(0x5e4de4_0000n + BigInt(senders), { size: 32 }))
  await createRpcCall(anvilUrl)('anvil_setBalance', [account.address, toHex(balanceWei)])
  return {
    address: account.address,
    sign: ({ gasPrice = minPrice, gas = 21_000n, value = 0n, ...rest }) =>
      account.signTransaction({
        type: 'legacy',
        chainId: 31,
        to: '0x00000000000000000000000000000000000000aa',
        gasPrice,
        gas,
        value,
        ...rest,
      }),
  }
}
