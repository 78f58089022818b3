import * as z from 'zod/mini'
import { type Country, parseCaller } from '../../account/phone.ts'
import { inAlphabet } from '../screens/septets.ts'
import type { Gateway, Parsed, Posted } from './gateway.ts'

const name = 'africas-talking'

/** Reads Africa's Talking's form. Its screens are the demonstration's. */
export const africasTalking: Gateway = {
  name,
  parse,
  render: ({ kind, lines }) => `${kind === 'ask' ? 'CON' : 'END'} ${inAlphabet(lines.join('\n'))}`,
  contentType: 'text/plain; charset=utf-8',
}

const badSession = 'sessionId is missing or too long.'
const badPhone = 'phoneNumber is missing or not in international format.'

const fields = z.object({
  sessionId: z.string(badSession).check(z.minLength(1, badSession), z.maxLength(256, badSession)),
  phoneNumber: z.string(badPhone),
  // Missing on the first dial of some networks.
  text: z._default(z.string('text is not valid.'), ''),
})

function parse({ contentType, body }: Posted, country?: Country): Parsed {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase()
  if (mediaType !== 'application/x-www-form-urlencoded') {
    return { kind: 'bad', says: 'The request has to be application/x-www-form-urlencoded.' }
  }
  const form = Object.fromEntries(new URLSearchParams(body))
  if (isNotice(form)) return { kind: 'notice' }
  const parsed = fields.safeParse(form)
  if (!parsed.success) return { kind: 'bad', says: parsed.error.issues[0]?.message ?? '' }
  const { sessionId, phoneNumber, text } = parsed.data
  const phone = parseCaller(phoneNumber, country)
  if (phone === undefined) return { kind: 'bad', says: badPhone }
  return { kind: 'request', session: { gateway: name, sessionId, phone }, text }
}

/** Recognizes the summary that is posted at the end of a session. */
function isNotice(form: Readonly<Record<string, string>>): boolean {
  return form.text === undefined && form.status !== undefined && form.durationInMillis !== undefined
}
