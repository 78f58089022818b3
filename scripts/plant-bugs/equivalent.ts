import type { Mutation } from './mutations.ts'

/** A change that leaves the ledger's promises what they are, and why nothing can notice it. */
type Equivalent = { file: string; line: string; words: string; why: string }

const equivalent: readonly Equivalent[] = []

/** Whether nothing can notice a mutation, by the table of this file. */
export function isEquivalent({ file, was, words }: Mutation): boolean {
  return equivalent.some(
    (one) => file.endsWith(`/${one.file}`) && one.line === was && one.words === words,
  )
}
