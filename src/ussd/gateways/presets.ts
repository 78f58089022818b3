import { createDeclaredGateway } from './declaration.ts'

/** Africa's Talking, the gateway of the demonstration. */
export const africasTalking = createDeclaredGateway({
  name: 'africas-talking',
  posts: 'form',
  session: 'sessionId',
  phone: 'phoneNumber',
  hasPlus: true,
  // Some networks leave the text out of the first dial.
  text: 'text',
  summary: ['status', 'durationInMillis'],
  reply: { type: 'text/plain; charset=utf-8', ask: 'CON {screen}', end: 'END {screen}' },
})

const writeHubtelTemplate = (type: string, dataType: string) =>
  `{"SessionId":"{session}","Type":"${type}","Message":"{screen}","Label":"USSD","ClientState":"{state}","DataType":"${dataType}","FieldType":"text"}`

/** Hubtel, which sends only the last answer, with all earlier answers in `ClientState`. */
export const hubtel = createDeclaredGateway({
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
})
