import { runInDurableObject } from 'cloudflare:test'
import { until } from '../../../scripts/dev/wait.ts'
import { ledgerStub } from './killable-worker.ts'

/** Waits until nothing is open and every nonce up to the last is used. */
export async function untilSettled(): Promise<void> {
  await until(async () => {
    await ledgerStub().wake()
    const open = await runInDurableObject(ledgerStub(), (_, { storage }) =>
      storage.sql
        .exec(
          `SELECT 1 FROM relayers, json_each(row, '$.open')
           UNION ALL SELECT 1 FROM payments WHERE phase <> 'settled'`,
        )
        .toArray(),
    ).catch(() => [undefined])
    return open.length === 0
  })
}
