import { onDeno } from '../support/on-deno.ts'

onDeno('incidents', () => import('../chain/operator/runtimes.test.ts'))
