import { registerHooks } from 'node:module'

const texts: Record<string, string> = JSON.parse(process.env.CHANGED_MODULES ?? '{}')
registerHooks({
  load(url, context, next) {
    const file = Object.keys(texts).find((path) => url.endsWith(`/${path}`))
    if (file === undefined) return next(url, context)
    return { format: 'module-typescript', source: texts[file], shortCircuit: true }
  },
})
