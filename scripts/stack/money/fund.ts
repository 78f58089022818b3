import type { Address } from 'viem'
import { commonOptions, readNumber } from '../../ops/command-line.ts'
import { openOperator } from '../../ops/operator-client.ts'
import { openPayer, readWei } from '../../ops/payer.ts'
import { createCommand } from '../command.ts'
import { Misused, writeAmount } from '../report.ts'
import { toPhone } from './callers.ts'
import { keyOptions } from './key-source.ts'
import { depositCalls } from './treasury.ts'

const usage = `Usage: npm run ops -- fund +254700000009 0.5 [--json]
       npm run ops -- fund --url https://<host> 0.5 [--keystore FILE] [--json]

Gives so much to the account of a number, with depositFor of the loan contract: on the local stack; or on the
deployment at --url, whose OPERATOR_TOKEN and NODE_URL are in the environment, and DEPLOYER_KEY, which pays,
where it is in no keystore. There the number is read from a prompt, or from the standard input.`

export const fund = createCommand({
  usage,
  options: { ...commonOptions, keystore: keyOptions.keystore },
  async run({ url, keystore }, given, terminal) {
    const isLocal = url === undefined
    if (given.length !== (isLocal ? 2 : 1)) throw new Misused()
    const operator = { ...openOperator(url, terminal.env), terminal }
    const phone = isLocal ? toPhone(given[0] ?? '') : await readNumber(terminal)
    // The deployment tells whose account it is: the secret that it follows from stays there.
    const lookup = await operator.act('lookup', { phone })
    const account = lookup.account as Address
    const { unit, treasury, loan, read } = await openPayer(operator, { keystore })
    const amountWei = readWei(given.at(-1) ?? '', unit)
    // It fails where the contract is not there: what is sent to an empty address is lost.
    await read.getBalance([account])
    await treasury.payLoan(loan, depositCalls, [account], amountWei)
    const balanceWei = await read.getBalance([account])
    return {
      json: { amountWei: `${amountWei}`, balanceWei: `${balanceWei}` },
      lines: [
        `Gave ${isLocal ? phone : account} ${writeAmount(amountWei, unit)} with depositFor.`,
        `Its balance is ${writeAmount(balanceWei, unit)} now.`,
      ],
    }
  },
})
