import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, encodeFunctionData, erc20Abi, type Hex, keccak256, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { migrate } from '../../../scripts/contracts/migrate/cli.ts'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { devKey } from '../../../scripts/dev/anvil.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { openNode } from '../../../scripts/stack/chain/node.ts'
import { createTreasury } from '../../../scripts/stack/money/treasury.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { encodeCall } from '../../../src/loan/calls.ts'
import { opened } from '../../support/opened.ts'
import { runHere } from '../../support/processes.ts'
import { forward } from './migration-world.ts'

const chain = opened(() => startChain([], [], true))
const tokenAbi = parseAbi(['function behave(uint8)'])
const depositCalls = { coins: 'depositFor', tokens: 'depositTokensFor' }
const phones = ['+254700000091', '+254700000092'] as const

test('tokens that reach an inlet of a former secret are credited and moved by the next run, whoever has borrowed', async () => {
  const { client, genesis } = await openNode([chain.anvil.url], 31)
  const owner = createTreasury(await openNode([chain.anvil.url], 31), devKey)
  const { loan, forwarder } = chain
  const folder = mkdtempSync(join(tmpdir(), 'inlets-'))
  const record = join(folder, 'record.json')
  const deployed = { chainId: 31, genesisHash: genesis, forwarder, loan, deployedBlock: '0' }
  writeFileSync(record, JSON.stringify({ ...deployed, state: 'deployed' }))
  const { ACCOUNT_KEY_SECRET = '', RELAYER_MNEMONIC = '' } = chain.bindings
  const newSecret = keccak256(ACCOUNT_KEY_SECRET as Hex)
  const environment = { ACCOUNT_KEY_SECRET, RELAYER_MNEMONIC, NEW_ACCOUNT_KEY_SECRET: newSecret }
  const env = { ...environment, NODE_URL: chain.anvil.url }
  const operate = (action: string) =>
    runHere(migrate, [action, 'secret', '--record', record], { env, input: phones.join('\n') })
  const derive = (secret: string, phone: string) =>
    createCallerAccounts(secret as Hex)(phone as PhoneNumber)
  const read = loanAt(client, loan)
  const arrive = async (phone: string, amount: bigint) => {
    const inlet = await read.inletOf([(await derive(ACCOUNT_KEY_SECRET, phone)).address])
    const args = [inlet, amount * 10n ** 18n] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
    await owner.send({ to: chain.unit.token?.address as Address, data })
  }
  const [borrower, other] = await Promise.all(phones.map((phone) => derive(newSecret, phone)))
  if (borrower === undefined || other === undefined) throw new Error('no accounts')
  const balances = () =>
    Promise.all([borrower, other].map(({ address }) => read.getBalance([address])))

  // Under the new secret the first number has borrowed: nothing can be passed on to it.
  const { principal: principalWei, term: termSeconds } = await read.terms()
  await forward(
    { chain, client },
    borrower,
    encodeCall({ kind: 'loan', principalWei, feeWei: 0n, termSeconds }),
  )
  await owner.callLoan(loan, 'pause', [])
  for (const times of [1n, 2n]) {
    await arrive(phones[0], 5n)
    await arrive(phones[1], 2n)
    expect(await operate('verify')).toMatchObject({ code: 1 })
    expect(await operate('run')).toMatchObject({ code: 0 })
    expect(await balances()).toEqual([principalWei + times * 5_000_000n, times * 2_000_000n])
    expect(await operate('verify')).toMatchObject({ code: 0 })
  }
  // A token that moves nothing keeps no balance of the books from moving.
  const [, former] = await Promise.all(phones.map((phone) => derive(ACCOUNT_KEY_SECRET, phone)))
  await arrive(phones[1], 2n)
  await owner.payLoan(loan, depositCalls, [former?.address], 3_000_000n)
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'behave', args: [6] })
  await owner.send({ to: chain.unit.token?.address as Address, data })
  const run = await operate('run')
  expect(run).toEqual({ code: 1, output: expect.stringContaining(`stuck ${former?.address}`) })
  expect(await balances()).toEqual([principalWei + 10_000_000n, 7_000_000n])
  rmSync(folder, { recursive: true })
})
