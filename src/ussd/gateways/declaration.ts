import * as z from 'zod/mini'
import { type Country, parseCaller } from '../../account/phone.ts'
import { isObject, parseJson } from '../../runtime/json.ts'
import { toGsmAlphabet } from '../screens/septets.ts'
import type { Gateway, ParsedRequest, PostedRequest } from './gateway.ts'

const field = z.string().check(z.regex(/^[A-Za-z_][\w.-]{0,63}$/, 'has to name fields'))
const values = z.array(z.string().check(z.toLowerCase())).check(z.minLength(1))
const template = z.string().check(z.includes('{screen}', { error: 'has to have {screen}' }))

/** Describes how a gateway posts deliveries, and which replies it takes. */
export const gatewayDeclaration = z
  .strictObject({
    /** Names the gateway; part of a payment's key and of the URL, so it must never change. */
    name: z.string().check(z.regex(/^[a-z][a-z0-9-]{1,31}$/, 'has to name a gateway')),
    posts: z.enum(['form', 'json', 'xml']),
    session: field,
    phone: field,
    hasPlus: z._default(z.boolean(), true),
    /**
     * Holds all that was typed, joined by `*`; with `state` or `sequence` the last answer alone.
     */
    text: field,
    /** Names the field that comes back with the next answer unchanged. */
    state: z.optional(field),
    /** Names the field that numbers deliveries; a redelivery has the same number. */
    sequence: z.optional(field),
    /** Tells a first dial, an answer and an end apart by a field's value, ignoring case. */
    kinds: z.optional(z.strictObject({ field, first: values, answer: values, end: values })),
    /** Lists the fields that mark an end notice, which has no text. */
    summary: z.optional(z.array(field).check(z.minLength(1))),
    reply: z.strictObject({ type: z.string(), ask: template, end: template }),
  })
  .check(
    z.refine(({ state, kinds, reply }) => {
      return state === undefined || (kinds !== undefined && reply.ask.includes('{state}'))
    }, 'with a state has to tell first dials apart, and to carry {state} in its reply'),
    z.refine(({ state, sequence, kinds }) => {
      return sequence === undefined || (kinds !== undefined && state === undefined)
    }, 'with a sequence has to tell first dials apart, and to have no state'),
  )

export type GatewayDeclaration = z.output<typeof gatewayDeclaration>

/** Tells whether a gateway sends the last answer alone. */
export const sendsLastAnswerOnly = ({ state, sequence }: GatewayDeclaration): boolean =>
  state !== undefined || sequence !== undefined

/** Creates a gateway from its declaration. */
export const createDeclaredGateway = (declared: GatewayDeclaration): Gateway => ({
  name: declared.name,
  parse: (posted, country) => parse(declared, posted, country),
  render({ kind, lines }, { sessionId: session = '', carried: state = '' } = {}) {
    const { type, [kind]: written } = declared.reply
    const values = { screen: toGsmAlphabet(lines.join('\n')), session, state }
    return written.replaceAll(/\{(screen|session|state)\}/g, (_, name: keyof typeof values) =>
      escapeValue(values[name], type),
    )
  },
  contentType: declared.reply.type,
})

function escapeValue(value: string, type: string): string {
  if (/\bjson\b/.test(type)) return JSON.stringify(value).slice(1, -1)
  return /\bxml\b/.test(type)
    ? value.replaceAll(/[<>&]/g, (each) => entities.get(each) ?? '')
    : value
}

type Fields = Readonly<Record<string, unknown>>

