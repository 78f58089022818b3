import { onDeno } from '../on-deno.ts'

onDeno('logs', () => import('../../chain/node/addresses.test.ts'))
