import { registerHooks } from 'node:module'

// Loaded before a test process: one file of the relay is another text in it.
const { MUTATED_FILE: file = '', MUTATED_TEXT: source = '' } = process.env
registerHooks({
  load: (url, context, next) =>
    url.endsWith(`/${file}`)
      ? { format: 'module-typescript', source, shortCircuit: true }
      : next(url, context),
})
