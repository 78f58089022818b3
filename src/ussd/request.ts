import type { PhoneNumber } from '../account/phone.ts'

export type UssdRequest = {
  /** Names the adapter it came through; part of the payment's key. */
  gateway: string
  sessionId: string
  phone: PhoneNumber
  /** Is everything typed so far, joined by `*`. */
  text: string
}
