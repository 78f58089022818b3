import type { Country, PhoneNumber } from '../../account/phone.ts'
import type { Screen } from '../screens/screen.ts'

export type Gateway = {
  /** Names the gateway; part of a payment's key, so it must never change. */
  name: string
  /** Reads a delivery, with the country of the gateway's network. */
  parse: (posted: PostedRequest, country?: Country) => ParsedRequest
  /** Writes a reply, sent with status 200; any other status ends the session without a message. */
  render: (screen: Screen, to?: ReplyTo) => string
  contentType: string
}

export type PostedRequest = { contentType: string | undefined; body: string }

/** Holds what a reply answers; an unreadable request has no session. */
export type ReplyTo = {
  sessionId?: string
  /** Holds the state that comes back with the next answer. */
  carried?: string
}

export type ParsedRequest =
  /** Holds everything typed so far, joined by `*`. */
  | { kind: 'request'; session: UssdSession; text: string; step?: NumberedStep }
  | { kind: 'step'; session: UssdSession; last: LastAnswer | undefined }
  /** Tells that the session has ended; what it repeats of the text is neither kept nor logged. */
  | { kind: 'notice' }
  /** Tells why a request is no delivery; `says` repeats nothing of the request. */
  | { kind: 'bad'; says: string }

/** Identifies a session; all of it is part of a payment's key. */
export type UssdSession = { gateway: string; sessionId: string; phone: PhoneNumber }

/**
 * Holds all that was typed so far, joined by `*`; where its step is named, the last answer alone.
 */
export type UssdRequest = UssdSession & { text: string; step?: NumberedStep | undefined }

/** Numbers a delivery: equal for a redelivery, one more with each answer. */
export type NumberedStep = { number: number; isFirst: boolean }

export type LastAnswer = { input: string; carried: string }
