import { checksumAddress } from 'viem'
import { spellPhone } from '../../account/phone.ts'
import type { MenuContext } from '../menu/node.ts'
import { selectMessages } from '../messages/languages.ts'
import { toLongAddress, toShortAddress } from '../messages/texts.ts'
import type { Visit } from '../visit.ts'

/** Creates what the menu knows of a visit before anything is looked up. */
export function createMenuContext(visit: Visit): MenuContext {
  const { chainId, settings, minTransferWei, menu } = visit.services
  const { showAmount, showExactAmount, showOwed, unit } = visit.services
  const { messages, phone } = visit
  return {
    chainId,
    caller: phone,
    ownAccount: settings.profile === 'demo' ? undefined : visit.account.address,
    messages,
    speak: (language) => selectMessages(settings, language),
    menu,
    showAmount,
    showExactAmount,
    showOwed,
    unit,
    rate: settings.localCurrency === undefined ? 'none' : undefined,
    hasLanguages: settings.languages.length > 1,
    knownRecipients: settings.profile === 'demo' ? [] : undefined,
    wallets: undefined,
    reserved: [visit.services.forwarder.address, visit.services.loanAddress],
    describeRecipient: (recipient) => {
      if (recipient.kind === 'phone') return spellPhone(recipient.phone)
      if (recipient.kind !== 'address') return recipient.label
      const address = checksumAddress(recipient.address, chainId)
      const { name } = recipient
      return name ? `${name} ${toShortAddress(address)}` : toLongAddress(address)
    },
    minTransferWei,
  }
}
