import { registerHooks } from 'node:module'

// Loaded before a process that is to have another text in some files of the relay.
const texts: Record<string, string> = JSON.parse(process.env.CHANGED_MODULES ?? '{}')
registerHooks({
  load(url, context, next) {
    const file = Object.keys(texts).find((path) => url.endsWith(`/${path}`))
    if (file === undefined) return next(url, context)
    return { format: 'module-typescript', source: texts[file], shortCircuit: true }
  },
})
