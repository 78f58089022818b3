import { onDeno } from '../on-deno.ts'

onDeno('relays', () => import('../../chain/faults/pool.test.ts'))
