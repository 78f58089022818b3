import { onDeno } from '../on-deno.ts'

onDeno('the node service', () => import('../../chain/node/hostile-load.test.ts'))
