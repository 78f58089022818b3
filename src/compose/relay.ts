import { createNode } from '../chain/node.ts'
import { refusalOf, refusalWords } from '../loan/calls.ts'
import type { NodeService } from '../node/service.ts'
import { relayerAccount } from '../relay/keys.ts'
import type { LedgerNames } from '../relay/ledger/home.ts'
import { type Ledger, type LedgerRules, ledgerRules } from '../relay/ledger/port.ts'
import type { Relayer } from '../relay/relayer.ts'
import { createSigner } from '../relay/signer.ts'
import type { Config } from './config.ts'
import type { Runtime } from './runtime.ts'

/**
 * What a deployment's ledger is called: its chain, since the objects' namespace, or the database, is the
 * deployment's. Keys and contracts are not in it, because they may change: a session that has paid
 * under the old ones is known under the new ones. The version before named it by chain and relayer key.
 */
export function ledgerNames(config: Config): LedgerNames {
  const name = `${config.chain.id}`
  return { name, former: `${name}:${relayerAddress(config)}` }
}

/** The key whose nonces the ledger hands out, as its rows name it. */
export function relayerAddress(config: Config): string {
  return signerOf(config).address.toLowerCase()
}

/** The ledger's rules under the pool's. */
export function ledgerRulesOf({ rules }: Config): LedgerRules {
  const { maxInFlight, watchBlocks, meansMs } = rules
  return { ...ledgerRules, maxInFlight, watchBlocks, meansMs }
}

/** What pays and tends through the configured relayer key. */
export function assembleRelayer(
  config: Config,
  runtime: Runtime,
  nodeService: NodeService,
  ledger: Ledger,
): Relayer {
  return {
    ledger,
    node: createNode(nodeService.request),
    signer: signerOf(config),
    forwarder: { chainId: config.chain.id, address: config.forwarder },
    rules: config.rules,
    fees: config.fees,
    clock: runtime.clock,
    log: runtime.log,
    newToken: () => crypto.randomUUID(),
    reasonOf: (revertData) => refusalWords(refusalOf(revertData)),
  }
}

/** Deriving a key takes thousands of hashes: once for a configuration. */
const signers = new WeakMap<Config, ReturnType<typeof createSigner>>()

function signerOf(config: Config): ReturnType<typeof createSigner> {
  const known = signers.get(config)
  if (known !== undefined) return known
  const account = relayerAccount(config.relayerMnemonic, config.chain.id, 0)
  const signer = createSigner(account, config.chain.id)
  signers.set(config, signer)
  return signer
}
