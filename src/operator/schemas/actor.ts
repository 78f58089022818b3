import * as z from 'zod/mini'

/** Lists the roles of operators: each may do what the roles before it may. */
export const roles = ['read', 'support', 'operate', 'money'] as const

/** Describes who asks: the name is that of the audit. */
export const actor = z.object({ name: z.string(), role: z.enum(roles) })

export type Actor = z.infer<typeof actor>
export type Role = Actor['role']
