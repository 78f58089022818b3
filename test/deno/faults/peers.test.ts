import { onDeno } from '../../support/on-deno.ts'

onDeno('relays', () => import('../../chain/faults/peers.test.ts'))
