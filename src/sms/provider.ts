export type SmsProvider = {
  /** Tries once to send a message. Never throws. */
  send(message: SmsMessage): Promise<SmsAnswer>
}

export type SmsMessage = { to: string; text: string }

/** Tells what became of a message: `later` may be tried again, `unknown` may have been sent. */
export type SmsAnswer = { kind: 'sent' } | { kind: 'later' | 'refused' | 'unknown'; reason: string }
