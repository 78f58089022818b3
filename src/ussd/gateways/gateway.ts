import type { Country } from '../../account/phone.ts'
import type { UssdRequest } from '../request.ts'
import type { Screen } from '../screen.ts'

/** What a gateway sends and takes. Its `text` holds all that was typed in the session, joined by `*`. */
export type Gateway = {
  /** Part of the key of a payment: it never changes. */
  name: string
  /** Reads a delivery. The country is that of the gateway's network, where its operator named one. */
  parse: (posted: Posted, country?: Country) => Parsed
  /** The body of a reply, which goes out as 200: anything else ends the session without a word. */
  render: (screen: Screen) => string
  /** What the bodies of replies are. */
  contentType: string
}

/** What came over HTTP. */
export type Posted = { contentType: string | undefined; body: string }

export type Parsed =
  | { kind: 'request'; request: UssdRequest }
  /** The session is over. What is in it is neither kept nor logged: it holds all that was typed. */
  | { kind: 'notice' }
  /** No delivery. `says` is a line for the screen and the log; it holds nothing of what came. */
  | { kind: 'bad'; says: string }
