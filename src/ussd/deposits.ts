import type { LocalAccount } from 'viem'
import type { DepositClaim } from '../relay/claim-deposit.ts'
import type { Asked } from './asked.ts'
import { receive } from './menu/receive.ts'
import { end, type Screen } from './screens/screen.ts'

export type ClaimOptions = {
  claimDeposit: (account: LocalAccount) => Promise<DepositClaim>
  showAmount: (wei: bigint) => string
}

type Helped = { settings: { helpNumber?: string | undefined } }

/** Claims a deposit that was sent to the account's own address, at most once. */
export async function claimFor(of: ClaimOptions & Asked & Helped): Promise<Screen> {
  const { claimDeposit, showAmount, account, say } = of
  const { claimed } = receive.words(say)
  const claim = await claimDeposit(await account())
  switch (claim.kind) {
    case 'sent': {
      const tx = `${claim.hash.slice(0, 12)}...`
      return end(claim.isTaken ? claimed.sent(showAmount(claim.amountWei), tx) : claimed.unknown)
    }
    case 'under_way':
      return end(claimed.underWay)
    case 'too_little': {
      const { thereWei, gasWei, last } = claim
      // The gas that a deposit did not use stays at the address and is no new deposit.
      if (last !== undefined) return end(claimed.nothingSince(showAmount(last.amountWei)))
      if (thereWei === 0n) return end(claimed.nothing)
      return end(claimed.tooLittle(showAmount(thereWei), showAmount(gasWei)))
    }
    case 'price_too_high':
      return end(say.feesTooHigh)
    case 'paused':
      return end(say.paused)
    case 'held':
      return end(say.held(of.settings.helpNumber))
    case 'refused':
      return end(say.unavailable)
  }
}
