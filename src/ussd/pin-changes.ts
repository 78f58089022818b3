import type { Pins } from '../account/pin.ts'
import type { Asked } from './asked.ts'
import type { PinAction } from './menu/node.ts'
import { end } from './screens/screen.ts'

type Changing = Asked & { pins: Pins | undefined }

export async function changePin(of: Changing, action: PinAction, authorizedBy?: string) {
  const { pins, account, session: sessionOf, say } = of
  if (pins === undefined) throw new Error('there are no PINs')
  const [{ address }, session] = await Promise.all([account(), sessionOf()])
  const change = async () => {
    switch (action.kind) {
      case 'forgetPin':
        return pins.forget(address, session)
      case 'choosePin':
        return pins.choose(address, action.pin, session)
      case 'changePin':
        if (authorizedBy === undefined) throw new Error('no PIN was right')
        return pins.change(address, action.pin, session, authorizedBy)
    }
  }
  switch (await change()) {
    case 'done':
      return end(action.kind === 'forgetPin' ? say.pin.requested : say.pin.chosen)
    case 'kept':
      return end(say.pin.kept)
    case 'dormant':
      return end(say.pin.locked.dormant)
  }
}
