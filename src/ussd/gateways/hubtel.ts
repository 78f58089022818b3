import * as z from 'zod/mini'
import { type Country, parseCaller } from '../../account/phone.ts'
import { jsonOf } from '../../runtime/json.ts'
import { inAlphabet } from '../screens/septets.ts'
import type { Gateway, Parsed, Posted } from './gateway.ts'

const name = 'hubtel'

/** Reads Hubtel's JSON: the last answer alone, and in `ClientState` what was typed before. */
export const hubtel: Gateway = {
  name,
  parse,
  render: ({ kind, lines }, { sessionId = '', carried = '' } = {}) =>
    JSON.stringify({
      SessionId: sessionId,
      Type: kind === 'ask' ? 'response' : 'release',
      Message: inAlphabet(lines.join('\n')),
      // What Hubtel's own app puts above the message, which says all of it.
      Label: 'USSD',
      ClientState: carried,
      DataType: kind === 'ask' ? 'input' : 'display',
      FieldType: 'text',
    }),
  contentType: 'application/json; charset=utf-8',
}

const badSession = 'SessionId is missing or too long.'
const badMobile = 'Mobile is missing or not in international format.'
const badType = 'Type is not one of initiation, response, release, timeout.'
const textOr = (says: string) => z._default(z.nullable(z.string(says)), '')

const fields = z.object(
  {
    SessionId: z.string(badSession).check(z.minLength(1, badSession), z.maxLength(256, badSession)),
    Mobile: z.string(badMobile),
    // Documented in small letters, sent with a capital as well.
    Type: z.pipe(
      z.string(badType).check(z.toLowerCase()),
      z.enum(['initiation', 'response', 'release', 'timeout'], badType),
    ),
    Message: textOr('Message is not valid.'),
    ClientState: textOr('ClientState is not valid.'),
  },
  'The request has to be a JSON object.',
)

function parse({ body }: Posted, country?: Country): Parsed {
  const parsed = fields.safeParse(jsonOf(body))
  if (!parsed.success) return { kind: 'bad', says: parsed.error.issues[0]?.message ?? '' }
  const { SessionId: sessionId, Mobile, Type, Message, ClientState } = parsed.data
  if (Type === 'release' || Type === 'timeout') return { kind: 'notice' }
  // The country code comes without its plus.
  const phone = parseCaller(/^[1-9]/.test(Mobile) ? `+${Mobile}` : Mobile, country)
  if (phone === undefined) return { kind: 'bad', says: badMobile }
  const session = { gateway: name, sessionId, phone }
  // What is dialled first is the service's own code.
  if (Type === 'initiation') return { kind: 'step', session, last: undefined }
  return { kind: 'step', session, last: { input: Message ?? '', carried: ClientState ?? '' } }
}
