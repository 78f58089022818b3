import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRandom } from '../dev/random.ts'
import { isEquivalent } from './equivalent.ts'

/** One small change of a source. */
export type Mutation = {
  file: string
  line: number
  /** What was changed, in a few words. */
  words: string
  /** The line as it was. */
  was: string
  /** The whole file as it is then. */
  text: string
}

type Rule = { words: string; pattern: RegExp; replace: string }

/** What a careless hand changes. Each place that fits is a mutation of its own. */
const rules: readonly Rule[] = [
  { words: 'an equal is a different', pattern: / === /g, replace: ' !== ' },
  { words: 'a different is an equal', pattern: / !== /g, replace: ' === ' },
  { words: 'an and is an or', pattern: / && /g, replace: ' || ' },
  { words: 'an or is an and', pattern: / \|\| /g, replace: ' && ' },
  { words: 'a less is at most', pattern: / < (?=[a-z0-9(])/g, replace: ' <= ' },
  { words: 'at least is more', pattern: / >= /g, replace: ' > ' },
  { words: 'more is at least', pattern: / > (?=[a-z0-9(])/g, replace: ' >= ' },
  { words: 'one more is none more', pattern: / \+ 1\b/g, replace: ' + 0' },
  { words: 'one less is none less', pattern: / - 1\b/g, replace: ' - 0' },
  { words: 'the highest is the lowest', pattern: /Math\.max\(/g, replace: 'Math.min(' },
  { words: 'the lowest is the highest', pattern: /Math\.min\(/g, replace: 'Math.max(' },
  { words: 'a row is not written', pattern: /^ +rows\.(put|drop)\(.*\)$/gm, replace: '' },
  {
    words: 'a sum is not kept',
    pattern: /^ +(save|note)[A-Z][A-Za-z]+\((at\.)?rows, .*\)$/gm,
    replace: '',
  },
]

/** A state of a payment in the table of transitions, and what it may be mistaken for. */
const states = ['queued', 'signed', 'broadcast', 'mined', 'confirmed', 'reverted', 'expired']

/** Every mutation of a file of the state machine. */
export function mutationsOf(file: string, source: string): Mutation[] {
  const isTable = file.endsWith('transitions.ts')
  return isTable ? tableMutations(file, source) : rules.flatMap((rule) => apply(file, source, rule))
}

function apply(file: string, source: string, { words, pattern, replace }: Rule): Mutation[] {
  return [...source.matchAll(pattern)].flatMap((match) => {
    const mutation = changed(file, source, match.index, match[0], replace, words)
    const [line = ''] = lineAt(source, match.index)
    const isWords = /^\s*(\*|\/\/|\/\*|import|export type|type)/.test(line)
    return isWords ? [] : [mutation]
  })
}

/** Each entry gone, and each leading to another state. */
function tableMutations(file: string, source: string): Mutation[] {
  const end = source.indexOf('} as const satisfies')
  const table = source.slice(0, end)
  return [...table.matchAll(/(\w+): '(\w+)',?/g)].flatMap((match) => {
    const [entry, event = '', to = ''] = match
    const other = states[(states.indexOf(to) + 1) % states.length]
    return [
      changed(file, source, match.index, entry, '', `${event} does nothing`),
      changed(file, source, match.index, entry, `${event}: '${other}',`, `${event} > ${other}`),
    ]
  })
}

function changed(
  file: string,
  source: string,
  index: number,
  find: string,
  replace: string,
  words: string,
): Mutation {
  const text = source.slice(0, index) + replace + source.slice(index + find.length)
  const [was, line] = lineAt(source, index)
  return { file, line, was: was.trim(), words, text }
}

function lineAt(source: string, index: number): [string, number] {
  const before = source.slice(0, index).split('\n')
  return [source.split('\n')[before.length - 1] ?? '', before.length]
}

/** The ledger's state machine. */
const machine = ['transitions.ts', 'steps.ts', 'nonces.ts', 'payments.ts', 'sums.ts'].map(
  (name) => `src/relay/ledger/${name}`,
)

/** The mutations of the state machine that something could notice; so many of them, drawn by the seed. */
export async function drawMutations(
  root: string,
  seed: number,
  sample: number | undefined,
): Promise<readonly Mutation[]> {
  const found = await Promise.all(
    machine.map(async (file) => mutationsOf(file, await readFile(join(root, file), 'utf8'))),
  )
  const left = found.flat().filter((mutation) => !isEquivalent(mutation))
  if (sample === undefined) return left
  const random = createRandom(seed, 'mutations')
  const count = Math.min(sample, left.length)
  return Array.from({ length: count }, () => left.splice(random.int(0, left.length - 1), 1)).flat()
}
