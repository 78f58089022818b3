import { onDeno } from '../../support/on-deno.ts'

onDeno('the node service', () => import('../../chain/node/subscriptions.test.ts'))
