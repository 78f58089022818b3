import { z } from 'zod'
import { parseCaller } from '../../account/phone.ts'
import type { BadRequest, ParsedRequest } from '../request.ts'

const fields = z.object({
  sessionId: z.string().min(1).max(256),
  phoneNumber: z.string().transform((raw, context) => {
    const phone = parseCaller(raw)
    if (phone !== undefined) return phone
    context.addIssue({ code: 'custom', message: 'not E.164' })
    return z.NEVER
  }),
  // Missing on the first dial of some networks.
  text: z.string().default(''),
})

const faults: Readonly<Record<string, string>> = {
  sessionId: 'sessionId is missing or too long.',
  phoneNumber: 'phoneNumber is missing or not in international format.',
  text: 'text is not valid.',
}

/** Reads the form that Africa's Talking posts: `sessionId`, `phoneNumber`, `text`; other fields are passed over. */
export function parseAfricasTalking(contentType: string | undefined, body: string): ParsedRequest {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase()
  if (mediaType !== 'application/x-www-form-urlencoded') {
    return bad(415, 'The request has to be application/x-www-form-urlencoded.')
  }
  const parsed = fields.safeParse(Object.fromEntries(new URLSearchParams(body)))
  if (!parsed.success) {
    return bad(400, faults[String(parsed.error.issues[0]?.path[0])] ?? 'The request is not valid.')
  }
  const { sessionId, phoneNumber, text } = parsed.data
  return {
    kind: 'request',
    request: { gateway: 'africas-talking', sessionId, phone: phoneNumber, text },
  }
}

const bad = (status: BadRequest['status'], says: string): BadRequest => ({
  kind: 'bad',
  status,
  says,
})
