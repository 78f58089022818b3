/** Sends text messages to phones. */
export type SmsProvider = {
  /** Asks once, and never throws. */
  send(message: SmsMessage): Promise<SmsAnswer>
}

/** `to` is in E.164 form with its plus. */
export type SmsMessage = { to: string; text: string }

/**
 * What a provider made of a message, with a reason that holds nothing of it. `later`: nothing was sent, and the
 * same may be asked again; `refused`: nothing was sent, and nothing ever will be; `unknown`: it may have been sent.
 */
export type SmsAnswer = { kind: 'sent' } | { kind: 'later' | 'refused' | 'unknown'; reason: string }
