import { exampleBlock, exampleRawHeader } from '../examples.ts'
import { method } from '../method.ts'
import { rawHeader } from '../raw.ts'
import { data, hashParam } from '../values.ts'

/** The RLP of a block's header; `null` when there is no such block. */
export const chainGetRawBlockHeaderByHash = method({
  name: 'chain_getRawBlockHeaderByHash',
  summary: 'The RLP-encoded header of a block, by its hash',
  params: { hash: hashParam },
  result: data.nullable(),
  example: { params: [exampleBlock.hash], result: exampleRawHeader },
  lasts: () => true,
  call: ({ hash }, { ask }) => ask((node) => rawHeader(node, hash), { mayLag: true }),
})
