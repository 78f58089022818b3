import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, parseEther } from 'viem'
import { deriveRelayerAccount } from '../../src/relay/keys.ts'
import { deployContracts } from '../contracts/deploy.ts'
import { type Anvil, devKey, startAnvil } from './anvil.ts'

export type TestChain = Awaited<ReturnType<typeof startChain>>

const mnemonic = 'test test test test test test test test test test test junk'

type Deployed = { loan: Address; forwarder: Address; state: unknown }

/** Keeps deployments by relayer: forge runs once a process, and other chains start from them. */
const deployed = new Map<string, Promise<Deployed>>()

/** Starts a chain with the contracts, a funded pool, a funded relayer, and perhaps more of them. */
export async function startChain(args: string[] = [], relayers: readonly Address[] = []) {
  const anvil = await startAnvil({ args })
  const relayer = deriveRelayerAccount(mnemonic, 31, 0).address
  const allowed = [relayer, ...relayers]
  const known = deployed.get(`${allowed}`)
  const deploying = known ?? deploy(anvil, allowed)
  deployed.set(`${allowed}`, deploying)
  const { loan, forwarder, state } = await deploying
  if (known !== undefined) await anvil.ask('anvil_loadState', [state])
  await anvil.ask('anvil_setBalance', [relayer, `0x${parseEther('100').toString(16)}`])
  return {
    anvil,
    loan,
    forwarder,
    relayer,
    bindings: {
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

async function deploy(anvil: Anvil, relayers: readonly Address[]): Promise<Deployed> {
  const folder = mkdtempSync(join(tmpdir(), 'deployment-'))
  const { loan, forwarder } = await deployContracts({
    nodeUrl: anvil.url,
    chainId: 31,
    deployerKey: devKey,
    relayers: [...relayers],
    recordFile: join(folder, '31.json'),
    poolWei: parseEther('10'),
    log: () => {},
  })
  rmSync(folder, { recursive: true })
  return { loan, forwarder, state: await anvil.ask('anvil_dumpState') }
}
