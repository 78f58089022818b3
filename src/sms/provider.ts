export type SmsProvider = {
  /** Asks once, and never throws. */
  send(message: SmsMessage): Promise<SmsAnswer>
}

export type SmsMessage = { to: string; text: string }

/** Tells what came of a message: `later` may be asked again, `unknown` may have been sent. */
export type SmsAnswer = { kind: 'sent' } | { kind: 'later' | 'refused' | 'unknown'; reason: string }
