import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { equivalent, isEquivalent } from '../../../scripts/plant-bugs/equivalent.ts'
import { mutationsOf } from '../../../scripts/plant-bugs/mutations.ts'

const mutationsIn = (file: string) => {
  const path = new URL(`../../../src/relay/ledger/${file}`, import.meta.url)
  return mutationsOf(`src/relay/ledger/${file}`, readFileSync(path, 'utf8'))
}

test.for(equivalent)(
  'fits the source: $file, $line, $words',
  ({ file, line, words }, { expect }) => {
    const fitting = mutationsIn(file).filter((one) => one.was === line && one.words === words)
    expect(fitting).not.toEqual([])
    expect(fitting.every(isEquivalent)).toBe(true)
  },
)
