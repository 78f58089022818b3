import process from 'node:process'

// Moves the clock as a test asks, before the entry point is loaded.
const laterMs = Number(process.env.LATER_MS)
const now = Date.now.bind(Date)
Date.now = () => now() + laterMs

const entry = '../../../src/deno.ts'
const { default: served } = await import(entry)

export default served
