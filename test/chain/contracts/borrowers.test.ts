import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { borrowers as command } from '../../../scripts/contracts/borrowers.ts'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { devKey } from '../../../scripts/dev/anvil.ts'
import { opened } from '../../support/opened.ts'
import { runHere } from '../../support/processes.ts'
import { asOwner, openWorld } from './migration-world.ts'

/** Its fourth phone is in the list. */
const world = opened(openWorld)
const numbers = () => world.owners.slice(0, 3).map(({ phone }) => phone)

/** Runs the command, with what it told that it should not: a number, or a key. */
async function borrowers(
  action: string,
  input: string[],
  environment: Record<string, string> = {},
) {
  const usual = { CHAIN_ID: '31', LOAN_ADDRESS: world.from, CREDITOR_KEY: devKey }
  const env = { ...world.environment, ...usual, ...environment }
  const ended = await runHere(command, [action], { env, input: input.join('\n') })
  const secrets = [...numbers().map((number) => number.slice(1)), devKey.slice(2), ...world.secrets]
  return { ...ended, leaks: secrets.filter((one) => ended.output.includes(one)) }
}

function areListed(): Promise<boolean[]> {
  const { isListed } = loanAt(world.client, world.from)
  return Promise.all(world.owners.slice(0, 4).map(({ account }) => isListed([account.address])))
}

test("the creditor's key lists numbers and takes them off again, each once", async () => {
  const added = { code: 0, output: '2 added, 0 were so already\n', leaks: [] }
  expect(await borrowers('add', numbers().slice(0, 2))).toEqual(added)
  expect(await areListed()).toEqual([true, true, false, true])
  expect((await borrowers('add', numbers())).output).toBe('1 added, 2 were so already\n')
  const removed = await borrowers('remove', numbers().slice(1, 2))
  expect(removed.output).toBe('1 removed, 0 were so already\n')
  expect(await areListed()).toEqual([true, false, true, true])
  const words = ['listed', 'not listed', 'listed']
  const listed = words.map((word, index) => `number ${index + 1}: ${word}, up to 0.01\n`).join('')
  const shown = await borrowers('list', numbers(), { CREDITOR_KEY: '' })
  expect(shown).toEqual({ code: 0, output: listed, leaks: [] })
})

test('a line may set up to how much its number borrows, under the ceiling', async () => {
  const [first = '', second = ''] = numbers()
  await asOwner(world, world.from, 'setCeilingOfLimits', [parseEther('0.5')])
  const add = async (...lines: string[]) => (await borrowers('add', lines)).output
  expect(await add(`${first} 0.5`, second)).toContain('1 limits set\n')
  expect(await limits()).toEqual([parseEther('0.5'), parseEther('0.01')])
  expect(await add(`${first}  0.5`, `${second} 0.0001`)).toContain('1 limits set\n')
  expect(await limits()).toEqual([parseEther('0.5'), parseEther('0.0001')])
  // A number alone leaves its limit as it is, and what is removed keeps it too.
  expect(await add(first)).not.toContain('limits')
  await borrowers('remove', [first])
  const shown = await borrowers('list', [first], { CREDITOR_KEY: '' })
  expect(shown.output).toBe('number 1: not listed, up to 0.5\n')
  const refused: [string, string[], string][] = [
    ['add', [second, `${first} 0.50001`], 'line 2 of the standard input has no limit of 0.0001 to'],
    ['add', [`${first} 0.00009`], 'has no limit of 0.0001 to 0.5, which the ceiling leaves'],
    ['add', [`${first} much`], 'line 1 of the standard input has no limit'],
    ['add', [`${first} 0.1 0.2`], 'line 1 of the standard input is no number'],
    [
      'add',
      [`${first} 0.1`, `${first} 0.2`],
      'line 2 of the standard input has a number once more',
    ],
    ['remove', [`${first} 0.1`], 'line 1 of the standard input has a limit, which only add takes'],
  ]
  for (const [action, lines, reason] of refused) {
    const expected = { code: 1, output: expect.stringContaining(reason), leaks: [] }
    expect(await borrowers(action, lines)).toEqual(expected)
  }
  expect(await limits()).toEqual([parseEther('0.5'), parseEther('0.0001')])
})

test('a limit that a lower ceiling hides is set, and a higher one lets through no more', async () => {
  const [first = ''] = numbers()
  const add = async () => (await borrowers('add', [`${first} 0.3`])).output
  const setCeiling = (ceiling: string) =>
    asOwner(world, world.from, 'setCeilingOfLimits', [parseEther(ceiling)])
  await setCeiling('0.3')
  expect(await limits()).toContain(parseEther('0.3'))
  expect(await add()).toContain('1 limits set\n')
  expect(await add()).toContain('0 limits set\n')
  await setCeiling('0.5')
  expect((await limits())[0]).toBe(parseEther('0.3'))
})

function limits(): Promise<bigint[]> {
  const { limitOf } = loanAt(world.client, world.from)
  return Promise.all(world.owners.slice(0, 2).map(({ account }) => limitOf([account.address])))
}

test('another key, a bad number or a bad setting changes nothing, and is named', async () => {
  const before = await world.ask('eth_blockNumber', [])
  const fresh = ['+254700000009']
  const [another] = world.relayers
  const cases: [string, string[], Record<string, string>, string][] = [
    ['add', fresh, { CREDITOR_KEY: another }, "The contract's creditor is 0x"],
    ['add', fresh, { CREDITOR_KEY: '' }, 'CREDITOR_KEY is not set'],
    ['add', fresh, { CREDITOR_KEY: '0x12' }, 'CREDITOR_KEY is not 0x and 64 digits'],
    ['add', fresh, { CREDITOR_KEY: devKey.slice(0, -1) }, 'CREDITOR_KEY is not 0x and 64 digits'],
    ['add', [...fresh, '12'], {}, 'line 2 of the standard input is no number'],
    ['add', fresh, { LOAN_ADDRESS: '0x12' }, 'LOAN_ADDRESS is no address'],
    ['lend', fresh, {}, 'usage: npm run ops -- borrowers'],
  ]
  for (const [action, input, environment, reason] of cases) {
    const refused = { code: 1, output: expect.stringContaining(reason), leaks: [] }
    expect(await borrowers(action, input, environment)).toEqual(refused)
  }
  expect(await world.ask('eth_blockNumber', [])).toBe(before)
})
