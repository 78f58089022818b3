import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createPublicClient, http, parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'
import { borrowers as command } from '../../../scripts/contracts/borrowers.ts'
import { type Deployment, deployContracts } from '../../../scripts/contracts/deploy.ts'
import { type Anvil, devKey, startAnvil } from '../../../scripts/dev/anvil.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { callerAccount } from '../../../src/account/keys.ts'
import { parseCaller } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'

const creditorKey = generatePrivateKey()
const secret = toHex(randomBytes(32))
const numbers = ['+254700000011', '+254700000012', '+254700000013']

let anvil: Anvil
let deployment: Deployment

beforeAll(async () => {
  anvil = await startAnvil({})
  const creditor = privateKeyToAddress(creditorKey)
  deployment = await deployContracts({
    ...{ nodeUrl: anvil.url, chainId: 31, deployerKey: devKey, log: () => {} },
    relayers: [privateKeyToAddress(generatePrivateKey())],
    recordFile: join(mkdtempSync(join(tmpdir(), 'borrowers-')), '31.json'),
    ...{ poolWei: parseEther('1'), isListOnly: true, creditor },
  })
  await rpcTo(anvil.url)('anvil_setBalance', [creditor, toHex(parseEther('1'))])
  return anvil.stop
})

const variablesWith = (environment: NodeJS.ProcessEnv) => ({
  ...{ NODE_URL: anvil.url, CHAIN_ID: '31', LOAN_ADDRESS: deployment.loan },
  ...{ ACCOUNT_KEY_SECRET: secret, CREDITOR_KEY: creditorKey, ...environment },
})

type Ended = { code: number | null; output: string; errors: string; leaks: string[] }

/** In this process: to start one takes longer than most of what it does. */
async function borrowers(
  action: string,
  input: string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const [output, errors]: [string[], string[]] = [[], []]
  const terminal = {
    ...{ env: variablesWith(environment), input: async () => input.join('\n') },
    say: (line: string) => void output.push(`${line}\n`),
    complain: (line: string) => void errors.push(`${line}\n`),
  }
  const code = await command([action], terminal)
  return ended(code, output.join(''), errors.join(''))
}

/** In a process of its own. */
async function startBorrowers(action: string, input: string[]): Promise<Ended> {
  const variables = variablesWith({})
  const child = spawn('node', ['scripts/contracts/borrowers.ts', action], {
    env: { ...process.env, ...variables },
  })
  child.stdin.end(input.join('\n'))
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return ended(await closed, output, errors)
}

function ended(code: number | null, output: string, errors: string): Ended {
  // Neither a number nor a key is ever told.
  const told = `${output}${errors}`
  const secrets = [
    ...numbers.map((number) => number.slice(1)),
    creditorKey.slice(2),
    secret.slice(2),
  ]
  return { code, output, errors, leaks: secrets.filter((one) => told.includes(one)) }
}

async function isListed(number: string): Promise<boolean> {
  const phone = parseCaller(number)
  if (phone === undefined) throw new Error('the fixture is no phone number')
  const { address } = await callerAccount(secret, phone)
  const client = createPublicClient({ transport: http(anvil.url) })
  const call = { address: deployment.loan, abi: microLoanAbi, functionName: 'isListed' } as const
  return await client.readContract({ ...call, args: [address] })
}

test("the creditor's key lists numbers and takes them off again, each once", async () => {
  expect(await startBorrowers('add', numbers.slice(0, 2))).toEqual({
    ...{ code: 0, output: '2 added, 0 were so already\n', errors: '', leaks: [] },
  })
  expect(await Promise.all(numbers.map(isListed))).toEqual([true, true, false])
  expect((await borrowers('add', numbers)).output).toBe('1 added, 2 were so already\n')
  expect((await borrowers('remove', [numbers[1] ?? ''])).output).toBe(
    '1 removed, 0 were so already\n',
  )
  expect(await Promise.all(numbers.map(isListed))).toEqual([true, false, true])
  expect(await borrowers('list', numbers, { CREDITOR_KEY: '' })).toMatchObject({
    code: 0,
    output: 'number 1: listed\nnumber 2: not listed\nnumber 3: listed\n',
    leaks: [],
  })
})

test('another key, a bad number or a bad setting changes nothing, and is named', async () => {
  const before = await rpcTo(anvil.url)('eth_blockNumber', [])
  const fresh = ['+254700000009']
  expect(await startBorrowers('add', [...fresh, '12'])).toEqual({
    ...{ code: 1, output: '', errors: expect.stringContaining('line 2 of the'), leaks: [] },
  })
  const cases: [string, string[], NodeJS.ProcessEnv, string][] = [
    ['add', fresh, { CREDITOR_KEY: devKey }, "The contract's creditor is 0x"],
    ['add', fresh, { CREDITOR_KEY: '' }, 'CREDITOR_KEY is not set'],
    ['add', fresh, { CREDITOR_KEY: '0x12' }, 'CREDITOR_KEY is not 0x and 64 digits'],
    ['add', fresh, { CREDITOR_KEY: devKey.slice(0, -1) }, 'CREDITOR_KEY is not 0x and 64 digits'],
    ['add', [...fresh, '12'], {}, 'line 2 of the standard input is no number'],
    ['add', fresh, { LOAN_ADDRESS: '0x12' }, 'LOAN_ADDRESS is no address'],
    ['lend', fresh, {}, 'usage: npm run borrowers'],
  ]
  for (const [action, input, environment, reason] of cases) {
    const result = await borrowers(action, input, environment)
    expect(result).toMatchObject({ code: 1, output: '', leaks: [] })
    expect(result.errors).toContain(reason)
  }
  expect(await rpcTo(anvil.url)('eth_blockNumber', [])).toBe(before)
})
