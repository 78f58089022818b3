import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Address, createWalletClient, http, parseEther } from 'viem'
import { playScript } from '../../../scripts/stack/phone/dial-script.ts'
import { type GatewayName, phoneLines } from '../../../scripts/stack/phone/phone-lines.ts'
import { openSecrets } from '../../../scripts/stack/secrets.ts'
import { callerAccount } from '../../../src/account/keys.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { postTo, type Start } from './stack-process.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The flows of a profile, by their files. */
export const flowsOf = (profile: 'demo' | 'lender' | 'strict'): string[] =>
  globSync(`test/flows/${profile}/*.txt`, { cwd: root }).sort()

/**
 * Plays a flow with numbers of its own, `place` times three above those that it is written with: each begins
 * with what the local stack gives its first callers.
 *
 * @throws {StackError} naming the line of the script that does not hold
 */
export async function playFlow(
  { folder, start }: { folder: string; start: Start },
  file: string,
  place: number,
  gateway: GatewayName = 'africas-talking',
): Promise<void> {
  const numberOf = (caller: number) => `${place * 3 + caller}`.padStart(3, '0')
  const { relayUrl, nodeUrl, contracts } = start.stack()
  const { ACCOUNT_KEY_SECRET } = openSecrets(join(folder, 'secrets.json'))
  for (const caller of [1, 2, 3]) {
    const phone = `+254700000${numberOf(caller)}` as PhoneNumber
    const { address } = await callerAccount(ACCOUNT_KEY_SECRET, phone)
    await give(nodeUrl, contracts.loan, address)
  }
  const written = readFileSync(`${root}/${file}`, 'utf8')
  // As E.164, as screens spell it and as people do, and what screens show of it afterwards.
  const script = written.replaceAll(
    /(00[ -]?000[ -]?|\.\.\.)00([1-3])\b/g,
    (_, before: string, caller: string) => `${before}${numberOf(Number(caller))}`,
  )
  let sessions = 0
  await playScript(script, {
    send: phoneLines[gateway]((path, headers, body) => postTo(relayUrl, path, headers, body)),
    newSession() {
      sessions += 1
      return `${file} ${gateway} ${sessions}`
    },
    toPhone: (typed) => typed,
    show: () => {},
    // A block of the local chain comes with a transaction; what waits for one is looked at again.
    pause: () => sleep(500),
  })
}

/** What a caller of the local stack has at first, from an account of the node's own. */
async function give(nodeUrl: string, loan: Address, account: Address): Promise<void> {
  const wallet = createWalletClient({ transport: http(nodeUrl) })
  const [payer] = await wallet.getAddresses()
  if (payer === undefined) throw new Error('the node has no accounts of its own')
  await wallet.writeContract({
    ...{ account: payer, chain: null, address: loan, abi: microLoanAbi },
    ...{ functionName: 'depositFor', args: [account], value: parseEther('1') },
  })
}
