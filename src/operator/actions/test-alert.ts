import type { Relayer } from '../../relay/relayer.ts'
import { describeFault } from '../../runtime/log.ts'
import type { AlertNotice } from '../kept/alerts.ts'
import type { WholeLedger } from '../kept/steps.ts'
import type { ActionAnswer } from '../schemas/actions.ts'
import { type RefusedRequest, refuseRequest } from './caller.ts'

export type TestAlertOptions = {
  relayer: Pick<Relayer<WholeLedger>, 'ledger' | 'clock' | 'log'>
  /** Posts a notice to the webhook; undefined if none is set. */
  postNotice: ((notice: AlertNotice) => Promise<void>) | undefined
  newId: () => string
}

const says = 'This is a test by an operator: nothing is the matter.'

/** Posts a test alert once, after the audit has recorded it. */
export async function postTestAlert({
  relayer: { ledger, clock, log },
  postNotice,
  newId,
}: TestAlertOptions): Promise<ActionAnswer<'test-alert'> | RefusedRequest> {
  if (postNotice === undefined) return refuseRequest(409, 'no ALERT_WEBHOOK_URL is set')
  await ledger.recordAction({ id: newId(), action: 'test-alert', detail: {} })
  const at = clock.now()
  const id = `test:${at}:raised`
  try {
    await postNotice({ id, name: 'test', kind: 'raised', says, raisedAt: at, at })
    return { id, says }
  } catch (error) {
    const message = describeFault(error)
    log({ level: 'warn', event: 'alert.untold', message, alert: 'test' })
    return refuseRequest(409, `the webhook did not take it: ${message}`)
  }
}
