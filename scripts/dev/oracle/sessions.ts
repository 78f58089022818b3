import type { Claim, ScreenMessage } from './screen-reader.ts'

/** Holds a delivery and its reply; `said` is undefined if no message matches. */
export type Reply = { text: string; reply: string | undefined; said: ScreenMessage | undefined }

/** The outcome of a session's intent on the chain. */
export type Fate = { isSent: boolean; outcome: 'executed' | 'failed' | undefined }

type SessionRule = 'known' | 'submitted' | 'nothing_sent' | 'told' | 'one_question' | 'identical'

/** Names a session's broken rule; `earlier` is the delivery that contradicts it. */
type SessionFault<One> = { rule: SessionRule; words: string; one: One; earlier?: One }

/** Returns a delivery's claim about its payment, if it makes one. */
export const getClaim = ({ said }: Pick<Reply, 'said'>): Claim | undefined =>
  said?.claim === 'none' ? undefined : said?.claim

/** Compares the replies of a session, in order, with its outcome. */
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
      case 'paid':
        if (outcome === undefined) {
          yield { rule: 'submitted', words: `is told "${said.claim}", and nothing came of it`, one }
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
