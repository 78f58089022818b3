import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './forge.ts'

// Each unit test of the contracts stands beside a .tree file that lists its branches. This holds the
// two together: every branch has its test, named after it, and every test its branch.

const folder = join(projectRoot, 'contracts/test/unit')
const problems: string[] = []

const trees = globSync('**/*.tree', { cwd: folder })
for (const tree of trees) {
  const branches = branchesOf(readFileSync(join(folder, tree), 'utf8'))
  const source = readFileSync(join(folder, tree.replace(/\.tree$/, '.t.sol')), 'utf8')
  const contract = /^contract (\w+Test) /m.exec(source)?.[1]
  if (contract !== branches.root)
    problems.push(`${tree} is of ${branches.root}, not of ${contract}`)
  const tests = [...source.matchAll(/function (test_\w+)\(/g)].map((match) => match[1] ?? '')
  problems.push(
    ...branches.tests
      .filter((test) => !tests.includes(test))
      .map((test) => `${tree}: no test ${test}`),
    ...tests
      .filter((test) => !branches.tests.includes(test))
      .map((test) => `${tree}: no branch for ${test}`),
  )
}
const untold = globSync('**/*.t.sol', { cwd: folder }).filter(
  (test) => !trees.includes(test.replace(/\.t\.sol$/, '.tree')),
)
problems.push(...untold.map((test) => `${test} has no tree`))

for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0 || trees.length === 0) process.exitCode = 1

/** "├── when the sun shines" whose leaf is "it should revert" is `test_RevertWhen_TheSunShines`. */
function branchesOf(tree: string): { root: string; tests: string[] } {
  const [root = '', ...lines] = tree.trimEnd().split('\n')
  const tests = lines.flatMap((line, index) => {
    const [, word, condition] = /^[├└]── (when|given) (.+)$/.exec(line) ?? []
    if (word === undefined || condition === undefined) return []
    const reverts = /it should revert/.test(lines[index + 1] ?? '')
    const verb = word === 'when' ? 'When' : 'Given'
    return [
      reverts ? `test_Revert${verb}_${titled(condition)}` : `test_${verb}${titled(condition)}`,
    ]
  })
  return { root, tests }
}

function titled(condition: string): string {
  return condition
    .split(/[\s-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
