import { Hono } from 'hono'

// The least that a Worker with Hono can do.
const app = new Hono()

app.post('/ussd', (c) => c.text('CON Rootstock DeFi'))

export default app
