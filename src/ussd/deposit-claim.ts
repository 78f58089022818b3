import { describeFault } from '../runtime/log.ts'
import { deposit, receive } from './menu/entries/receive.ts'
import { endScreen, type Screen } from './screens/screen.ts'
import type { Visit } from './visit.ts'

/** Credits a deposit at the account's own address, at most once, and shows the result. */
export async function showDepositClaim({
  services: { claimDeposit, showAmount, settings, log },
  account,
  messages,
}: Visit): Promise<Screen> {
  const { claimed: words } = receive.words(messages)
  const claim = await claimDeposit(account).catch((error: unknown) => {
    log({ level: 'error', event: 'answer.failed', message: describeFault(error) })
    return undefined
  })
  // Another delivery of this claim may have sent the deposit, or sends it now.
  if (claim === undefined) return endScreen(words.unknown)
  switch (claim.kind) {
    case 'sent': {
      const hash = `${claim.hash.slice(0, 12)}...`
      return endScreen(
        claim.isTaken ? words.sent(showAmount(claim.amountWei), hash) : words.unknown,
      )
    }
    case 'under_way':
      return endScreen(words.underWay)
    case 'too_little': {
      const { balanceWei, gasWei, last } = claim
      // What a deposit did not use for gas stays at the address, but is no new deposit.
      if (last !== undefined) return endScreen(words.nothingSince(showAmount(last.amountWei)))
      if (balanceWei === 0n) return endScreen(deposit.words(messages).nothing)
      return endScreen(words.tooLittle(showAmount(balanceWei), showAmount(gasWei)))
    }
    case 'price_too_high':
      return endScreen(messages.feesTooHigh)
    case 'paused':
      return endScreen(messages.paused)
    case 'held':
      return endScreen(messages.held(settings.helpNumber))
    case 'refused':
      return endScreen(messages.unavailable)
  }
}
