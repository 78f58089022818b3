import { entropyToMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import {
  type Address,
  concat,
  type Hex,
  hexToBytes,
  keccak256,
  pad,
  parseEther,
  stringToHex,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { getOne } from '../../../src/loan/amounts.ts'
import { deriveRelayerAccount } from '../../../src/relay/signer.ts'
import { hashKey } from '../../../src/runtime/bearer.ts'
import { startChain } from '../../dev/chain.ts'
import { inLanes } from '../../dev/lanes.ts'
import { createCallers, deposit } from '../../dev/relays/callers.ts'
import { createNodeCall } from '../../stack/chain/node.ts'

export type BenchChain = Awaited<ReturnType<typeof startBenchChain>>

const blockSeconds = 0.25

/** Empty blocks with which the chain begins: enough for a question for the logs of 2,000. */
const blocksBefore = 2_200

/** Sets the number of callers, who pay in turn. */
const callerCount = 512

/** Every relayer key that is used: the forwarder takes transactions of these alone. */
const relayers = [
  ...['plain', 'counting', 'inspected', 'rpc', 'rootstock', 'deno', 'cold'],
  ...['grown', 'few', 'many', 'crowd'],
]

/** Says where MicroLoan.sol has its accounts, by address. */
const accountsSlot = 5

/** An API key of the node service without a quota, and the account of whom everybody pays. */
export const apiKey = 'the-key-of-the-benchmark'
export const recipient: Address = '0x00000000000000000000000010000000000a11ce'

/** Starts an anvil with the contracts, and with money for relayers and callers. */
export async function startBenchChain(
  onEnd: (stop: () => Promise<void>) => void,
  isOverToken: boolean,
) {
  const addressOf = (name: string) => deriveRelayerAccount(makeMnemonic(name), 31, 0).address
  const addresses = relayers.map(addressOf)
  // A block for each transaction would make blocks by the thousand, and each of anvil's costs more
  // than the one before: the more so, the more accounts there are, so what needs many has them from
  // the start.
  const chain = await startChain(['--block-time', `${blockSeconds}`], addresses, isOverToken)
  onEnd(chain.stop)
  const { url } = chain.anvil
  const call = createNodeCall(url, { timeoutMs: 300_000 })
  await call('anvil_mine', [toHex(blocksBefore)])
  const giveGas = (address: Address) =>
    call('anvil_setBalance', [address, toHex(parseEther('1000'))])
  for (const address of addresses) await giveGas(address)
  const callers = await createCallers(chain, callerCount)
  const accounts = callers.map(({ account }) => account.address)
  const one = getOne(chain.unit)
  await deposit(chain, [...accounts, recipient], one)
  const placeOf = (address: Address) =>
    keccak256(concat([pad(address), toHex(accountsSlot, { size: 32 })]))
  const place = accounts[0] && placeOf(accounts[0])
  const word = z.string().parse(await call('eth_getStorageAt', [chain.loan, place, 'latest']))
  if (BigInt(word) !== one) throw new Error(`accounts are no longer in slot ${accountsSlot}`)
  const keyHash = hashKey(apiKey)
  // As shipped: tests dial as no person does.
  const { MAX_DIALS_A_MINUTE: _, MAX_OPEN_PAYMENTS: __, ...bindings } = chain.bindings
  let next = 0

  return {
    url,
    loan: chain.loan,
    forwarder: chain.forwarder,
    unit: chain.unit,
    call,
    nextPhone: () => callers[next++ % callers.length]?.phone ?? '',
    /** Makes the Worker's environment for this chain, with the relayer's key of this name. */
    makeVariables: async (relayer: string, nodeUrl = url): Promise<Record<string, string>> => ({
      ...bindings,
      NODE_URL: nodeUrl,
      RELAYER_MNEMONIC: makeMnemonic(relayer),
      RPC_KEY_HASHES: keyHash,
      OPERATOR_TOKEN: 'the-token-of-the-benchmark',
    }),
    /** Has a relayer's key begin with this nonce. */
    skipNonces: (relayer: string, nonce: number) =>
      call('anvil_setNonce', [addressOf(relayer), toHex(nonce)]),
    /** Makes so many other callers, whose money is written into the contract and not deposited. */
    async makeCallers(count: number) {
      const made = (await createCallers(chain, callerCount + count)).slice(callerCount)
      await inLanes(50, made.entries(), async ([, { account }]) => {
        await call('anvil_setStorageAt', [chain.loan, placeOf(account.address), word])
      })
      return made
    },
    /** Gives each caller a mark of long ago, over which its next payment's goes. */
    async addOldMarks() {
      const [slot, old] = [toHex(6, { size: 32 }), toHex(1, { size: 32 })]
      const places = accounts.map((account) => keccak256(concat([pad(account), slot])))
      for (const place of places) await call('anvil_setStorageAt', [chain.forwarder, place, old])
      /** Once the first caller has paid. @throws {Error} its mark is elsewhere */
      return async () => {
        const mark = await call('eth_getStorageAt', [chain.forwarder, places[0], 'latest'])
        if (mark === old) throw new Error("the forwarder's marks are no longer in slot 6")
      }
    },
    /** Makes an account that has money in the contract and for gas, and gives its key. */
    async makeAccount(name: string) {
      const { address } = privateKeyToAccount(makeSecret(name))
      await giveGas(address)
      await deposit(chain, [address], one)
      return makeSecret(name)
    },
  }
}

const makeSecret = (name: string): Hex => keccak256(stringToHex(`benchmark ${name}`))

function makeMnemonic(name: string): string {
  return entropyToMnemonic(hexToBytes(makeSecret(name)).slice(0, 16), wordlist)
}
