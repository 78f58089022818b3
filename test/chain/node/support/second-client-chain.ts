import { createBlockchain } from '@ethereumjs/blockchain'
import {
  createCommonFromGethGenesis,
  type GethGenesis,
  parseGethGenesisState,
} from '@ethereumjs/common'
import { createLegacyTx } from '@ethereumjs/tx'
import {
  type Address,
  createAddressFromString,
  createContractAddress,
  hexToBytes,
} from '@ethereumjs/util'
import { buildBlock, createVM } from '@ethereumjs/vm'
import { concat, type Hex, numberToHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { emitterCode } from './anvil-rpc.ts'

/** A small chain that a script made, as files for a client: its genesis and its blocks. */
export type MadeChain = {
  genesis: object
  blocks: Uint8Array
  head: number
  emitter: Hex
  /** Hashes of the transactions of each block from 1 on. */
  transactions: Hex[][]
}

const key: Hex = `0x${'42'.repeat(32)}`

/** The funded account, which sends everything. */
export const maker = privateKeyToAddress(key)

const zero: Hex = `0x${'00'.repeat(32)}`

/** What its rules have from the first block on. */
const forks = [
  ...['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg'],
  ...['istanbul', 'berlin', 'london', 'mergeNetsplit'],
]

const genesis: GethGenesis = {
  config: {
    chainId: 31,
    ...Object.fromEntries(forks.map((fork) => [`${fork}Block`, 0])),
    terminalTotalDifficulty: 0,
    terminalTotalDifficultyPassed: true,
  },
  nonce: '0x0000000000000000',
  timestamp: '0x6553f100',
  extraData: '0x',
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  mixHash: zero,
  coinbase: `0x${'00'.repeat(20)}`,
  alloc: { [maker]: { balance: '0x3635c9adc5dea00000' } },
  number: '0x0',
  gasUsed: '0x0',
  parentHash: zero,
  baseFeePerGas: '0x3b9aca00',
}

/** Blocks with a deployment, logs, a failure, a transfer, several transactions, and none. */
export async function makeChain(): Promise<MadeChain> {
  const common = createCommonFromGethGenesis(genesis, { chain: 'made' })
  const genesisState = parseGethGenesisState(genesis)
  const blockchain = await createBlockchain({
    common,
    genesisState,
    validateBlocks: false,
    validateConsensus: false,
  })
  const vm = await createVM({ common, blockchain })
  await vm.stateManager.generateCanonicalGenesis?.(genesisState)
  const sender = createAddressFromString(maker)
  const emitter = createContractAddress(sender, 0n)
  let nonce = 0n
  let parent = blockchain.genesisBlock
  const serialized: Uint8Array[] = []
  const transactions: Hex[][] = []

  type Sent = { to?: Address; data?: Hex; value?: bigint; gas?: bigint }
  const words = (...values: number[]): Hex =>
    concat(values.map((value) => numberToHex(value, { size: 32 })))

  async function mine(...sent: Sent[]): Promise<void> {
    const builder = await buildBlock(vm, {
      parentBlock: parent,
      headerData: {
        timestamp: parent.header.timestamp + 30n,
        gasLimit: parent.header.gasLimit,
        coinbase: createAddressFromString(`0x${'c0'.repeat(20)}`),
      },
      blockOpts: { putBlockIntoBlockchain: true, setHardfork: true },
    })
    const hashes: Hex[] = []
    for (const { to, data = '0x', value = 0n, gas = 200_000n } of sent) {
      const unsigned = createLegacyTx(
        { nonce, gasLimit: gas, gasPrice: 3_000_000_000n, value, data, ...(to ? { to } : {}) },
        { common },
      )
      const signed = unsigned.sign(hexToBytes(key))
      await builder.addTransaction(signed)
      hashes.push(`0x${Buffer.from(signed.hash()).toString('hex')}`)
      nonce += 1n
    }
    const { block } = await builder.build()
    parent = block
    serialized.push(block.serialize())
    transactions.push(hashes)
  }

  await mine({ data: emitterCode })
  await mine({ to: emitter, data: words(1, 2, 3) })
  await mine()
  await mine({ to: emitter }, { to: emitter, data: words(4, 5, 6) })
  await mine({ to: createAddressFromString(`0x${'ab'.repeat(20)}`), value: 5n, gas: 21_000n })
  for (let count = 0; count < 4; count += 1) await mine()

  return {
    genesis,
    blocks: concat(serialized),
    head: serialized.length,
    emitter: emitter.toString() as Hex,
    transactions,
  }
}
