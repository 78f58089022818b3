import { createPublicClient, createWalletClient, http, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rootstockTestnet } from 'viem/chains'
import { afterAll, beforeAll, test } from 'vitest'
import { type Anvil, startAnvil } from '../../../scripts/dev/anvil.ts'
import { type Served, serve } from './support/serve.ts'

// anvil's first development account, known to everybody.
const funded = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)
let anvil: Anvil
let served: Served

beforeAll(async () => {
  anvil = await startAnvil()
  served = await serve([anvil.url])
})

afterAll(() => anvil.stop())

function clients() {
  const transport = http(served.url, { fetchFn: served.fetch })
  const options = { chain: rootstockTestnet, transport, pollingInterval: 50 }
  return {
    reader: createPublicClient(options),
    wallet: createWalletClient({ ...options, account: funded }),
  }
}

test('viem reads, sends, waits and finds what it sent', async ({ expect }) => {
  const { reader, wallet } = clients()
  const to = '0x00000000000000000000000000000000000000aa'
  const hash = await wallet.sendTransaction({ to, value: parseEther('1.5'), type: 'legacy' })
  const receipt = await reader.waitForTransactionReceipt({ hash })

  expect(receipt.status).toBe('success')
  expect(await reader.getBalance({ address: to })).toBe(parseEther('1.5'))
  expect((await reader.getTransaction({ hash })).value).toBe(parseEther('1.5'))
  expect((await reader.getBlock({ blockHash: receipt.blockHash })).transactions).toEqual([hash])
  expect(await reader.getBlockNumber()).toBe(receipt.blockNumber)
  expect(await reader.getChainId()).toBe(31)
  expect(await reader.getLogs()).toEqual([])
  expect(await reader.getCode({ address: to })).toBeUndefined()
  expect(await reader.call({ to })).toEqual({ data: undefined })
})
