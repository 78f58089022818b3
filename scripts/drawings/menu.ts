import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { menus, sampleContext } from '../dev/menu-ways.ts'
import { drawMenus } from './menu-drawing.ts'

/** Draws `docs/menu.svg` from the menu's declaration; with `--check` it only says whether that is stale. */
const file = fileURLToPath(new URL('../../docs/menu.svg', import.meta.url))

const drawn = drawMenus([
  ['PROFILE=demo', sampleContext(menus.demo)],
  ['PROFILE=lender', sampleContext(menus.lender)],
  ['PROFILE=lender, PIN=strict', sampleContext(menus.strict)],
  ['The same where no PIN was chosen yet', sampleContext(menus.strict), 'newPin'],
])
if (!process.argv.includes('--check')) writeFileSync(file, drawn)
else if (read() !== drawn) {
  process.stdout.write('docs/menu.svg is older than src/ussd/menu/nodes.ts: npm run menu\n')
  process.exitCode = 1
}

function read(): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
