import * as z from 'zod/mini'
import { type Country, parseCaller } from '../../account/phone.ts'
import type { BadRequest, ParsedRequest } from '../request.ts'

const fields = z.object({
  sessionId: z.string().check(z.minLength(1), z.maxLength(256)),
  phoneNumber: z.string(),
  // Missing on the first dial of some networks.
  text: z._default(z.string(), ''),
})

const faults = {
  sessionId: 'sessionId is missing or too long.',
  phoneNumber: 'phoneNumber is missing or not in international format.',
  text: 'text is not valid.',
} as const

/**
 * Reads the form that Africa's Talking posts: `sessionId`, `phoneNumber`, `text`; other fields are passed
 * over. The country is that of the gateway's network, where its operator named one.
 */
export function parseAfricasTalking(
  contentType: string | undefined,
  body: string,
  country?: Country,
): ParsedRequest {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase()
  if (mediaType !== 'application/x-www-form-urlencoded') {
    return bad(415, 'The request has to be application/x-www-form-urlencoded.')
  }
  const parsed = fields.safeParse(Object.fromEntries(new URLSearchParams(body)))
  if (!parsed.success) {
    const [field] = parsed.error.issues[0]?.path ?? []
    return bad(400, faults[field as keyof typeof faults])
  }
  const { sessionId, phoneNumber, text } = parsed.data
  const phone = parseCaller(phoneNumber, country)
  if (phone === undefined) return bad(400, faults.phoneNumber)
  return { kind: 'request', request: { gateway: 'africas-talking', sessionId, phone, text } }
}

const bad = (status: BadRequest['status'], says: string): BadRequest => ({
  kind: 'bad',
  status,
  says,
})
