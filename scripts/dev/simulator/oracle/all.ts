import type { History } from '../history.ts'
import { judgeBudget, judgeChain, judgeEnd } from './chain.ts'
import { judgeLender } from './lender.ts'
import { createFindings, type Verdict } from './rules.ts'
import { judgeSessions } from './sessions.ts'
import { judgeTimes } from './times.ts'

/** Reads what the replies and the chain say, and names each promise that they break. */
export function judge(history: History): Verdict {
  const { found, ...verdict } = createFindings()
  judgeSessions(history, found)
  judgeTimes(history, found)
  judgeChain(history, found)
  judgeBudget(history, found)
  judgeEnd(history, found)
  judgeLender(history, found)
  return verdict
}
