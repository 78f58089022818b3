import { startLoopbackServer, textOf } from '../../scripts/dev/loopback-server.ts'

/** What the provider answers to one message; `nothing` ends the connection. */
export type ProviderAnswer = { status: number; body: unknown } | 'nothing'

/** An answer about one recipient; 101 is that it was sent. */
export const recipientAnswer = (statusCode: number, to = '+254700000001'): ProviderAnswer => ({
  status: 201,
  body: {
    SMSMessageData: {
      Message: 'Sent to 1/1 Total Cost: KES 0.8000',
      Recipients: [
        { statusCode, number: to, status: 'Status', cost: 'KES 0.8000', messageId: 'ATXid_1' },
      ],
    },
  },
})

/** Starts a server on the loopback address that speaks Africa's Talking's messaging API. */
export async function startSmsServer() {
  const account = { username: 'lender', apiKey: 'the-key-of-the-sms-provider' }
  const asked: { to: string; text: string; from: string | null }[] = []
  let answerBy: (() => ProviderAnswer) | undefined
  const server = await startLoopbackServer(async (request, response) => {
    const form = new URLSearchParams(await textOf(request))
    const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded'
    const isRight = request.method === 'POST' && request.url === '/version1/messaging' && isForm
    const isKnown =
      request.headers.apikey === account.apiKey && form.get('username') === account.username
    const [to, text] = [form.get('to') ?? '', form.get('message') ?? '']
    if (isRight && isKnown) asked.push({ to, text, from: form.get('from') })
    const refusal = isRight
      ? { status: 401, body: 'The supplied authentication is invalid' }
      : badRequest
    const answer = isRight && isKnown ? (answerBy?.() ?? recipientAnswer(101, to)) : refusal
    if (answer === 'nothing') {
      response.destroy()
      return
    }
    const isText = typeof answer.body === 'string'
    response.writeHead(answer.status, {
      'content-type': isText ? 'text/plain' : 'application/json',
    })
    response.end(isText ? answer.body : JSON.stringify(answer.body))
  })
  const url = `${server.url}/version1/messaging`
  const { apiKey, username } = account
  return {
    /** Settings of a service that sends its messages here. */
    variables: { SMS_API_KEY: apiKey, SMS_USERNAME: username, SMS_URL: url },
    ...{ url, account, asked },
    /** Has it answer so from now on; undefined: it takes each message. */
    answer: (by: (() => ProviderAnswer) | undefined) => {
      answerBy = by
    },
    close: server.close,
  }
}

const badRequest: ProviderAnswer = { status: 400, body: 'Bad request' }
