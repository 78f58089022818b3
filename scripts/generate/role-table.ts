import { type RouteName, routeNames, routeRoles } from '../../src/operator/access.ts'
import { type Role, roles } from '../../src/operator/schemas/fields.ts'

/** Writes what each role may ask beside what the roles before it may, as a table of Markdown. */
export function writeRoles(): string {
  const rows = roles.map((role) => {
    const routes = routeNames.flatMap((route) => nameFor(route, role))
    return `| \`${role}\` | ${routes.join(', ')} |`
  })
  return ['| role | may also ask |', '|---|---|', ...rows].join('\n')
}

/** Names a route for a role; of a route of actions, those that need it. */
function nameFor(route: RouteName, role: Role): string[] {
  const needed: string | Readonly<Record<string, Role>> = routeRoles[route]
  const name = `\`${route.replace('/operator/', '').replace(/:(\w+)/, '<$1>')}\``
  if (typeof needed === 'string') return needed === role ? [name] : []
  const actions = Object.keys(needed).filter((action) => needed[action] === role)
  return actions.length > 0 ? [`${name} (${actions.join(', ')})`] : []
}
