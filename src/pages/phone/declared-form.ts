import { type GatewayDeclaration, sendsLastAnswerOnly } from '../../ussd/gateways/declaration.ts'
import { type GatewayForm, serviceCode } from './gateway-forms.ts'

type Fields = Readonly<Record<string, string>>

const encodings = {
  form: {
    contentType: 'application/x-www-form-urlencoded',
    write: (fields: Fields) => `${new URLSearchParams(fields)}`,
  },
  json: { contentType: 'application/json', write: (fields: Fields) => JSON.stringify(fields) },
  xml: { contentType: 'text/xml', write: writeXml },
}

/** Writes the dialled code before the answers, where a gateway does. */
function addDialled(answers: string, code: string | undefined): string {
  if (code === undefined) return answers
  return `${[code, ...(answers === '' ? [] : [answers])].join('*')}#`
}

/** Creates the form of a gateway from its declaration. */
export function createDeclaredForm(declaration: GatewayDeclaration): GatewayForm {
  const {
    name,
    session,
    phone,
    hasPlus,
    text,
    dialled: declaredCode,
    state,
    sequence,
    kinds,
    reply,
  } = declaration
  const { contentType, write } = encodings[declaration.posts]
  return {
    path: `/ussd/${name}`,
    contentType,
    startsEmpty: kinds !== undefined,
    dialled: declaredCode,
    write({ code = serviceCode, ...dialled }, gatewayState) {
      const isFirst = dialled.text === ''
      const answers = isFirst ? [] : dialled.text.split('*')
      const typed = sendsLastAnswerOnly(declaration) ? answers.at(-1) : dialled.text
      return write({
        [session]: dialled.session,
        [phone]: hasPlus ? dialled.phone : dialled.phone.slice(1),
        [text]: kinds && isFirst ? code : addDialled(typed ?? '', declaredCode),
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
