import type { Country, PhoneNumber } from '../../account/phone.ts'
import type { Screen } from '../screens/screen.ts'

export type Gateway = {
  /** Is part of the key of a payment: it never changes. */
  name: string
  /** Reads a delivery, with the country of the gateway's network. */
  parse: (posted: Posted, country?: Country) => Parsed
  /** Writes a reply, which goes out as 200: anything else ends the session without a word. */
  render: (screen: Screen, to?: ReplyTo) => string
  contentType: string
}

export type Posted = { contentType: string | undefined; body: string }

/** Tells what a reply answers. What could not be read has no session. */
export type ReplyTo = {
  sessionId?: string
  /** Comes back with the next answer, where the gateway sends that alone. */
  carried?: string
}

export type Parsed =
  /** Holds all that was typed, joined by `*`. */
  | { kind: 'request'; session: UssdSession; text: string; step?: NumberedStep }
  | { kind: 'step'; session: UssdSession; last: LastAnswer | undefined }
  /** Ends the session. It holds what was typed, so nothing of it is kept or logged. */
  | { kind: 'notice' }
  /** Is no delivery; `says` is a line for screen and log, with nothing of what came. */
  | { kind: 'bad'; says: string }

/** Names a dialling; all of it is part of a payment's key. */
export type UssdSession = { gateway: string; sessionId: string; phone: PhoneNumber }

/**
 * Holds all that was typed so far, joined by `*`; where its step is named, the last answer alone.
 */
export type UssdRequest = UssdSession & { text: string; step?: NumberedStep | undefined }

/** Numbers a delivery: the same when it is delivered again, one more with each answer. */
export type NumberedStep = { number: number; isFirst: boolean }

export type LastAnswer = { input: string; carried: string }
