import type { Ledger, PaymentOffer, Question, Verdict } from '../../../../src/relay/ledger/port.ts'
import type { World } from '../world.ts'

/** Answers a call of the ledger, and judges that no payment begins on a view that its account has outgrown. */
export function watchOffers(
  { object, records }: World,
  method: keyof Ledger,
  [asked]: unknown[],
  call: () => unknown,
): unknown {
  const answer = call()
  if (!object.isWhole) return answer
  const { views } = object
  const { kind, verdicts } = (answer ?? {}) as { kind?: string; verdicts: Verdict[] }
  if (method === 'lookup' && kind === 'undecided') noteLooked(views, asked as Question)
  if (method === 'adopt') noteBegun(views, asked as Question)
  if (method !== 'record' || kind !== 'recorded') return answer
  for (const [index, offer] of (asked as PaymentOffer[]).entries()) {
    if (verdicts[index]?.kind !== 'accepted') continue
    const begun = views.begun.get(offer.account) ?? 0
    if (offer.seen !== undefined && !views.looked.get(offer.session)?.has(begun)) {
      const words = `${offer.session} is accepted on an older view of its account`
      records.noticed.push(['accepted', words])
    }
    noteBegun(views, offer)
  }
  return answer
}

type Views = World['object']['views']

function noteLooked({ looked, begun }: Views, { session, account }: Question): void {
  const own = looked.get(session) ?? new Set()
  looked.set(session, own.add(begun.get(account) ?? 0))
}

function noteBegun({ begun }: Views, { account }: Question): void {
  begun.set(account, (begun.get(account) ?? 0) + 1)
}
