import * as z from 'zod/mini'
import { type Country, parseCaller } from '../../account/phone.ts'
import { isObject, parseUniqueJson } from '../../runtime/json.ts'
import { toGsmAlphabet } from '../screens/septets.ts'
import type { Gateway, ParsedRequest, PostedRequest, UssdSession } from './gateway.ts'

const field = z.string().check(z.regex(/^[A-Za-z_][\w.-]{0,63}$/, 'has to name fields'))
const dialledCode = /^\*?[0-9]{1,10}(?:\*[0-9]{1,10})*$/
const values = z.array(z.string().check(z.toLowerCase())).check(z.minLength(1))
const template = z.string().check(z.includes('{screen}', { error: 'has to have {screen}' }))

/** Describes how a gateway posts deliveries, and how it wants the replies. */
export const gatewayDeclaration = z
  .strictObject({
    /** Names the gateway in its URL and in each payment's key, so the name must never change. */
    name: z.string().check(z.regex(/^[a-z][a-z0-9-]{1,31}$/, 'has to name a gateway')),
    posts: z.enum(['form', 'json', 'xml']),
    session: field,
    phone: field,
    hasPlus: z._default(z.boolean(), true),
    /** Names the field of all answers, joined by `*`; with `state` or `sequence` of the last. */
    text: field,
    /** Is what the text begins with before the answers: the dialled code, or its extension. */
    dialled: z.optional(z.string().check(z.regex(dialledCode, 'has to be a code without #'))),
    /** Names the field that the gateway returns unchanged with the next answer. */
    state: z.optional(field),
    /** Names the field that numbers deliveries; a redelivery has the same number. */
    sequence: z.optional(field),
    /** Lists the values of a field that mark a first dial, an answer and an end; ignores case. */
    kinds: z.optional(z.strictObject({ field, first: values, answer: values, end: values })),
    /** Lists the fields of a notice that the session has ended; such a notice has no text. */
    summary: z.optional(z.array(field).check(z.minLength(1))),
    reply: z.strictObject({ type: z.string(), ask: template, end: template }),
  })
  .check(
    z.refine(({ state, kinds, reply }) => {
      return state === undefined || (kinds !== undefined && reply.ask.includes('{state}'))
    }, 'with a state has to tell first dials apart, and to have {state} in its reply'),
    z.refine(({ state, sequence, kinds }) => {
      return sequence === undefined || (kinds !== undefined && state === undefined)
    }, 'with a sequence has to tell first dials apart, and to have no state'),
    z.refine(({ state, sequence, dialled }) => {
      return dialled === undefined || (state ?? sequence) === undefined
    }, 'with a dialled code has to post all answers, so it has no state and no sequence'),
  )

export type GatewayDeclaration = z.output<typeof gatewayDeclaration>

export const sendsLastAnswerOnly = ({ state, sequence }: GatewayDeclaration): boolean =>
  state !== undefined || sequence !== undefined

type DeclaredGateway = Gateway & { declaration: GatewayDeclaration }

/** Creates a gateway from its declaration. */
export const createDeclaredGateway = (declaration: GatewayDeclaration): DeclaredGateway => ({
  declaration,
  name: declaration.name,
  parse: (request, country) => parseRequest(declaration, request, country),
  render({ kind, lines }, { sessionId: session = '', carried: state = '' } = {}) {
    const { type, [kind]: replyTemplate } = declaration.reply
    const texts = { screen: toGsmAlphabet(lines.join('\n')), session, state }
    return replyTemplate.replaceAll(/\{(screen|session|state)\}/g, (_, name: keyof typeof texts) =>
      escapeValue(texts[name], type),
    )
  },
  contentType: declaration.reply.type,
})

