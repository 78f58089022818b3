import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { bench } from '../../scripts/bench/main.ts'
import { check } from '../../scripts/checks/main.ts'
import { deployCommand } from '../../scripts/contracts/deploy-cli.ts'
import { generate } from '../../scripts/generate/main.ts'
import { deploy } from '../../scripts/ops/deploy-cli.ts'
import { ops } from '../../scripts/ops.ts'
import { simulate } from '../../scripts/simulate.ts'
import { type Command, createCommand } from '../../scripts/stack/command.ts'
import { dialCommand } from '../../scripts/stack/phone/dial.ts'
import { setup } from '../../scripts/stack/setup.ts'
import { startCommand } from '../../scripts/stack/start.ts'
import { testCommand } from '../../scripts/testing/test.ts'
import { testFull } from '../../scripts/testing/test-full.ts'
import { runHere } from '../support/processes.ts'
import { sampleOf } from '../support/sample.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  scripts: Record<string, string>
}
const commands = Object.entries(scripts).map(([name, command]) => {
  return { name, words: command.split(' ') }
})
const commandsByName: Readonly<Record<string, Command>> = {
  ...{ start: startCommand, setup, test: testCommand, 'test:full': testFull, check, generate },
  ...{ bench, simulate, dial: dialCommand, ops, deploy, 'deploy:contracts': deployCommand },
}

test('every npm run command installs its own Node and packages', () => {
  const others = commands.filter(({ words }) => words[1] !== 'scripts/bootstrap.mjs')
  expect(others).toEqual([])
  expect(Object.keys(scripts).sort()).toEqual(Object.keys(commandsByName).sort())
})

test.for(sampleOf(2, commands, 'commands'))('npm run $name answers --help', ({ name, words }) => {
  const [, ...command] = words
  const { status, stdout, stderr } = spawnSync(process.execPath, [...command, '--help'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(new RegExp(`npm (run )?(-s )?${name}\\b`))
})

test('commands that a screen, an alert, a message or a document names take what they name', async () => {
  const files = globSync(
    ['{*,{docs,contracts,test}/**/*}.md', '{src,scripts}/**/*.{ts,tsx}', '*.toml', '.ci/*'],
    { cwd: root },
  )
  const faults: string[] = []
  let count = 0
  for (const file of files) {
    for (const line of listCommandLines(readFileSync(`${root}${file}`, 'utf8'))) {
      count++
      const fault = await findFault(line)
      if (fault !== undefined) faults.push(`${file}: npm run ${line.join(' ')}: ${fault}`)
    }
  }
  expect(faults).toEqual([])
  expect(count).toBeGreaterThan(150)
})

/** Lists the commands of a text, each as its name and its arguments. */
function listCommandLines(text: string): string[][] {
  // Where the command ends: the code, the sentence, a pipe, a comment, or the next column.
  const command =
    /(?:npm run (?:-s )?(?=[a-z])|npm (?=(?:start|test)\b)|(?<=`)(?=ops -- ))(.+?)(?=[`\\()',]|[.:;](?:\s|$)| {2}| [#|<>&] |$)/gm
  return [...text.matchAll(command)].map(([, line = '']) => {
    const [name = '', separator, ...args] = line.replaceAll(/[[\]]/g, '').split(/\s+/)
    return separator === '--' ? [name, ...args] : [name]
  })
}

/** Names the verbs of ops that take one of their own. */
const verbsOfVerbs = [
  ...['account', 'borrowers', 'keys', 'migrate'],
  ...['operators', 'pool', 'relayers', 'secrets'],
]

/** Says what a command does not take: an option, or the name of what it has to do. */
async function findFault([name = '', ...args]: string[]): Promise<string | undefined> {
  const command = commandsByName[name]
  if (command === undefined) return 'there is no such command'
  const { code, output } = await runHere(command, [...args, '--help'], {})
  if (code !== 0) return output
  const end = args.findIndex((word) => !/^[a-z|-]+$/.test(word) || word.startsWith('-'))
  const words = end < 0 ? args : args.slice(0, end)
  const named = words.slice(0, verbsOfVerbs.includes(words[0] ?? '') ? 2 : 1)
  const unknown = named
    .flatMap((word) => word.split('|'))
    .filter((word) => !new RegExp(`(^|\\||\\| |-- |${words[0]} )${word}\\b`, 'm').test(output))
  return unknown.length === 0 ? undefined : `nothing is named ${unknown.join(', ')}`
}

test("a command gets the operator's token or the creditor's key, and never both", async () => {
  const env = { OPERATOR_TOKEN: 'token', CREDITOR_KEY: 'key', NODE_URL: 'url' }
  const reads = async (ownKey?: 'CREDITOR_KEY') => {
    const command = createCommand({
      ...{ usage: '', options: {}, ...(ownKey && { ownKey }) },
      run: async (_values, _given, terminal) => ({ lines: [JSON.stringify(terminal.env)] }),
    })
    return JSON.parse((await runHere(command, [], { env })).output)
  }
  const { OPERATOR_TOKEN, CREDITOR_KEY, ...others } = env
  expect(await reads()).toEqual({ ...others, OPERATOR_TOKEN })
  expect(await reads('CREDITOR_KEY')).toEqual({ ...others, CREDITOR_KEY })
})
