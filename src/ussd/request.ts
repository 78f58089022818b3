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

/** What is answered when a delivery is not one. `says` is one line for the screen. */
export type BadRequest = { kind: 'bad'; status: 400 | 413 | 415; says: string }

export type ParsedRequest = { kind: 'request'; request: UssdRequest } | BadRequest
