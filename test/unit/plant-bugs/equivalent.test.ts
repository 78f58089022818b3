import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { equivalent } from '../../../scripts/plant-bugs/changes.ts'
import { isEquivalent, mutationsOf } from '../../../scripts/plant-bugs/mutations.ts'

test.for(equivalent)(
  'fits the source: $file, $within, $was, $words',
  ({ file, within, was, words }) => {
    const fitting = mutationsOf(file, readFileSync(file, 'utf8')).filter(
      (one) => one.within === within && one.was === was && one.words === words,
    )
    expect(fitting).not.toEqual([])
    expect(fitting.every(isEquivalent)).toBe(true)
  },
)
