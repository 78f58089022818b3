import { type Address, isAddress } from 'viem'
import { z } from 'zod'
import { tryTo } from '../../src/runtime/log.ts'
import { readJson } from '../stack/files.ts'
import { StackError } from '../stack/report.ts'

const hash = z.templateLiteral(['0x', z.string()])
const address = z.custom<Address>((text) => isAddress(`${text}`, { strict: false }))

/** Holds a record of both contracts, written before anything is sent, so a killed run goes on. */
export const deploymentRecord = z.object({
  chainId: z.literal([30, 31]),
  /** Which chain of that id: a local chain has the test network's id. */
  genesisHash: hash,
  forwarder: address,
  loan: address,
  /** No event of either contract is in an earlier block. */
  deployedBlock: z.string().regex(/^\d+$/),
  /** `sending` until both contracts have been seen on the chain. */
  state: z.enum(['sending', 'deployed']),
})

export type DeploymentRecord = z.infer<typeof deploymentRecord>

/** Reads a record of a finished `npm run deploy:contracts`. @throws {StackError} it is none */
export function readDeployed(file: string): DeploymentRecord {
  const record = deploymentRecord.safeParse(tryTo(() => readJson(file))).data
  if (record?.state === 'deployed') return record
  throw new StackError(`${file} is no record of a finished deployment`)
}
