import process from 'node:process'

// The entry point in a process whose clock a test has moved: before anything of ours is loaded.
const laterMs = Number(process.env.LATER_MS)
const now = Date.now.bind(Date)
Date.now = () => now() + laterMs

const entry = '../../../src/deno.ts'
const { default: served } = await import(entry)

export default served
