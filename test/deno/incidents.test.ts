import { onDeno } from './on-deno.ts'

onDeno('incidents', () => import('../chain/operator/runtimes.test.ts'))
