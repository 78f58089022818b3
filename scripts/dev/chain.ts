import { randomBytes } from 'node:crypto'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, encodeFunctionData, erc20Abi, maxUint256, parseEther } from 'viem'
import { createCoinUnit, createTokenUnit } from '../../src/loan/amounts.ts'
import { deriveRelayerAccount } from '../../src/relay/signer.ts'
import { deployContracts } from '../contracts/deploy.ts'
import { openNode } from '../stack/chain/node.ts'
import { createToken } from '../stack/money/dollar.ts'
import { createTreasury } from '../stack/money/treasury.ts'
import { type Anvil, devKey, startAnvil } from './anvil.ts'

export type TestChain = Awaited<ReturnType<typeof startChain>>

const mnemonic = 'test test test test test test test test test test test junk'

type Deployed = { loan: Address; forwarder: Address; token: Address | undefined; state: unknown }

/** Keeps deployments by relayer and unit: forge runs once a process, and other chains use them. */
const deployed = new Map<string, Promise<Deployed>>()

/** Starts a chain with the contracts, a funded pool, a funded relayer, and perhaps more of them. */
export async function startChain(
  args: string[] = [],
  relayers: readonly Address[] = [],
  isOverToken = false,
) {
  const anvil = await startAnvil({ args })
  const relayer = deriveRelayerAccount(mnemonic, 31, 0).address
  const allowed = [relayer, ...relayers]
  const name = `${allowed} ${isOverToken}`
  const known = deployed.get(name)
  const deploying = known ?? deploy(anvil, allowed, isOverToken)
  deployed.set(name, deploying)
  const { loan, forwarder, token, state } = await deploying
  if (known !== undefined) await anvil.ask('anvil_loadState', [state])
  await anvil.ask('anvil_setBalance', [relayer, `0x${parseEther('100').toString(16)}`])
  return {
    anvil,
    loan,
    forwarder,
    relayer,
    unit: token
      ? createTokenUnit('USD', { address: token, decimals: 18 })
      : createCoinUnit('tRBTC'),
    bindings: {
      ...(token && { UNIT: `USD:18:${token}` }),
      ENVIRONMENT: 'development',
      CHAIN_ID: '31',
      POOL_RULES: 'anvil',
      NODE_URL: anvil.url,
      LOAN_ADDRESS: loan,
      FORWARDER_ADDRESS: forwarder,
      RELAYER_MNEMONIC: mnemonic,
      ACCOUNT_ID_SECRET: `0x${randomBytes(32).toString('hex')}`,
      ACCOUNT_KEY_SECRET: `0x${randomBytes(32).toString('hex')}`,
      PREFLIGHT: 'on',
      // Tests dial as no person does.
      MAX_DIALS_A_MINUTE: '1000000',
      MAX_OPEN_PAYMENTS: '16',
    } as Record<string, string>,
    stop: anvil.stop,
  }
}

async function deploy(
  anvil: Anvil,
  relayers: readonly Address[],
  isOverToken: boolean,
): Promise<Deployed> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'deployment-'))
  const node = await openNode([anvil.url], 31)
  const payer = createTreasury(node, devKey)
  const token = isOverToken ? await createToken(node, payer) : undefined
  const { loan, forwarder } = await deployContracts({
    nodeUrl: anvil.url,
    chainId: 31,
    deployerKey: devKey,
    relayers: [...relayers],
    recordFile: join(folder.path, '31.json'),
    token,
    poolWei: isOverToken ? 10n ** 10n : parseEther('10'),
    log: () => {},
  })
  if (token !== undefined) {
    // The owner may pay any amount without one more approval.
    const args = [loan, maxUint256] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
    await payer.send({ to: token, data })
  }
  return { loan, forwarder, token, state: await anvil.ask('anvil_dumpState') }
}
