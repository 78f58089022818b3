import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './forge.ts'
import { nodes, parseSolidity, type SolidityNode } from './solidity.ts'

// Each unit test of the contracts stands beside a .tree file that lists its branches. This holds the two
// together: every branch that has leaves, on any level, has its test, named after it, and every test its
// branch; and the test looks for what the leaves say: at least one check for each, the event where one says
// "emit {Event}", a refusal where it says "revert".

type Branch = { test: string; leaves: string[] }

type Tree = { root: string; branches: Branch[]; problems: string[] }

const folder = 'contracts/test/unit'
const problems: string[] = []

const trees = globSync('**/*.tree', { cwd: join(projectRoot, folder) }).sort()
const tests = globSync('**/*.t.sol', { cwd: join(projectRoot, folder) }).sort()
const sources = new Map(
  parseSolidity(tests.map((test) => join(folder, test))).map((tree) => [
    String(tree.absolutePath),
    tree,
  ]),
)
for (const tree of trees) problems.push(...problemsOf(tree))
problems.push(
  ...tests
    .filter((test) => !trees.includes(test.replace(/\.t\.sol$/, '.tree')))
    .map((test) => `${test} has no tree`),
)
for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0 || trees.length === 0) process.exitCode = 1

function problemsOf(file: string): string[] {
  const tree = readTree(readFileSync(join(projectRoot, folder, file), 'utf8'))
  const source = sources.get(join(folder, file.replace(/\.tree$/, '.t.sol')))
  if (source === undefined) return [`${file} has no test beside it`]
  const functions = new Map(
    nodes([source])
      .filter(({ nodeType }) => nodeType === 'FunctionDefinition')
      .map((each) => [String(each.name), each]),
  )
  const contracts = nodes([source]).filter(({ nodeType }) => nodeType === 'ContractDefinition')
  const found = [...functions.keys()].filter((name) => name.startsWith('test_'))
  const wanted = tree.branches.map(({ test }) => test)
  return [
    ...tree.problems,
    ...(contracts.some(({ name }) => name === tree.root) ? [] : [`no contract ${tree.root}`]),
    ...wanted
      .filter((test, index) => wanted.indexOf(test) !== index)
      .map((test) => `twice ${test}`),
    ...wanted.filter((test) => !found.includes(test)).map((test) => `no test ${test}`),
    ...found.filter((test) => !wanted.includes(test)).map((test) => `no branch for ${test}`),
    ...tree.branches.flatMap((branch) => unchecked(branch, functions)),
  ].map((problem) => `${file}: ${problem}`)
}

/** "├── when the sun shines" with the leaf "it should revert" is `test_RevertWhen_TheSunShines`. */
function readTree(text: string): Tree {
  const [root = '', ...lines] = text.trimEnd().split('\n')
  const tree: Tree = { root, branches: [], problems: [] }
  const path: { condition: string; leaves: string[]; isInner: boolean }[] = []
  const open = [...path]
  for (const line of lines) {
    const [, indent = '', words = ''] = /^((?:│ {3}| {4})*)[├└]── (.+)$/.exec(line) ?? []
    const level = indent.length / 4
    const parent = open[level - 1]
    open.length = Math.min(open.length, level)
    if (/^(when|given) /.test(words) && (level === 0 || parent !== undefined)) {
      if (parent !== undefined) parent.isInner = true
      const branch = { condition: words, leaves: [], isInner: false }
      open.push(branch)
      path.push(branch)
    } else if (/^it should /.test(words) && parent !== undefined) {
      parent.leaves.push(words)
    } else {
      tree.problems.push(`neither a condition nor what follows from one: ${line}`)
    }
  }
  for (const { condition, leaves, isInner } of path) {
    if (leaves.length > 0) tree.branches.push({ test: testOf(condition, leaves), leaves })
    else if (!isInner) tree.problems.push(`nothing follows from: ${condition}`)
  }
  return tree
}

function testOf(condition: string, leaves: readonly string[]): string {
  const [word = '', ...rest] = condition.split(/[\s-]+/).map(titled)
  return leaves.some((leaf) => leaf.startsWith('it should revert'))
    ? `test_Revert${word}_${rest.join('')}`
    : `test_${word}${rest.join('')}`
}

function titled(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Leaves that the test does not look at. */
function unchecked(
  { test, leaves }: Branch,
  functions: ReadonlyMap<string, SolidityNode>,
): string[] {
  const body = functions.get(test)
  if (body === undefined) return []
  const inner = reached(body, functions)
  const called = inner
    .filter(({ nodeType }) => nodeType === 'FunctionCall')
    .map(({ expression }) => nameOf(expression as SolidityNode))
  const emitted = inner
    .filter(({ nodeType }) => nodeType === 'EmitStatement')
    .map(({ eventCall }) => nameOf((eventCall as SolidityNode).expression as SolidityNode))
  const checks = called.filter((name) => /^_?(assert|expect|forward|check)/.test(name))
  const events = leaves.flatMap((leaf) => [...leaf.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  return [
    ...(checks.length < leaves.length
      ? [`${test} has ${checks.length} checks for ${leaves.length} leaves`]
      : []),
    ...events
      .filter((name) => name !== undefined && !emitted.includes(name))
      .map((name) => `${test} does not look for the event ${name}`),
    ...(leaves.some((leaf) => leaf.startsWith('it should revert')) &&
    !checks.some((name) => /Revert|Fails|False/.test(name))
      ? [`${test} expects no refusal`]
      : []),
  ]
}

/** All parts of a function and of those of its file that it calls. */
function reached(
  fn: SolidityNode,
  functions: ReadonlyMap<string, SolidityNode>,
  seen = new Set<SolidityNode>(),
): SolidityNode[] {
  if (seen.has(fn)) return []
  seen.add(fn)
  const own = nodes([fn])
  const further = own
    .filter(({ nodeType }) => nodeType === 'FunctionCall')
    .map(({ expression }) => functions.get(nameOf(expression as SolidityNode)))
  return [...own, ...further.flatMap((each) => (each ? reached(each, functions, seen) : []))]
}

function nameOf(node: SolidityNode): string {
  return String(node.memberName ?? node.name ?? '')
}
