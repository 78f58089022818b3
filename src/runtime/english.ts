import { en } from 'zod/locales'
import { config } from 'zod/mini'

// zod/mini knows no words. Whatever shows its messages imports this module.
config(en())
