import { onDeno } from '../on-deno.ts'

onDeno('the node service', () => import('../../chain/node/slow-readers.test.ts'))
