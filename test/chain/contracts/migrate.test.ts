import { readFileSync, writeFileSync } from 'node:fs'
import {
  type Address,
  createPublicClient,
  getAddress,
  type Hex,
  hexToBytes,
  http,
  pad,
  parseEther,
  parseTransaction,
} from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { alias } from '../../../scripts/contracts/migrate/cli.ts'
import { openDeployment } from '../../../scripts/contracts/migrate/open.ts'
import { derivePhones } from '../../../scripts/contracts/migrate/phones.ts'
import { sendBatch } from '../../../scripts/contracts/migrate/relayer.ts'
import { moveAccounts } from '../../../scripts/contracts/migrate/run.ts'
import { createRandom } from '../../../scripts/dev/random.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { poolRules } from '../../../src/chain/chains.ts'
import { encodeCall } from '../../../src/loan/calls.ts'
import { decodeResults } from '../../../src/relay/forwarder/requests.ts'
import { createSigner } from '../../../src/relay/signer.ts'
import { createKeyAccount } from '../../../src/runtime/key-account.ts'
import { opened } from '../../support/opened.ts'
import { type Ended, runHere } from '../../support/processes.ts'
import { sampleOf, seed, times } from '../../support/sample.ts'
import { barrier, openGate, openPricedNode } from './gate.ts'
import {
  allowMigration,
  asOwner,
  forward,
  list,
  openWorld,
  pause,
  readHolding,
  runCommand,
  startCommand,
  usualTerms,
  type World,
} from './migration-world.ts'

const world = opened(openWorld)
let snapshot: unknown

beforeAll(async () => {
  snapshot = await world.ask('evm_snapshot')
})

beforeEach(async () => {
  await world.ask('evm_revert', [snapshot])
  snapshot = await world.ask('evm_snapshot')
})

type Holding = Awaited<ReturnType<typeof readHolding>>

const moves = [
  {
    ...{ kind: 'pair', what: 'to a new pair', calls: 7 },
    open: () => allowMigration(world),
    arrivals: () => world.owners.map(({ account }) => [world.to, account.address] as const),
    relist: () => list(world, world.to, [world.owners[3].account.address]),
  },
  {
    // Each account is accepted first.
    ...{ kind: 'secret', what: 'to a new secret', calls: 14 },
    open: () => pause(world),
    arrivals: () => world.owners.map(({ heir }) => [world.from, heir.address] as const),
    relist: async () => {},
  },
]

const holdings = (places: readonly (readonly [Address, Address])[]): Promise<Holding[]> =>
  Promise.all(places.map(([loan, account]) => readHolding(world, loan, account)))

const departures = () => holdings(world.owners.map(({ account }) => [world.from, account.address]))

