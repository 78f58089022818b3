import { describe } from 'vitest'
import { otherFiles } from './support/files.ts'

// Each file of tests would have all that it tests loaded anew, which takes longer than most of
// them.
describe.for(otherFiles)('%s', async ([, load]) => {
  await load()
})