function parse(
  declared: GatewayDeclaration,
  posted: PostedRequest,
  country?: Country,
): ParsedRequest {
  const { name, session, phone, hasPlus, text, state, sequence, kinds, summary } = declared
  const fields = readers[declared.posts](posted)
  if (fields === undefined) return bad(forms[declared.posts])
  if (fields[text] === undefined && summary?.every((each) => fields[each] !== undefined)) {
    return { kind: 'notice' }
  }
  const sessionId = readName(fields[session])
  if (sessionId === undefined || sessionId === '' || sessionId.length > 256) {
    return bad(`${session} is missing or too long.`)
  }
  const number = readName(fields[phone]) ?? ''
  const caller = parseCaller(!hasPlus && /^[1-9]/.test(number) ? `+${number}` : number, country)
  if (caller === undefined) return bad(`${phone} is missing or not in international format.`)
  const kind = kinds && findKind(fields[kinds.field], kinds)
  if (kinds && kind === undefined) {
    const known = [kinds.first, kinds.answer, kinds.end].flat().join(', ')
    return bad(`${kinds.field} is not one of ${known}.`)
  }
  if (kind === 'end') return { kind: 'notice' }
  const [typed, carried] = [fields[text] ?? '', state === undefined ? '' : (fields[state] ?? '')]
  if (typeof typed !== 'string') return bad(`${text} is not valid.`)
  if (typeof carried !== 'string') return bad(`${state} is not valid.`)
  const of = { gateway: name, sessionId, phone: caller }
  // The first text is the service's own code.
  if (state !== undefined && kind === 'first') return { kind: 'step', session: of, last: undefined }
  if (state !== undefined) return { kind: 'step', session: of, last: { input: typed, carried } }
  const isFirst = kind === 'first'
  const request = { kind: 'request', session: of, text: isFirst ? '' : typed } as const
  if (sequence === undefined) return request
  const step = readNumber(fields[sequence])
  return step === undefined
    ? bad(`${sequence} is missing or no number.`)
    : { ...request, step: { number: step, isFirst } }
}

const bad = (says: string): ParsedRequest => ({ kind: 'bad', says })

const forms = {
  form: 'The request has to be application/x-www-form-urlencoded.',
  json: 'The request has to be a JSON object.',
  xml: 'The request has to be an XML element that holds one element a field.',
} as const

const readers: Record<keyof typeof forms, (posted: PostedRequest) => Fields | undefined> = {
  form({ contentType, body }) {
    const mediaType = contentType?.split(';')[0]?.trim().toLowerCase()
    if (mediaType !== 'application/x-www-form-urlencoded') return undefined
    return Object.fromEntries(new URLSearchParams(body))
  },
  json({ body }) {
    const value = parseJson(body)
    return isObject(value) ? value : undefined
  },
  xml: ({ body }) => fieldsInXml(body),
}

function readNumber(value: unknown): number | undefined {
  const digits = readName(value) ?? ''
  return /^[0-9]{1,6}$/.test(digits) ? Number(digits) : undefined
}

/** Reads the name of a session or a phone; JSON sometimes has it as a number. */
function readName(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return Number.isSafeInteger(value) ? `${value}` : undefined
}

function findKind(value: unknown, kinds: NonNullable<GatewayDeclaration['kinds']>) {
  const said = typeof value === 'string' ? value.toLowerCase() : `${value}`
  return (['first', 'answer', 'end'] as const).find((kind) => kinds[kind].includes(said))
}

const entities = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
])
const characters = new Map([
  ...[...entities].map(([character, entity]) => [entity, character] as const),
  ...([
    ['&quot;', '"'],
    ['&apos;', "'"],
  ] as const),
])

/** Reads the fields of one XML element whose children hold only text. */
function fieldsInXml(body: string): Fields | undefined {
  const whole = /^\s*(?:<\?xml[^<>]*\?>\s*)?<([\w.-]+)(?:\s[^<>]*)?>([\s\S]*)<\/\1>\s*$/.exec(body)
  if (whole === null) return undefined
  const fields: Record<string, string> = {}
  const child = /\s*<([\w.-]+)(?:\s[^<>]*)?(?:\/>|>([^<]*)<\/\1>)\s*/y
  const inside = whole[2] ?? ''
  while (child.lastIndex < inside.length) {
    const found = child.exec(inside)
    const name = found?.[1]
    if (name === undefined || name in fields) return undefined
    fields[name] = (found?.[2] ?? '').replaceAll(/&#?\w+;/g, (each) => decodeCharacter(each))
  }
  return fields
}

function decodeCharacter(entity: string): string {
  const [, hex, decimal] = /^&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));$/i.exec(entity) ?? []
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  const known = characters.get(entity)
  if (known !== undefined) return known
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity
}
