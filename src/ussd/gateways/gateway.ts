import type { Country, PhoneNumber } from '../../account/phone.ts'
import type { Screen } from '../screens/screen.ts'

export type Gateway = {
  /** Names the gateway. Payments' keys include the name, so it must never change. */
  name: string
  /** Parses a delivery; `country` is that of the gateway's network. */
  parse: (request: PostedRequest, country?: Country) => ParsedRequest
  /** Writes the body of a reply with status 200; other statuses end the session silently. */
  render: (screen: Screen, to?: ReplyTo) => string
  contentType: string
}

export type PostedRequest = { contentType: string | undefined; body: string }

/** Addresses a reply; a request that cannot be parsed has no session. */
export type ReplyTo = {
  sessionId?: string
  /** Holds a text that the gateway returns unchanged with the caller's next answer. */
  carried?: string
}

export type ParsedRequest =
  /** A delivery with all answers so far, joined by `*`; with `step` it has only the last one. */
  | { kind: 'request'; session: UssdSession; text: string; step?: NumberedStep }
  /** A delivery with the last answer, and the text that the last reply carried. */
  | { kind: 'step'; session: UssdSession; last: LastAnswer | undefined }
  /** A notice that the session has ended; its text is neither stored nor logged. */
  | { kind: 'notice' }
  /** A request that cannot be parsed; `message` repeats nothing that was typed. */
  | { kind: 'invalid'; message: string }

/** Identifies a session; a payment's key includes all of it. */
export type UssdSession = { gateway: string; sessionId: string; phone: PhoneNumber }

/** A delivery with all answers so far, joined by `*`; with `step` it has only the last one. */
export type UssdRequest = UssdSession & { text: string; step?: NumberedStep | undefined }

/** Numbers a delivery. A redelivery has the same number, the next answer the next one. */
export type NumberedStep = { number: number; isFirst: boolean }

export type LastAnswer = { input: string; carried: string }
