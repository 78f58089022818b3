import type { PhoneNumber } from '../account/phone.ts'

/** One delivery of a gateway, whatever its wire looked like. */
export type UssdRequest = {
  /** Which adapter it came through; part of the payment's key. */
  gateway: string
  sessionId: string
  phone: PhoneNumber
  /** Everything typed so far, joined by `*`; empty on the first dial. */
  text: string
}
