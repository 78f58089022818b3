import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type LedgerSteps, ledgerParts } from '../../../src/compose/ledger.ts'
import type { WholeLedger } from '../../../src/operator/kept/steps.ts'
import { createObjectLedger, type LedgerStub } from '../../../src/relay/ledger/stores/object.ts'

type Stub = LedgerStub<LedgerSteps> & DurableObjectStub

/** Opens a new object's ledger. What takes a function is called within the object. */
export function openObjectLedger(name: string): { stub: Stub; ledger: WholeLedger } {
  const stub = env.LEDGER.getByName(name) as unknown as Stub
  return {
    stub,
    ledger: {
      ...createObjectLedger(ledgerParts.steps, () => stub),
      acceptOffers: (offers, openSlot) =>
        runInDurableObject(stub, (object) =>
          (object as unknown as WholeLedger).acceptOffers(offers, openSlot),
        ),
    },
  }
}
