import type { GatewayDeclaration } from '../../ussd/gateways/declaration.ts'

/** Describes a dialled session; `text` has the answers so far, joined by `*`. */
export type DialledText = { phone: string; session: string; text: string; code?: string }

export type GatewayReply = {
  /** The screen, with CON or END before it. */
  screen: string
  /** The gateway's state, which returns with the next answer. */
  gatewayState: string
}

/** Writes requests and reads replies as a gateway does. */
export type GatewayForm = {
  path: string
  contentType: string
  /** Tells that the first request has no answers, so that the answers in a code are dropped. */
  startsEmpty: boolean
  /** Is the declared code that stands before the answers; undefined if none does. */
  dialled?: string | undefined
  write: (dialled: DialledText, gatewayState: string) => string
  /** @throws {Error} the body is no reply to this session */
  parseReply: (body: string, session: string) => GatewayReply
}

export const serviceCode = '*384#'

type Fields = Readonly<Record<string, string>>

const encodings = {
  form: {
    contentType: 'application/x-www-form-urlencoded',
    write: (fields: Fields) => `${new URLSearchParams(fields)}`,
  },
  json: { contentType: 'application/json', write: (fields: Fields) => JSON.stringify(fields) },
  xml: { contentType: 'text/xml', write: writeXml },
}

/** Creates the form of a gateway from its declaration. The first gateway is served at `/ussd`. */
export function createGatewayForm(
  declaration: GatewayDeclaration,
  path = `/ussd/${declaration.name}`,
): GatewayForm {
  const { session, phone, hasPlus, text, dialled, state, sequence, kinds, reply } = declaration
  const { contentType, write } = encodings[declaration.posts]
  return {
    path,
    contentType,
    startsEmpty: kinds !== undefined,
    dialled,
    write({ code = serviceCode, ...typed }, gatewayState) {
      const isFirst = typed.text === ''
      const answers = isFirst ? [] : typed.text.split('*')
      const isLastAlone = (state ?? sequence) !== undefined
      const sent = isLastAlone ? (answers.at(-1) ?? '') : addDialled(typed.text, dialled)
      return write({
        [session]: typed.session,
        [phone]: hasPlus ? typed.phone : typed.phone.slice(1),
        [text]: kinds && isFirst ? code : sent,
        ...(kinds && { [kinds.field]: `${(isFirst ? kinds.first : kinds.answer)[0]}` }),
        ...(state !== undefined && { [state]: gatewayState }),
        ...(sequence !== undefined && { [sequence]: `${answers.length + 1}` }),
      })
    },
    parseReply(body, id) {
      const askFields = parseByTemplate(reply.ask, reply.type, body)
      const replyFields = askFields ?? parseByTemplate(reply.end, reply.type, body)
      if (replyFields === undefined) throw new Error('the body is no reply of this gateway')
      if ((replyFields.session ?? id) !== id) throw new Error('the reply names another session')
      return {
        screen: `${askFields ? 'CON' : 'END'} ${replyFields.screen}`,
        gatewayState: replyFields.state ?? '',
      }
    },
  }
}

/** Writes the dialled code before the answers, where a gateway does. */
function addDialled(answers: string, code: string | undefined): string {
  if (code === undefined) return answers
  return `${[code, ...(answers === '' ? [] : [answers])].join('*')}#`
}

function writeXml(fields: Fields): string {
  const elements = Object.entries(fields).map(([name, value]) => {
    const text = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    return `<${name}>${text}</${name}>`
  })
  return `<ussd>${elements.join('')}</ussd>`
}

/** Reads the values in a reply; returns undefined if the template did not write the reply. */
function parseByTemplate(template: string, type: string, body: string): Fields | undefined {
  const parts = template.split(/\{(screen|session|state)\}/)
  const isName = (_: string, index: number) => index % 2 === 1
  const pattern = parts.map((part, index) =>
    isName(part, index) ? '([\\s\\S]*?)' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  )
  const [, ...values] = new RegExp(`^${pattern.join('')}$`).exec(body) ?? []
  if (values.length === 0) return undefined
  const names = parts.filter(isName)
  return Object.fromEntries(
    names.map((name, index) => [name, decodeValue(values[index] ?? '', type)]),
  )
}

function decodeValue(value: string, type: string): string {
  if (/\bjson\b/.test(type)) return `${JSON.parse(`"${value}"`)}`
  if (!/\bxml\b/.test(type)) return value
  return value.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
