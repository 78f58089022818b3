import type { Country } from '../../account/phone.ts'
import type { UssdRequest } from '../request.ts'
import type { Screen } from '../screens/screen.ts'

/** What a gateway sends and takes. */
export type Gateway = {
  /** Part of the key of a payment: it never changes. */
  name: string
  /** Reads a delivery. The country is that of the gateway's network, where its operator named one. */
  parse: (posted: Posted, country?: Country) => Parsed
  /** The body of a reply, which goes out as 200: anything else ends the session without a word. */
  render: (screen: Screen, to?: ReplyTo) => string
  /** What the bodies of replies are. */
  contentType: string
}

/** What came over HTTP. */
export type Posted = { contentType: string | undefined; body: string }

/** What a reply answers. What could not be read has no session. */
export type ReplyTo = {
  sessionId?: string
  /** What a gateway that sends the last answer alone brings back with the next one. */
  carried?: string
}

export type Parsed =
  /** From a gateway whose text accumulates: it holds all that was typed, joined by `*`. */
  | { kind: 'request'; request: UssdRequest }
  /** From a gateway that sends the last answer alone. `last` is undefined at the first dial. */
  | { kind: 'step'; session: UssdSession; last: LastAnswer | undefined }
  /** The session is over. What is in it is neither kept nor logged: it holds what was typed. */
  | { kind: 'notice' }
  /** No delivery. `says` is a line for the screen and the log; it holds nothing of what came. */
  | { kind: 'bad'; says: string }

export type UssdSession = Omit<UssdRequest, 'text'>

/** What was typed last, and what the reply carried that it answers. */
export type LastAnswer = { input: string; carried: string }
