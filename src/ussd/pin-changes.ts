import type { Pins } from '../account/pin.ts'
import type { MenuSettings, PinAction } from './menu/node.ts'
import { writeDenial } from './refusal-texts.ts'
import type { RequestContext } from './request-context.ts'
import { endScreen, type Screen } from './screens/screen.ts'

type PinChangeContext = RequestContext & { pins: Pins | undefined; settings: MenuSettings }

/** Sets, replaces or forgets a PIN. `authorizedBy` names the step that had the old one. */
export async function changePin(
  context: PinChangeContext,
  action: PinAction,
  authorizedBy?: string,
): Promise<Screen> {
  const { pins, messages } = context
  if (pins === undefined) throw new Error('a PIN cannot be changed, because PINs are off')
  const { address } = await context.deriveAccount()
  const session = await context.deriveSessionDigest()
  async function apply({ requestReset, choose, change }: Pins) {
    if (action.kind === 'forgetPin') return requestReset(address, session)
    if (action.kind === 'choosePin') return choose(address, action.pin, session)
    if (authorizedBy === undefined) throw new Error('a PIN was changed without a correct PIN')
    return change(address, action.pin, session, authorizedBy)
  }
  const done = action.kind === 'forgetPin' ? messages.pin.requested : messages.pin.chosen
  const { unchanged } = messages.pin
  const words = { done, unchanged, dormant: writeDenial(context, 'dormant') }
  return endScreen(words[await apply(pins)])
}
