import { createBlock } from '@ethereumjs/block'
import { createCustomCommon, Mainnet } from '@ethereumjs/common'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { createLegacyTxFromRLP } from '@ethereumjs/tx'
import { createVM, runTx } from '@ethereumjs/vm'
import { type Address, bytesToHex, hexToBytes } from 'viem'
import { chainId, type MeasuredChain, sign } from './chain.ts'

const machines = { rootstock: createRootstock, ethereum: createEthereum }

export type Network = keyof typeof machines

/** Begins a minute after a full hour (Unix s), because the day's sums are kept by the hour. */
const start = 500_000 * 3_600 + 60

export async function openVm(network: Network): Promise<MeasuredChain> {
  const { vm, prices } = await machines[network]()
  const { common } = vm
  common.updateParams(prices)
  let [now, number] = [start, 0]
  let nonces = new Map<Address, number>()

  return {
    now: () => now,
    async send(call) {
      const { address } = call.from
      const nonce = nonces.get(address) ?? 0
      nonces.set(address, nonce + 1)
      const tx = createLegacyTxFromRLP(hexToBytes(await sign(call, nonce)), { common })
      tx.common.updateParams(prices)
      number += 1
      const header = { number, timestamp: now + 1, gasLimit: 30_000_000, difficulty: 0 }
      const block = createBlock({ header }, { common, skipConsensusFormatValidation: true })
      // Nobody has anything there: a sender is given what it sends.
      const mined = await runTx(vm, { tx, block, skipBalance: true, skipNonce: true })
      const { exceptionError, logs = [] } = mined.execResult
      if (exceptionError !== undefined) throw new Error(`a transaction to ${call.to} failed`)
      return {
        gasUsed: Number(mined.totalGasSpent),
        contract: mined.createdAddress?.toString(),
        logs: logs.map(([address, topics, data]) => ({
          address: bytesToHex(address),
          topics: topics.map((topic) => bytesToHex(topic)),
          data: bytesToHex(data),
        })),
      }
    },
    async pass(seconds) {
      now += seconds
    },
    async undoing(measure) {
      const before = new Map(nonces)
      await vm.stateManager.checkpoint()
      return measure().finally(async () => {
        await vm.stateManager.revert()
        nonces = before
      })
    },
  }
}

async function createEthereum() {
  const common = createCustomCommon({ chainId }, Mainnet, { hardfork: 'prague' })
  const vm = await createVM({ common, stateManager: new SimpleStateManager({ common }) })
  return { vm, prices: {} }
}

/**
 * What RSKj 9.0.3 charges (`GasCost`, `OpCode` and `VM` of github.com/rsksmart/rskj) is what
 * Ethereum charged after Petersburg: it has neither EIP-2929 (what is touched first costs no more)
 * nor EIP-2200 (a second write of a slot costs as much as the first).
 */
async function createRootstock() {
  // And what Rootstock has taken over since: transient storage, PUSH0, MCOPY; and below CHAINID and
  // SELFBALANCE.
  const customHardforks = { petersburg: { eips: [1716, 1153, 3855, 5656] } }
  const chain = { chainId, customHardforks }
  const common = createCustomCommon(chain, Mainnet, { hardfork: 'petersburg' })
  const ownChainId = { opcode: 0x46, opcodeName: 'CHAINID', baseFee: 2 }
  const ownBalance = { opcode: 0x47, opcodeName: 'SELFBALANCE', baseFee: 5 }
  const vm = await createVM({
    common,
    stateManager: new SimpleStateManager({ common }),
    evmOpts: {
      customOpcodes: [
        { ...ownChainId, logicFunction: ({ stack }) => stack.push(BigInt(chainId)) },
        { ...ownBalance, logicFunction: (run) => run.stack.push(run.interpreter.getSelfBalance()) },
      ],
    },
  })
  const prices = {
    1: {
      /** Is set by RSKIP400 (EIP-2028). */
      txDataNonZeroGas: 16,
      /** Adds to 9,000 the 2,300 that must be left for the callee; what it leaves comes back. */
      callValueTransferGas: 11_300,
    },
  }
  return { vm, prices }
}
