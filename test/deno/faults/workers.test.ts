import { onDeno } from '../../support/on-deno.ts'

onDeno('relays', () => import('../../chain/faults/workers.test.ts'))
