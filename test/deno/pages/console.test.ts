import { onDeno } from '../on-deno.ts'

onDeno('the console page', () => import('../../chain/pages/console.test.ts'))
