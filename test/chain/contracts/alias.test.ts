import { describe, expect, test } from 'vitest'
import { alias as aliasCommand } from '../../../scripts/contracts/migrate/alias.ts'
import { callerAccount } from '../../../src/account/keys.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { opened } from '../../support/opened.ts'
import { runHere, runScript } from '../../support/processes.ts'
import { asOwner, holdingOf, openWorld, usualTerms } from './migration-world.ts'

const world = opened(openWorld)

const present = (index: number) => parseCaller(`+25470000002${index}`) as PhoneNumber
const accountOf = (phone: PhoneNumber) =>
  callerAccount(world.environment.ACCOUNT_KEY_SECRET as `0x${string}`, phone)

/** Runs the command on this standard input. */
const alias = (input: string, environment = {}) =>
  runHere(aliasCommand, ['--record', world.records.from], {
    ...{ input, env: { ...world.environment, ...environment } },
  })

/** The same in a process of its own. */
const startAlias = (input: string) =>
  runScript('scripts/ops/account-cli.ts', ['alias', '--record', world.records.from], {
    ...{ input, env: world.environment },
  })

const linesFor = (indexes: readonly number[]) =>
  indexes.map((index) => `${world.owners[index]?.phone} ${present(index)}\n`).join('')

function auditOf(output: string) {
  const lines = output.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line) as { event: string; from: string; to: string })
}

describe('a number that has changed', () => {
  test('keeps its balance and its loan, once, with a line for the records and no number in it', async () => {
    const [borrower, saver] = [world.owners[0].account, world.owners[4]?.account]
    const before = await Promise.all(
      [borrower, saver].map((one) => holdingOf(world, world.from, one?.address ?? '0x')),
    )
    expect(before[0]?.debt.owed).toBe(usualTerms.principalWei + usualTerms.feeWei)

    const run = await startAlias(linesFor([0, 4]))
    expect(run).toMatchObject({ code: 0 })
    const heirs = await Promise.all([0, 4].map((index) => accountOf(present(index))))
    const after = await Promise.all(
      heirs.map(({ address }) => holdingOf(world, world.from, address)),
    )
    expect(after).toEqual(before)
    const tied = [borrower, saver].map((one, index) => ({
      ...{ event: 'account.aliased', from: one?.address, to: heirs[index]?.address },
    }))
    const audit = auditOf(run.output)
    expect(audit).toHaveLength(2)
    expect(audit).toEqual(
      expect.arrayContaining(tied.map((entry) => expect.objectContaining(entry))),
    )

    const again = await alias(linesFor([0, 4]))
    expect(again).toMatchObject({ code: 0 })
    expect(auditOf(again.output)).toEqual([])
    expect(again.output).toContain('0 accounts tied, 2 with nothing to pass on')
    for (const { output } of [run, again]) {
      expect(output).not.toMatch(/\+?2547\d{8}/)
      for (const secret of world.secrets) expect(output).not.toContain(secret)
    }
  })

  test('brings nothing where both numbers owe: the records say which is stuck', async () => {
    const [second, third] = [world.owners[1], world.owners[2]]
    const run = await startAlias(`${second?.phone} ${third?.phone}\n`)
    expect(run.code).toBe(1)
    expect(auditOf(run.output)).toMatchObject([
      { event: 'account.stuck', from: second?.account.address },
    ])
  })

  test.for([
    ['one number alone', '+254700000010\n', 1],
    ['no number', '+254700000010 +254700000020\n+254700000011 0700\n', 2],
    ['a number that stays the same', '+254700000010 +254700000010\n', 1],
    [
      'two numbers that become one',
      '+254700000010 +254700000020\n+254700000011 +254700000020\n',
      2,
    ],
    [
      'a number that goes on to a third',
      '+254700000010 +254700000020\n+254700000020 +254700000021\n',
      2,
    ],
  ] as const)('is refused by its line, and never by its words: %s', async ([, input, line]) => {
    const block = await world.ask('eth_blockNumber', [])
    const run = await alias(input)
    expect(run.code).toBe(1)
    expect(run.output).toContain(`line ${line} of the standard input`)
    expect(run.output).not.toMatch(/\d{6}/)
    expect(await world.ask('eth_blockNumber', [])).toBe(block)
  })

  test('passes nothing on where the node asks for more than the highest price', async () => {
    const block = await world.ask('eth_blockNumber', [])
    const run = await alias(linesFor([5]), { MAX_GAS_PRICE_WEI: '1' })
    expect(run.code).toBe(1)
    expect(run.output).toContain('nothing was sent')
    expect(run.output).toContain('MAX_GAS_PRICE_WEI is 1')
    expect(await world.ask('eth_blockNumber', [])).toBe(block)
  })

  test('needs a forwarder that runs: nothing is sent while it is paused', async () => {
    await asOwner(world, world.chain.forwarder, 'pause')
    const run = await alias(linesFor([5]))
    expect(run.code).toBe(1)
    expect(run.output).toContain('nothing was sent')
    expect(run.output).toContain('the forwarder is paused')
  })
})
