import { createDeclaredGateway, type GatewayDeclaration } from './declaration.ts'

/** Declares Africa's Talking, the gateway of the demonstration. */
const africasTalkingDeclaration: GatewayDeclaration = {
  name: 'africas-talking',
  posts: 'form',
  session: 'sessionId',
  phone: 'phoneNumber',
  hasPlus: true,
  // Some networks leave the text out of the first dial.
  text: 'text',
  summary: ['status', 'durationInMillis'],
  reply: { type: 'text/plain; charset=utf-8', ask: 'CON {screen}', end: 'END {screen}' },
}

const writeHubtelTemplate = (type: string, dataType: string) =>
  `{"SessionId":"{session}","Type":"${type}","Message":"{screen}","Label":"USSD","ClientState":"{state}","DataType":"${dataType}","FieldType":"text"}`

/** Declares Hubtel, which sends only the last answer, with all earlier ones in `ClientState`. */
const hubtelDeclaration: GatewayDeclaration = {
  name: 'hubtel',
  posts: 'json',
  session: 'SessionId',
  phone: 'Mobile',
  hasPlus: false,
  text: 'Message',
  state: 'ClientState',
  // Hubtel documents these values in lower case, but also sends a capital first letter.
  kinds: {
    field: 'Type',
    first: ['initiation'],
    answer: ['response'],
    end: ['release', 'timeout'],
  },
  reply: {
    type: 'application/json; charset=utf-8',
    ask: writeHubtelTemplate('response', 'input'),
    end: writeHubtelTemplate('release', 'display'),
  },
}

/** Declares the gateways that every deployment serves. */
export const presets = { 'africas-talking': africasTalkingDeclaration, hubtel: hubtelDeclaration }

export const africasTalking = createDeclaredGateway(africasTalkingDeclaration)
export const hubtel = createDeclaredGateway(hubtelDeclaration)
