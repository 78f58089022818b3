import type { Claim, ScreenMessage } from './screen-reader.ts'

/** Holds a delivery and its reply; undefined: none came, or a screen of no message. */
export type Reply = { text: string; reply: string | undefined; said: ScreenMessage | undefined }

/** What became of a session's intent, as far as the chain shows. */
export type Fate = {
  isSent: boolean
  outcome: 'executed' | 'failed' | undefined
}

export type SessionRule =
  | 'known'
  | 'submitted'
  | 'nothing_sent'
  | 'told'
  | 'one_question'
  | 'identical'

/** Names a broken promise of a session; `earlier`: who was told what does not fit now. */
export type SessionFault<One> = { rule: SessionRule; words: string; one: One; earlier?: One }

/** What a delivery is told of its payment. Undefined: nothing. */
export const getClaim = ({ said }: Pick<Reply, 'said'>): Claim | undefined =>
  said?.claim === 'none' ? undefined : said?.claim

/** Compares what a session's deliveries were told, in order, with what became of it. */
export function* judgeSession<One extends Reply>(
  deliveries: readonly One[],
  { isSent, outcome }: Fate,
): Generator<SessionFault<One>> {
  const decided: One[] = []
  for (const one of deliveries) {
    const { reply, said, text } = one
    if (reply === undefined) continue
    if (said === undefined) {
      yield { rule: 'known', words: `is shown what no message says: ${reply}`, one }
      continue
    }
    switch (said.claim) {
      case 'submitted':
        if (outcome === undefined) {
          yield { rule: 'submitted', words: 'is told "submitted", and nothing came of it', one }
        }
        break
      case 'refused':
      case 'closed':
        if (isSent) {
          yield { rule: 'nothing_sent', words: 'is told that nothing was sent, which was', one }
        }
        break
      case 'failed':
        if (outcome === 'executed') {
          yield { rule: 'told', words: 'is told of a failure of what was executed', one }
        }
        break
      case 'ended':
      case 'uncertain':
      case 'unavailable':
      case 'none':
        break
    }
    if (said.claim !== 'submitted' && said.claim !== 'refused') continue
    const earlier = decided.findLast((other) => other.text === text)
    const other = decided.find((each) => each.text !== text)
    decided.push(one)
    if (other !== undefined) {
      const words = `is answered besides ${other.text}`
      yield { rule: 'one_question', words, one, earlier: other }
    }
    if (earlier !== undefined && earlier.reply !== reply) {
      yield { rule: 'identical', words: 'is told something else than before', one, earlier }
    }
  }
}
