import type { Pins } from '../account/pin.ts'
import type { Asked } from './asked.ts'
import type { PinAction } from './menu/node.ts'
import { end } from './screens/screen.ts'

type Changing = Asked & { pins: Pins | undefined }

export async function changePin(of: Changing, action: PinAction, authorizedBy?: string) {
  const { pins, account, session: deriveSession, say } = of
  if (pins === undefined) throw new Error('there are no PINs')
  const [{ address }, session] = await Promise.all([account(), deriveSession()])
  const change = async () => {
    if (action.kind === 'forgetPin') return pins.forget(address, session)
    if (action.kind === 'choosePin') return pins.choose(address, action.pin, session)
    if (authorizedBy === undefined) throw new Error('no PIN was right')
    return pins.change(address, action.pin, session, authorizedBy)
  }
  const done = action.kind === 'forgetPin' ? say.pin.requested : say.pin.chosen
  const words = { done, kept: say.pin.kept, dormant: say.pin.locked.dormant }
  return end(words[await change()])
}
