import * as z from 'zod/mini'

export type PhoneMessage = { to: string; text: string; at: number }

/** Parses a request to Africa's Talking to send a message. */
const postedForm = z.object({ to: z.string(), message: z.string() })

/** Limits the stored messages, which are lost when the process ends. */
const maxMessages = 20

/** Lists the variables that make a relay send its messages to its own phone page. */
export const listInboxVariables = (origin: string) => ({
  SMS_API_KEY: 'stays-on-this-machine',
  SMS_USERNAME: 'phone',
  SMS_URL: `${origin}/phone/sms`,
})

/** Creates a provider of messages that shows them on the page and sends none to a phone. */
export function createInbox() {
  let messages: readonly PhoneMessage[] = []
  return {
    /** Lists the messages, the newest first. */
    messages: () => messages,
    /** Stores a message and answers as the provider does; status 101 is a sent message. */
    receive(form: unknown, at: number) {
      const { to, message: text } = postedForm.parse(form)
      messages = [{ to, text, at }, ...messages].slice(0, maxMessages)
      const recipient = { statusCode: 101, number: to, status: 'Success', cost: 'KES 0' }
      return { SMSMessageData: { Message: 'Sent to 1/1', Recipients: [recipient] } }
    },
  }
}
