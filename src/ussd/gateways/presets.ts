import { createDeclaredGateway } from './declaration.ts'

/** Declares Africa's Talking, the gateway of the demonstration. */
export const africasTalking = createDeclaredGateway({
  name: 'africas-talking',
  posts: 'form',
  session: 'sessionId',
  phone: 'phoneNumber',
  hasPlus: true,
  // Missing on the first dial of some networks.
  text: 'text',
  summary: ['status', 'durationInMillis'],
  reply: { type: 'text/plain; charset=utf-8', ask: 'CON {screen}', end: 'END {screen}' },
})

const hubtelReply = (type: string, shown: string) =>
  `{"SessionId":"{session}","Type":"${type}","Message":"{screen}","Label":"USSD","ClientState":"{state}","DataType":"${shown}","FieldType":"text"}`

/** Declares Hubtel, which sends the last answer, and what was typed before in `ClientState`. */
export const hubtel = createDeclaredGateway({
  name: 'hubtel',
  posts: 'json',
  session: 'SessionId',
  phone: 'Mobile',
  hasPlus: false,
  text: 'Message',
  state: 'ClientState',
  // Documented in small letters, sent with a capital as well.
  kinds: {
    field: 'Type',
    first: ['initiation'],
    answer: ['response'],
    end: ['release', 'timeout'],
  },
  reply: {
    type: 'application/json; charset=utf-8',
    ask: hubtelReply('response', 'input'),
    end: hubtelReply('release', 'display'),
  },
})
