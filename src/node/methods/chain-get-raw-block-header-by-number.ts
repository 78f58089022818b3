import * as z from 'zod/mini'
import { blockParam, data } from '../objects/values.ts'
import { rawHeader } from '../reads/raw-data.ts'
import { exampleRawHeader } from './examples.ts'
import { method } from './method.ts'

export const chainGetRawBlockHeaderByNumber = method({
  name: 'chain_getRawBlockHeaderByNumber',
  summary: 'The RLP-encoded header of a block, by its number or a tag',
  params: { block: blockParam },
  result: z.nullable(data),
  example: { params: ['0x2a'], result: exampleRawHeader },
  call: ({ block }, { ask }) => ask((node) => rawHeader(node, block)),
})
