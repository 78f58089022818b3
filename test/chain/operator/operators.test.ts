import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { ops } from '../../../scripts/ops.ts'
import { opened } from '../../support/opened.ts'
import { runHere } from '../../support/processes.ts'
import { give, openOperated } from './operating.ts'

const chain = opened(() => startChain())
const manage = (args: readonly string[], OPERATORS = '') =>
  runHere(ops, ['operators', ...args], { env: { OPERATORS } })

/** Makes an operator; gives the token and all operators until then. */
async function add(name: string, role: string, before = '') {
  const { output } = await manage(['add', name, role, '--json'], before)
  return JSON.parse(output) as { token: string; OPERATORS: string }
}

test('operators get a token by a command, act in their names, and are retired by another', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'operators-'))
  const file = join(folder.path, 'secrets.json')
  writeFileSync(file, JSON.stringify({ CALLBACK_SECRET: 'kept' }))
  const read = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  const ofFile = async (...args: string[]) => {
    const { code, output } = await manage([...args, '--secrets', file])
    expect([code, output]).toEqual([0, expect.any(String)])
    return output
  }
  const shown = await ofFile('add', 'amina', 'support')
  const token = /^ {2}(op_[\w-]{43})$/m.exec(shown)?.[1] ?? ''
  expect(readFileSync(file, 'utf8')).not.toContain(token)
  const warning = 'so it holds amina alone now: deployed, it ends\nthe access of all'
  expect(shown).toContain(warning)
  const alone = (await manage(['add', 'amina', 'support'])).output
  expect(alone).toContain(warning)
  expect(alone).toContain('The deployed list stands in the console: People, for the role money.')
  expect(await ofFile('add', 'brian', 'money')).not.toContain('alone')
  expect(await ofFile('list')).toBe('amina  support\nbrian  money\n')
  writeFileSync(file, JSON.stringify({ ...read(), OPERATOR_TOKEN: 'shared' }))
  const shared = /operator {2}money {2}\(all who share OPERATOR_TOKEN/
  expect(await ofFile('list')).toMatch(shared)
  expect((await manage(['list'])).output).toMatch(shared)
  const both = openOperated(chain, { OPERATORS: `${read().OPERATORS}` })
  const env = { OPERATOR_TOKEN: token }
  const refused = await both.operate(ops, ['pause'], { env })
  const words = 'refuses: this needs the role operate: amina has the role support'
  expect(refused).toEqual({ code: 1, output: expect.stringContaining(words) })
  const doctor = await both.operate(ops, ['doctor'], { env })
  expect(doctor.output).toMatch(
    /^ok {3}operator +The token is taken, as that of amina \(support\)/m,
  )
  const phone = '+254700000001'
  await give(chain, phone, '0')
  expect((await both.operate(ops, ['account', 'hold'], { env, input: phone })).code).toBe(0)
  const audit = await both.operate(ops, ['audit'], { env })
  expect(audit.output).toMatch(/ amina +hold /)

  await ofFile('retire', 'amina')
  expect(read()).toMatchObject({
    CALLBACK_SECRET: 'kept',
    OPERATORS: expect.stringMatching(/^brian:money:\w+$/),
  })
  const without = openOperated(chain, { OPERATORS: `${read().OPERATORS}` })
  const ended = await without.operate(ops, ['status'], { env })
  expect(ended).toEqual({
    code: 1,
    output: expect.stringContaining("an operator's token is needed"),
  })
})

test.for([
  [['add', 'operator', 'read'], 'is no operator'],
  [['add', 'Amina', 'read'], 'a name is 2 to 20 small letters, digits or -'],
  [['add', 'amina', 'all'], 'is no operator'],
  [['add', 'brian', 'read'], 'OPERATORS has a brian'],
  [['retire', 'amina'], 'OPERATORS has no amina'],
  [['retire', 'amina'], 'nobody is retired. The deployed list stands in the console: People, for'],
  [['retire', 'brian', 'read'], 'Usage:'],
  [['add', 'amina'], 'Usage:'],
  [[], 'Usage:'],
] as const)('operators %j is refused in words', async ([args, words]) => {
  const { OPERATORS } = await add('brian', 'money')
  const { code, output } = await manage(args, OPERATORS)
  expect([code, output]).toEqual([1, expect.stringContaining(words)])
})
