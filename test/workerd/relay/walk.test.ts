import { describe, test } from 'vitest'
import { dial, newSession, untilBalance } from '../support/caller.ts'

describe('a session of the demonstration', () => {
  test('shows the main menu on the first dial', async ({ expect }) => {
    expect(await dial('+254700000001', '')).toEqual({
      status: 200,
      text: 'CON Rootstock DeFi (+254700000001)\n1. My Balance\n2. Send Money (P2P)\n3. Request Micro-Loan\n4. Repay Loan',
    })
  })

  test('gives a loan, which the balance shows, which can be sent on and repaid', async ({
    expect,
  }) => {
    const [sender, receiver] = ['+254700000011', '+254700000012']
    expect((await dial(sender, '1')).text).toBe('END Your Balance: 0 tRBTC')

    const loan = await dial(sender, '3')
    expect(loan.text).toMatch(
      /^END Loan Requested\nTx: 0x[0-9a-f]{10}\.\.\.\n0\.01 tRBTC credited shortly\.$/,
    )
    await untilBalance(sender, '0.01')

    const session = newSession()
    expect((await dial(sender, '2', session)).text).toBe('CON Enter Recipient Address:_________')
    expect((await dial(sender, '2*0700000012', session)).text).toBe('CON Enter Amount:_____')
    const sent = await dial(sender, '2*0700000012*0.004', session)
    expect(sent.text).toMatch(
      /^END Transfer Submitted\nTo: 2547\.\.\.012\nTx: 0x[0-9a-f]{10}\.\.\.\nFunds will arrive shortly\.$/,
    )
    await untilBalance(receiver, '0.004')
    await untilBalance(sender, '0.006')

    const repaid = await dial(sender, '4*2*0.001')
    expect(repaid.text).toMatch(/^END Repayment Submitted\nAmount: 0\.001 tRBTC\nTx: 0x/)
    await untilBalance(sender, '0.005')
  })
})
