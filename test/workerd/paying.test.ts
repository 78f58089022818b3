import { describe } from 'vitest'
import { payingFiles } from './support/files.ts'

describe.for(payingFiles)('%s', async ([, load]) => {
  await load()
})