async function statusesAfter(block: bigint): Promise<Record<string, number>> {
  const address = world.chain.forwarder
  const logs = await world.client.getLogs({ address, fromBlock: block + 1n })
  const counts: Record<string, number> = {}
  for (const { status } of decodeResults({ chainId: 31, address }, logs)) {
    counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

/** Matches how a command ended that said these words. */
const ending = (code: number, words: string) => ({ code, output: expect.stringContaining(words) })

const empty: Holding = {
  balance: 0n,
  debt: { owed: 0n, feeRate: 0n, issuedAt: 0n, dueAt: 0n, isWrittenOff: false },
}

for (const { kind, what, calls, open, arrivals, relist } of moves) {
  describe(what, () => {
    test('every account arrives with its balance and its loan, and nothing is left behind', async () => {
      await open()
      const before = await departures()
      const block = await world.client.getBlockNumber({ cacheTime: 0 })
      const words = `${world.owners[0].account.address} has not moved`
      expect(await runCommand(world, ['verify', kind])).toEqual(ending(1, words))

      const run = await runCommand(world, ['run', kind, '--batch', '3'])
      expect(run).toEqual(ending(0, '7 accounts moved'))
      expect(await holdings(arrivals())).toEqual(before)
      expect(await departures()).toEqual(before.map(() => empty))
      expect(await statusesAfter(block)).toEqual({ executed: calls })
      await relist()
      expect(await runCommand(world, ['verify', kind])).toMatchObject({ code: 0 })
      expect((await readHolding(world, world.from, world.wallet.address)).balance).toBe(
        parseEther('0.1'),
      )
    })

    test('a plan says what would be done and what it costs, and sends nothing', async () => {
      const block = await world.ask('eth_blockNumber', [])
      const owners = world.owners.slice(1)
      const early = await runCommand(world, ['plan', kind, '--batch', '3'], { owners })
      for (const words of [
        ...['not yet: the loan contract is not paused', '6 accounts to move'],
        ...['2 transactions with', `no number given ${world.wallet.address} 0.1 tRBTC`],
        `no number given ${world.owners[0].account.address}`,
      ])
        expect(early).toEqual(ending(0, words))
      expect(await runCommand(world, ['run', kind])).toEqual(ending(1, 'nothing was sent'))
      expect(await world.ask('eth_blockNumber', [])).toBe(block)
    })
  })
}

// Each kind is disturbed alike: a run does it to one of them.
for (const move of sampleOf(1, moves, 'what is disturbed')) {
  const { kind, what, calls, open, arrivals, relist } = move
  describe(`disturbed, ${what}`, () => {
    test('killed at random points and resumed, a run moves everything once', async () => {
      await open()
      const before = await departures()
      const block = await world.client.getBlockNumber({ cacheTime: 0 })
      const random = createRandom(seed, `killed while moving ${what}`)
      let last: Ended | undefined
      for (let kills = 0; last === undefined; kills++) {
        const run = { child: undefined as { kill(signal: 'SIGKILL'): unknown } | undefined }
        // Far enough at the end that it comes through.
        const at = random.int(1, 60) + times({ sampled: 80, full: 40 }) * kills
        const isAfter = random.chance(0.5)
        let questions = 0
        const NODE_URL = await openGate(world.chain.anvil.url, async (_method, _params, ask) => {
          const own = ++questions
          if (own > at) throw new Error('who asks is dead')
          if (own === at && !isAfter) run.child?.kill('SIGKILL')
          const answer = await ask()
          if (own === at) run.child?.kill('SIGKILL')
          return answer
        })
        const args = ['resume', kind, '--batch', '1']
        const { child, ended } = startCommand(world, args, { NODE_URL })
        run.child = child
        const end = await ended
        if (end.code !== null) last = end
      }
      expect(last, last.output).toMatchObject({ code: 0 })
      expect(await holdings(arrivals())).toEqual(before)
      expect(await statusesAfter(block)).toEqual({ executed: calls })
      await relist()
      expect(await runCommand(world, ['verify', kind])).toMatchObject({ code: 0 })
    })

    test.for(sampleOf(1, ['two relayers', 'one relayer'], 'who moves'))(
      'two runs at once with %s move everything once',
      async (keys) => {
        await open()
        const before = await departures()
        const block = await world.client.getBlockNumber({ cacheTime: 0 })
        const first = barrier(2)
        const [one, other] = keys === 'one relayer' ? [0, 0] : [0, 1]
        const ends = await Promise.all(
          [one, other].map(async (index) => {
            // Neither sends anything before both have signed their first batch.
            const NODE_URL = await openGate(world.chain.anvil.url, async (method, _, ask) => {
              if (method === 'eth_sendRawTransaction') await first.wait()
              return ask()
            })
            const RELAYER_KEY = world.relayers[index]
            const args = ['run', kind, '--batch', '3']
            const end = await runCommand(world, args, { NODE_URL, RELAYER_KEY })
            first.leave()
            return end
          }),
        )
        expect(ends).toMatchObject([{ code: 0 }, { code: 0 }])
        expect(await holdings(arrivals())).toEqual(before)
        const { executed, already_spent: spent = 0, ...rest } = await statusesAfter(block)
        expect(executed).toBe(calls)
        expect(rest).toEqual({})
        if (keys === 'two relayers') expect(spent).toBeGreaterThan(0)
        await relist()
        expect(await runCommand(world, ['verify', kind])).toMatchObject({ code: 0 })
      },
    )
  })
}

test('money that reaches an old account after its migration is migrated too', async () => {
  const [{ account, heir }] = world.owners
  const { from } = world
  await pause(world)
  const before = await readHolding(world, from, account.address)
  expect(await runCommand(world, ['run', 'secret'])).toMatchObject({ code: 0 })
  for (const value of [3n, 4n]) {
    await asOwner(world, from, 'depositFor', [account.address], value)
    expect(await runCommand(world, ['verify', 'secret'])).toMatchObject({ code: 1 })
    expect(await runCommand(world, ['run', 'secret'])).toMatchObject({ code: 0 })
  }
  const after = await readHolding(world, from, heir.address)
  expect(after).toEqual({ ...before, balance: before.balance + 7n })
  expect(await runCommand(world, ['verify', 'secret'])).toMatchObject({ code: 0 })
})

test('an account waits until its last payment is final, and the others move', async () => {
  const [{ account, heir }, { account: payee }] = world.owners
  await pause(world)
  await forward(world, account, encodeCall({ kind: 'transfer', to: payee.address, amountWei: 1n }))
  const { NEW_ACCOUNT_KEY_SECRET: newSecret } = world.environment
  const deployment = await openDeployment(world.environment, world.records.from)
  const { relayer, secret } = deployment
  if (relayer === undefined) throw new Error('the migration has no relayer')
  const slow = { ...relayer, rules: { ...relayer.rules, confirmations: 3, roundMs: 1 } }
  const owners = world.owners.map((owner) => ({ numbers: [owner.phone], heir: owner.phone }))
  const phones = await derivePhones(owners, { secret, newSecret: newSecret as Hex })
  const lines: string[] = []
  const settings = { phones, batchSize: 10, log: (line: string) => void lines.push(line) }
  // The first batch and a block more make the payment final.
  const moving = moveAccounts({ ...deployment, relayer: slow, ...settings })
  await until(() => lines.some((line) => line.startsWith('1 accounts wait')))
  expect((await readHolding(world, world.from, heir.address)).balance).toBe(0n)
  await world.ask('evm_mine', [])
  expect((await moving).moved).toHaveLength(7)
  const waits = lines.filter((line) => line.includes('wait'))
  expect(waits).toEqual(['1 accounts wait until their last payments are final'])
})

test('an account that the new contract refuses is named, and the others move', async () => {
  const [first] = world.owners
  await forward(world, first.heir, encodeCall({ kind: 'loan', ...usualTerms }))
  await pause(world)
  const run = await runCommand(world, ['run', 'secret'])
  expect(run).toEqual(ending(1, '6 accounts moved'))
  expect(run.output).toContain(`stuck ${first.account.address}`)
  const words = `${first.account.address} has not moved`
  expect(await runCommand(world, ['verify', 'secret'])).toEqual(ending(1, words))
})

test('a missing number is noticed by its debt', async () => {
  await pause(world)
  const owners = world.owners.slice(1)
  expect(await runCommand(world, ['run', 'secret'], { owners })).toMatchObject({ code: 0 })
  const words = `${world.owners[0].account.address} owes, and no given number fits`
  expect(await runCommand(world, ['verify', 'secret'], { owners })).toEqual(ending(1, words))
})

test('a missing permission, a missing limit and a missing fee are named', async () => {
  const limited = world.owners[4]?.account.address
  const limits = [{ account: limited, limit: parseEther('0.5') }]
  await asOwner(world, world.from, 'setBorrowerLimits', [limits])
  await allowMigration(world)
  expect(await runCommand(world, ['run', 'pair'])).toMatchObject({ code: 0 })
  // As if the first borrower's loan had arrived with another fee.
  const borrower = world.owners[0].account.address
  const NODE_URL = await openGate(world.chain.anvil.url, async (_, params, ask) => {
    const own = await ask()
    const asked = JSON.stringify(params).toLowerCase()
    const isAsked = [world.to, borrower.slice(2)].every((of) => asked.includes(of.toLowerCase()))
    return isAsked ? `${own}`.replace(pad('0xfa').slice(2), pad('0xf9').slice(2)) : own
  })
  const verified = await runCommand(world, ['verify', 'pair'], { NODE_URL })
  expect(verified).toEqual(ending(1, `${world.owners[3].account.address} is not listed`))
  const words = `${borrower} does not owe in ${getAddress(world.to)} what the events say`
  expect(verified.output).toContain(words)
  const limit = `${limited} had a limit of 0.5 tRBTC: the creditor calls setBorrowerLimits`
  expect(verified.output).toContain(limit)
  await asOwner(world, world.to, 'setBorrowerLimits', [limits])
  expect((await runCommand(world, ['verify', 'pair'])).output).not.toContain('limit')
})

test('a node that hides an event is noticed, and nothing is sent', async () => {
  await pause(world)
  const block = await world.ask('eth_blockNumber', [])
  const topic = pad(world.owners[6]?.account.address as Address).toLowerCase()
  const NODE_URL = await openGate(world.chain.anvil.url, async (method, _, ask) => {
    if (method !== 'eth_getLogs') return ask()
    return ((await ask()) as { topics: string[] }[]).filter(({ topics }) => !topics.includes(topic))
  })
  const run = await runCommand(world, ['run', 'secret'], { NODE_URL })
  expect(run).toEqual(ending(1, 'the node keeps events back'))
  expect(await world.ask('eth_blockNumber', [])).toBe(block)
})

test('a migration that a node executes before it names the block is counted', async () => {
  await pause(world)
  const before = await world.ask('eth_blockNumber', [])
  let isSent = false
  const NODE_URL = await openGate(world.chain.anvil.url, async (method, _, ask) => {
    const own = await ask()
    if (method === 'eth_sendRawTransaction') isSent = true
    if (method !== 'eth_blockNumber' || !isSent) return own
    isSent = false
    return before
  })
  const run = await runCommand(world, ['run', 'secret'], { NODE_URL })
  expect(run).toEqual(ending(0, '7 accounts moved'))
  expect(run.output.match(/^moved 0x/gm)).toHaveLength(7)
})

test('an old or new record whose contracts do not belong together stops the migration', async () => {
  await allowMigration(world)
  const before = await world.ask('eth_blockNumber', [])
  const [from, to] = [world.records.from, world.records.to].map((file) =>
    JSON.parse(readFileSync(file, 'utf8')),
  )
  const file = `${world.records.to}.mixed`
  for (const [side, record] of [
    ['from', { ...from, forwarder: to.forwarder }],
    ['to', { ...to, forwarder: from.forwarder }],
  ] as const) {
    writeFileSync(file, JSON.stringify(record))
    const mixed = { ...world, records: { ...world.records, [side]: file } }
    const run = await runCommand(mixed, ['run', 'pair'])
    expect(run).toEqual(ending(1, 'nothing was sent'))
    const loan = getAddress(world[side])
    expect(run.output).toContain(`${loan} does not trust the forwarder of its record`)
    expect(run.output).toContain(`forwarder of its record does not call ${loan}`)
  }
  expect(await world.ask('eth_blockNumber', [])).toBe(before)
})

test('nothing is sent while the forwarder is paused, or above the highest price', async () => {
  await pause(world)
  await asOwner(world, world.chain.forwarder, 'pause')
  const block = await world.ask('eth_blockNumber', [])
  const price = 2_000_000_000n
  const NODE_URL = await openPricedNode(world.chain.anvil.url, price)
  const limit = { NODE_URL, MAX_GAS_PRICE_WEI: `${price - 1n}` }
  const words = `the node asks ${price} wei for a unit of gas, and MAX_GAS_PRICE_WEI is ${price - 1n}`
  const plan = await runCommand(world, ['plan', 'secret'], limit)
  expect(plan).toEqual(ending(0, `not yet: ${words}`))
  const run = await runCommand(world, ['run', 'secret'], limit)
  expect(run).toEqual(ending(1, words))
  expect(run.output).toMatch(/^nothing was sent:\n- the forwarder is paused: its owner/m)
  expect(await world.ask('eth_blockNumber', [])).toBe(block)
})

test('a waiting transaction is outbid up to the highest price, and then sent again unchanged', async () => {
  const prices: (bigint | undefined)[] = []
  const price = 2_000_000_000n
  const node = await openPricedNode(world.chain.anvil.url, price)
  const nodeUrl = await openGate(node, async (method, [raw], ask) => {
    if (method !== 'eth_sendRawTransaction') return ask()
    prices.push(parseTransaction(raw as Hex).gasPrice)
    return pad('0x1')
  })
  const client = createPublicClient({ transport: http(nodeUrl) })
  const rules = { ...poolRules.anvil, pollMs: 10, replaceAfterMs: 20, maxReplacements: 3 }
  const fees = { maxWei: price * 2n }
  const forwarder = { chainId: 31, address: world.chain.forwarder }
  const signer = createSigner(createKeyAccount(hexToBytes(world.relayers[0])), 31)
  const relayer = { client, signer, forwarder, rules, fees }
  await expect(sendBatch(relayer, [])).rejects.toThrow('waits at every price that is allowed')
  // 40 % more, rounded up.
  const outbid = (wei: bigint) => (wei * 14n + 9n) / 10n
  const highest = outbid(outbid(price))
  expect(prices).toEqual([price, outbid(price), highest, highest])

  const low = { ...relayer, fees: { maxWei: price - 1n } }
  await expect(sendBatch(low, [])).rejects.toThrow('the node asks')
  expect(prices).toHaveLength(4)
})

test('no secret and no number is ever printed, whatever goes wrong', async () => {
  const phones = world.owners.map(({ phone }) => phone.slice(1))
  const key = world.relayers[0]
  const away = 'http://127.0.0.1:1/'
  const cases: [string[], Record<string, string>, string][] = [
    [['plan', 'secret'], {}, 'accounts to move'],
    [['plan', 'secret'], { NODE_URL: `${away}a-key` }, `No node answers at ${away}…`],
    [['plan', 'secret'], { NEW_ACCOUNT_KEY_SECRET: key.slice(0, -1) }, 'NEW_ACCOUNT_KEY_SECRET'],
    [['plan', 'secret'], { NEW_ACCOUNT_KEY_SECRET: '' }, 'NEW_ACCOUNT_KEY_SECRET is not set'],
    [['run', 'secret'], { RELAYER_KEY: '', RELAYER_MNEMONIC: 'test' }, 'RELAYER_MNEMONIC is not'],
    [['plan', 'secret', `--key=${key}`], {}, 'unknown option'],
    [['plan', 'secret'], { MAX_GAS_PRICE_WEI: '1e9' }, 'MAX_GAS_PRICE_WEI is not a number'],
    [['plan', 'secret', '--batch', '0'], {}, '--batch is a number'],
    [['drop', 'secret'], {}, 'say plan, run, resume or verify'],
  ]
  for (const [args, environment, said] of cases) {
    const { output } = await runCommand(world, args, environment)
    expect(output).toContain(said)
    const secrets = [...world.secrets, ...phones, 'a-key']
    expect(secrets.filter((secret) => output.includes(secret))).toEqual([])
  }
  const owners = [{ phone: '+25470000001x' }] as unknown as World['owners']
  const torn = await runCommand(world, ['plan', 'secret'], { owners })
  expect(torn).toEqual(ending(1, 'line 1 of the standard input'))
  expect(torn.output).not.toContain('25470000001')
})

describe('a number that has changed', () => {
  const present = (index: number) => parseCaller(`+25470000002${index}`) as PhoneNumber
  const linesFor = (indexes: readonly number[]) =>
    indexes.map((index) => `${world.owners[index]?.phone} ${present(index)}\n`).join('')
  const run = (input: string) =>
    runHere(alias, ['--record', world.records.from], { input, env: world.environment })
  const auditOf = (output: string) =>
    (output.match(/^\{.+$/gm) ?? []).map((line) => JSON.parse(line) as { from: string })

  test('keeps its balance and its loan, once, with a line for the records and no number in it', async () => {
    const secret = world.environment.ACCOUNT_KEY_SECRET as Hex
    const owners = [world.owners[0].account, world.owners[4]?.account as LocalAccount]
    const heirs = await Promise.all(
      [0, 4].map((index) => createCallerAccounts(secret)(present(index))),
    )
    const at = (accounts: readonly LocalAccount[]) =>
      holdings(accounts.map(({ address }) => [world.from, address] as const))
    const before = await at(owners)
    expect(before[0]?.debt.owed).toBe(usualTerms.principalWei + usualTerms.feeWei)

    const first = await run(linesFor([0, 4]))
    expect(first.code, first.output).toBe(0)
    expect(await at(heirs)).toEqual(before)
    const tied = owners.map(({ address: from }, index) =>
      expect.objectContaining({ event: 'account.aliased', from, to: heirs[index]?.address }),
    )
    expect(auditOf(first.output)).toHaveLength(2)
    expect(auditOf(first.output)).toEqual(expect.arrayContaining(tied))

    const again = await run(linesFor([0, 4]))
    expect(again).toEqual(ending(0, '0 accounts tied, 2 with nothing to pass on'))
    expect(auditOf(again.output)).toEqual([])
    for (const { output } of [first, again]) {
      expect(output).not.toMatch(/\+?2547\d{8}/)
      for (const secret of world.secrets) expect(output).not.toContain(secret)
    }
  })

  test('moves nothing if both numbers owe: the records name the stuck one', async () => {
    const [, second, third] = world.owners
    const { code, output } = await run(`${second.phone} ${third.phone}\n`)
    expect(code).toBe(1)
    const stuck = { event: 'account.stuck', from: second.account.address }
    expect(auditOf(output)).toMatchObject([stuck])
  })

  test('is refused by line number, and never by its text', async () => {
    for (const [input, line] of [
      ['+254700000010\n', 1],
      ['+254700000010 +254700000020\n+254700000011 0700\n', 2],
      ['+254700000010 +254700000010\n', 1],
      ['+254700000010 +254700000020\n+254700000011 +254700000020\n', 2],
      ['+254700000010 +254700000020\n+254700000020 +254700000021\n', 2],
    ] as const) {
      const refused = await run(input)
      expect(refused).toEqual(ending(1, `line ${line} of the standard input`))
      expect(refused.output).not.toMatch(/\d{6}/)
    }
  })
})
