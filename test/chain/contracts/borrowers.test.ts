import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, createPublicClient, http, parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'
import { borrowers as command } from '../../../scripts/contracts/borrowers.ts'
import { deployContracts } from '../../../scripts/contracts/deploy.ts'
import { devKey, startAnvil } from '../../../scripts/dev/anvil.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { createCallerAccounts } from '../../../src/account/keys.ts'
import { parseCaller } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { opened } from '../../support/opened.ts'
import { runHere, runScript } from '../../support/processes.ts'

const creditorKey = generatePrivateKey()
const secret = toHex(randomBytes(32))
const numbers = ['+254700000011', '+254700000012', '+254700000013']

const anvil = opened(() => startAnvil())
let loan: Address

beforeAll(async () => {
  const creditor = privateKeyToAddress(creditorKey)
  const deployment = await deployContracts({
    ...{ nodeUrl: anvil.url, chainId: 31, deployerKey: devKey, log: () => {} },
    relayers: [privateKeyToAddress(generatePrivateKey())],
    recordFile: join(mkdtempSync(join(tmpdir(), 'borrowers-')), '31.json'),
    ...{ poolWei: parseEther('1'), isListOnly: true, creditor },
  })
  loan = deployment.loan
  await rpcTo(anvil.url)('anvil_setBalance', [creditor, toHex(parseEther('1'))])
})

/** Runs the command, with what it told that it should not: a number, or a key. */
async function borrowers(
  action: string,
  input: string[],
  environment: Record<string, string> = {},
  isProcess = false,
) {
  const env = {
    ...{ NODE_URL: anvil.url, CHAIN_ID: '31', LOAN_ADDRESS: loan },
    ...{ ACCOUNT_KEY_SECRET: secret, CREDITOR_KEY: creditorKey, ...environment },
  }
  const given = { env, input: input.join('\n') }
  const ended = isProcess
    ? await runScript('scripts/contracts/borrowers.ts', [action], given)
    : await runHere(command, [action], given)
  const secrets = [
    ...numbers.map((number) => number.slice(1)),
    creditorKey.slice(2),
    secret.slice(2),
  ]
  return { ...ended, leaks: secrets.filter((one) => ended.output.includes(one)) }
}

async function isListed(number: string): Promise<boolean> {
  const phone = parseCaller(number)
  if (phone === undefined) throw new Error('the fixture is no phone number')
  const { address } = await createCallerAccounts(secret)(phone)
  const client = createPublicClient({ transport: http(anvil.url) })
  const call = { address: loan, abi: microLoanAbi, functionName: 'isListed' } as const
  return await client.readContract({ ...call, args: [address] })
}

test("the creditor's key lists numbers and takes them off again, each once", async () => {
  expect(await borrowers('add', numbers.slice(0, 2), {}, true)).toEqual({
    ...{ code: 0, output: '2 added, 0 were so already\n', leaks: [] },
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
  expect(await borrowers('add', [...fresh, '12'], {}, true)).toEqual({
    ...{ code: 1, output: expect.stringContaining('line 2 of the'), leaks: [] },
  })
  const cases: [string, string[], Record<string, string>, string][] = [
    ['add', fresh, { CREDITOR_KEY: devKey }, "The contract's creditor is 0x"],
    ['add', fresh, { CREDITOR_KEY: '' }, 'CREDITOR_KEY is not set'],
    ['add', fresh, { CREDITOR_KEY: '0x12' }, 'CREDITOR_KEY is not 0x and 64 digits'],
    ['add', fresh, { CREDITOR_KEY: devKey.slice(0, -1) }, 'CREDITOR_KEY is not 0x and 64 digits'],
    ['add', [...fresh, '12'], {}, 'line 2 of the standard input is no number'],
    ['add', fresh, { LOAN_ADDRESS: '0x12' }, 'LOAN_ADDRESS is no address'],
    ['lend', fresh, {}, 'usage: npm run borrowers'],
  ]
  for (const [action, input, environment, reason] of cases) {
    expect(await borrowers(action, input, environment)).toEqual({
      ...{ code: 1, output: expect.stringContaining(reason), leaks: [] },
    })
  }
  expect(await rpcTo(anvil.url)('eth_blockNumber', [])).toBe(before)
})
