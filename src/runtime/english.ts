import { en } from 'zod/locales'
import { config } from 'zod/mini'

// zod/mini has no texts for its errors: each module that shows them imports this one.
config(en())
