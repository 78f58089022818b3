import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { openSqlite } from '../../../scripts/dev/sqlite.ts'
import type { Ledger } from '../../../src/relay/ledger/port.ts'
import { ledgerThrough } from '../../../src/relay/ledger/steps.ts'
import { createSqlLedger } from '../../../src/relay/ledger/stores/sqlite.ts'
import { type Deployment, openDeployment, serveApp } from '../../support/deployment.ts'
import { type IncidentWorld, incidents, playIncidents, type Surroundings } from './incidents.ts'

const minuteMs = 60_000

/** In this process, where a minute is a call: what is told within two of them is told within those. */
async function openHere({ chain, variables }: Surroundings): Promise<IncidentWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'incidents-'))
  const database = join(folder, 'ledger.sqlite')
  let passedMs = 0
  let begin = () => {}
  let deployment = open()
  const served = await serveApp({ ask: (path, init) => deployment.ask(path, init) })

  function open(changes: Record<string, string> = {}): Deployment {
    const opened = openDeployment({
      variables: { ...variables, ...changes },
      ledger(options) {
        // As a Durable Object does: it may begin again while the Worker before it goes on.
        let rows = createSqlLedger(openSqlite(database), options)
        begin = () => {
          rows = createSqlLedger(openSqlite(database), options)
        }
        return ledgerThrough<Ledger>(async (method, args) =>
          (rows[method] as (...args: unknown[]) => unknown)(...args),
        )
      },
    })
    opened.pass(passedMs)
    return opened
  }

  function pass(ms: number): void {
    passedMs += ms
    deployment.pass(ms)
  }

  async function restart(changes: Record<string, string> = {}): Promise<void> {
    await deployment.settled()
    deployment = open(changes)
  }

  return {
    url: () => served.url,
    restart,
    forgets: false,
    async tear() {
      const whole = readFileSync(database)
      writeFileSync(database, Buffer.alloc(whole.length, 0xff))
      return async () => {
        writeFileSync(database, whole)
        begin()
      }
    },
    async standStill() {
      await restart({ POOL_RULES: 'rootstock', MAX_GAS_PRICE_WEI: `${10n ** 11n}` })
      return async () => {
        const rpc = rpcTo(chain.anvil.url)
        const now = Math.floor((Date.now() + passedMs) / 1_000)
        await rpc('evm_setNextBlockTimestamp', [now + minuteMs / 1_000])
        await rpc('evm_mine')
      }
    },
    async rounds(minutes, holds) {
      for (let minute = 0; minute < minutes; minute++) {
        pass(minuteMs - 3_000)
        const isDone = deployment.round().then(
          () => 'done' as const,
          () => 'failed' as const,
        )
        await deployment.look(await isDone)
        await deployment.settled()
        // Longer than answers are shared.
        pass(3_000)
        if (await holds()) return
        await deployment.settled()
      }
      throw new Error(`not within ${minutes} minutes`)
    },
    async stop() {
      await deployment.settled()
      await served.close()
      rmSync(folder, { recursive: true })
    },
  }
}

playIncidents({ runtime: 'SQLite', chosen: incidents, open: openHere })
