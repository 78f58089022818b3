import { spawnSync } from 'node:child_process'
import { type Browser, chromium } from 'playwright-core'
import { programs, runs } from '../../debian.ts'

/** The command of the installed browser; undefined without one. */
const program = programs['chromium-headless-shell'].find(runs)

export function launchBrowser(): Promise<Browser> {
  const executablePath = spawnSync('which', [`${program}`], { encoding: 'utf8' }).stdout.trim()
  // Tests often run as root, where Chromium has no sandbox.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}
