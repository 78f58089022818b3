import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type PhoneNumber, parseCaller } from '../src/account/phone.ts'
import { type Destination, isEffect, menu } from '../src/ussd/menu.ts'
import { english } from '../src/ussd/messages/en.ts'
import { promptOf } from '../src/ussd/walk.ts'
import { type DrawnPlace, drawMenu } from './menu-drawing.ts'

/** Draws `docs/menu.svg` from the menu's declaration; with `--check` it only says whether that is stale. */
const file = fileURLToPath(new URL('../docs/menu.svg', import.meta.url))

const context = {
  ...{ chainId: 31, caller: parseCaller('+254700000001') as PhoneNumber, reserved: [] },
  ...{ say: english, least: { wei: 0n, text: '0 tRBTC' } },
}

function placeOf(name: Destination): DrawnPlace {
  if (isEffect(name)) return { lines: [`END: ${name}`], ends: true }
  const prompt = promptOf({ name, draft: {}, page: 0 }, context)
  return { lines: prompt.split('\n'), ends: false }
}

const drawn = drawMenu(placeOf)
if (!process.argv.includes('--check')) writeFileSync(file, drawn)
else if (read() !== drawn) {
  process.stdout.write(
    `docs/menu.svg is older than the ${Object.keys(menu).length} places of src/ussd/menu.ts: npm run menu\n`,
  )
  process.exitCode = 1
}

function read(): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
