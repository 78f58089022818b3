import { Hono } from 'hono'

/** Is what Hono costs: a Worker that answers, and does nothing else. */
export default new Hono()
  .get('/', (context) => context.text('ready'))
  .post('/ussd', async (context) => context.text(`END ${(await context.req.text()).length}`))
