import { z } from 'zod'
import { deriveRelayerAccount } from '../../src/relay/signer.ts'
import { readJson } from './files.ts'
import type { Folder } from './folder.ts'
import { readChainId, readNodeUrls, readPort } from './options.ts'
import { StackError } from './report.ts'
import { readDevVars, type Secrets } from './secrets.ts'

const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])

const stackSchema = z.object({
  relayUrl: z.url(),
  /** Ends in a key that has no quota. */
  rpcUrl: z.url(),
  wsUrl: z.url(),
  nodeUrl: z.url(),
  chainId: z.literal([30, 31]),
  contracts: z.object({ loan: address, forwarder: address }),
  relayers: z.array(address),
  operatorToken: z.string(),
})

/** Describes the running stack for other programs (`.dev/stack.json`). */
export type RunningStack = z.infer<typeof stackSchema>

type Place = Pick<RunningStack, 'relayUrl' | 'nodeUrl' | 'chainId' | 'contracts'>

export function describeStack(place: Place, secrets: Secrets): RunningStack {
  const { relayUrl, nodeUrl, chainId, contracts } = place
  const rpcUrl = `${relayUrl}/rpc/${secrets.RPC_KEY}`
  return {
    relayUrl,
    rpcUrl,
    wsUrl: rpcUrl.replace(/^http/, 'ws'),
    nodeUrl,
    chainId,
    contracts: { loan: contracts.loan, forwarder: contracts.forwarder },
    relayers: [deriveRelayerAccount(secrets.RELAYER_MNEMONIC, chainId, 0).address],
    operatorToken: secrets.OPERATOR_TOKEN,
  }
}

/** Reads the stack of `npm start`, else of `npm run setup`. @throws {StackError} there is none */
export function readRunningStack(folder: Folder, env = process.env): RunningStack {
  const started = stackSchema.safeParse(readJson(folder.stack))
  if (started.success) return started.data
  // `DEV_DIR` names the folder of a stack of `npm start`.
  const devVars = env.DEV_DIR === undefined ? readDevVars() : undefined
  if (devVars === undefined) throw new StackError('No stack runs here. Start one with: npm start')
  const { secrets, variables } = devVars
  const loan = address.safeParse(variables.LOAN_ADDRESS)
  const forwarder = address.safeParse(variables.FORWARDER_ADDRESS)
  if (!loan.success || !forwarder.success) {
    throw new StackError('.dev.vars lacks the address of a contract. Run again: npm run setup')
  }
  const place = {
    relayUrl: `http://127.0.0.1:${readPort(env.PORT)}`,
    nodeUrl: readNodeUrls(variables.NODE_URL, 'NODE_URL of .dev.vars')[0] ?? '',
    chainId: readChainId(variables.CHAIN_ID),
    contracts: { loan: loan.data, forwarder: forwarder.data },
  }
  return describeStack(place, secrets)
}
