import { type Hex, keccak256 } from 'viem'
import * as z from 'zod/mini'
import { data, hashParam } from '../objects/values.ts'
import { rawHeader } from '../reads/raw-data.ts'
import { exampleBlock, exampleRawHeader } from './examples.ts'
import { method } from './method.ts'

export const chainGetRawBlockHeaderByHash = method({
  name: 'chain_getRawBlockHeaderByHash',
  summary: 'The RLP-encoded header of a block, by its hash',
  params: { hash: hashParam },
  result: z.nullable(data),
  example: { params: [exampleBlock.hash], result: exampleRawHeader },
  lasts: () => true,
  // On Ethereum, and on Rootstock up to RSKIP351.
  proves: ({ hash }, raw) => keccak256(raw as Hex) === hash,
  call: ({ hash }, { ask }) => ask((node) => rawHeader(node, hash)),
})
