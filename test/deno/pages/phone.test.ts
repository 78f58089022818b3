import { onDeno } from '../on-deno.ts'

onDeno('the phone page', () => import('../../chain/pages/phone.test.ts'))