function escapeValue(value: string, type: string): string {
  if (/\bjson\b/.test(type)) return JSON.stringify(value).slice(1, -1)
  if (!/\bxml\b/.test(type)) return value
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

type Fields = Readonly<Record<string, unknown>>

function parseRequest(
  declaration: GatewayDeclaration,
  request: PostedRequest,
  country?: Country,
): ParsedRequest {
  const { name, session, phone, hasPlus, text, kinds, summary } = declaration
  const entries = bodyParsers[declaration.posts](request)
  const formError = formErrors[declaration.posts]
  if (entries === undefined) return rejectRequest(formError)
  // Nobody knows which of two values the gateway means, and one may be another caller's number.
  const names = new Set(entries.map(([each]) => each.toLowerCase()))
  if (names.size < entries.length) return rejectRequest(`A field is named twice. ${formError}`)
  const fields: Fields = Object.fromEntries(entries)
  if (fields[text] === undefined && summary?.every((each) => fields[each] !== undefined)) {
    return { kind: 'notice' }
  }
  const sessionId = readText(fields[session])
  if (sessionId === undefined || sessionId === '' || sessionId.length > 256) {
    return rejectRequest(`${session} is missing or too long.`)
  }
  const number = readText(fields[phone]) ?? ''
  const caller = parseCaller(!hasPlus && /^[1-9]/.test(number) ? `+${number}` : number, country)
  if (caller === undefined) {
    return rejectRequest(`${phone} is missing or not in international format.`)
  }
  const kind = kinds && findKind(fields[kinds.field], kinds)
  if (kinds && kind === undefined) {
    const knownValues = [kinds.first, kinds.answer, kinds.end].flat().join(', ')
    return rejectRequest(`${kinds.field} is not one of ${knownValues}.`)
  }
  if (kind === 'end') return { kind: 'notice' }
  const ussdSession = { gateway: name, sessionId, phone: caller }
  return parseText(declaration, fields, ussdSession, kind === 'first')
}

function parseText(
  { text, state, sequence, dialled }: GatewayDeclaration,
  fields: Fields,
  session: UssdSession,
  isFirst: boolean,
): ParsedRequest {
  const typed = fields[text] ?? ''
  const carried = state === undefined ? '' : (fields[state] ?? '')
  if (typeof typed !== 'string') return rejectRequest(`${text} is not valid.`)
  if (typeof carried !== 'string') return rejectRequest(`${state} is not valid.`)
  // The text of a first dial is the code that the caller dialled.
  if (state !== undefined) {
    return { kind: 'step', session, last: isFirst ? undefined : { input: typed, carried } }
  }
  const request = { kind: 'request', session, text: isFirst ? '' : typed } as const
  if (sequence === undefined) {
    const answers = dialled === undefined ? request.text : cutDialled(request.text, dialled)
    if (answers === undefined || isDialString(answers)) {
      return rejectRequest('The text is a dialled code. The gateway has to declare it.')
    }
    return { ...request, text: answers }
  }
  const digits = readText(fields[sequence]) ?? ''
  return /^[0-9]{1,6}$/.test(digits)
    ? { ...request, step: { number: Number(digits), isFirst } }
    : rejectRequest(`${sequence} is missing or no number.`)
}

/** Returns the answers after the dialled code, without a last `#`; undefined after another code. */
function cutDialled(text: string, dialled: string): string | undefined {
  if (text === '') return ''
  if (!text.startsWith(dialled)) return undefined
  const rest = text.slice(dialled.length).replace(/^#|#$/, '')
  if (rest === '') return ''
  return rest.startsWith('*') ? rest.slice(1) : undefined
}

/** Tells whether a text is what a phone dials, such as `*415*3#`, whose digits are no answers. */
const isDialString = (text: string): boolean =>
  text.startsWith('*') || /#\*|^[0-9]{2,}(?:\*.*)?#$/s.test(text)

const rejectRequest = (message: string): ParsedRequest => ({ kind: 'invalid', message })

const formErrors = {
  form: 'The request has to be application/x-www-form-urlencoded.',
  json: 'The request has to be a JSON object that names each member once.',
  xml: 'The request has to be an XML element that holds one element a field.',
} as const

type FieldEntries = readonly (readonly [name: string, value: unknown])[]
type ParseBody = (request: PostedRequest) => FieldEntries | undefined

const bodyParsers: Record<keyof typeof formErrors, ParseBody> = {
  form({ contentType, body }) {
    const mediaType = contentType?.split(';')[0]?.trim().toLowerCase()
    if (mediaType !== 'application/x-www-form-urlencoded') return undefined
    return [...new URLSearchParams(body)]
  },
  json({ body }) {
    const value = parseUniqueJson(body)
    return isObject(value) ? Object.entries(value) : undefined
  },
  xml: ({ body }) => parseXmlFields(body),
}

/** Reads a session id or a phone number, which JSON may write as a number. */
function readText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return Number.isSafeInteger(value) ? `${value}` : undefined
}

function findKind(value: unknown, kinds: NonNullable<GatewayDeclaration['kinds']>) {
  const name = typeof value === 'string' ? value.toLowerCase() : `${value}`
  return (['first', 'answer', 'end'] as const).find((kind) => kinds[kind].includes(name))
}

const xmlEntities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
}

/** Parses one XML element whose children hold only text; returns undefined for other documents. */
function parseXmlFields(body: string): FieldEntries | undefined {
  const element = /^\s*(?:<\?xml[^<>]*\?>\s*)?<([\w.-]+)(?:\s[^<>]*)?>([\s\S]*)<\/\1>\s*$/.exec(
    body,
  )
  if (element === null) return undefined
  const entries: [string, string][] = []
  const child = /\s*<([\w.-]+)(?:\s[^<>]*)?(?:\/>|>([^<]*)<\/\1>)\s*/y
  const content = element[2] ?? ''
  while (child.lastIndex < content.length) {
    const childMatch = child.exec(content)
    const name = childMatch?.[1]
    if (name === undefined) return undefined
    const text = (childMatch?.[2] ?? '').replaceAll(/&#?\w+;/g, (each) => decodeEntity(each))
    entries.push([name, text])
  }
  return entries
}

function decodeEntity(entity: string): string {
  const [, hex, decimal] = /^&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));$/i.exec(entity) ?? []
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code)
  return xmlEntities[entity] ?? entity
}
