import * as z from 'zod/mini'

export type PhoneMessage = { to: string; text: string; at: number }

/** Reads what is posted to Africa's Talking to have a message sent. */
const posted = z.object({ to: z.string(), message: z.string() })

/** Counts the messages that are remembered, as long as the process lives. */
const kept = 20

/** Gives the variables by which a relay at this address sends its messages to its phone page. */
export const inboxVariables = (origin: string) => ({
  SMS_API_KEY: 'stays-on-this-machine',
  SMS_USERNAME: 'phone',
  SMS_URL: `${origin}/phone/sms`,
})

/** Takes messages in the place of a provider: here they reach no phone. */
export function createInbox() {
  let messages: readonly PhoneMessage[] = []
  return {
    /** Lists the newest first. */
    messages: () => messages,
    /** Answers as the provider does; 101 is that the message was sent. */
    take(form: unknown, at: number) {
      const { to, message: text } = posted.parse(form)
      messages = [{ to, text, at }, ...messages].slice(0, kept)
      const recipient = { statusCode: 101, number: to, status: 'Success', cost: 'KES 0' }
      return { SMSMessageData: { Message: 'Sent to 1/1', Recipients: [recipient] } }
    },
  }
}
