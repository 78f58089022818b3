import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from '../../../scripts/stack/folder.ts'

/** Copies all that a clone has, and what is compiled of the contracts. */
export function copyRepository(copy: string): void {
  const left = ['node_modules', '.git', '.dev', '.dev.vars', '.wrangler']
  cpSync(root, copy, { recursive: true, filter: (path) => !left.includes(basename(path)) })
}

/** Makes a folder of all packages that are installed here. */
export function linkPackages(packages: string): void {
  mkdirSync(packages)
  const installed = join(root, 'node_modules')
  // forge compiles anew what it knows by another path.
  const compiled = '@openzeppelin'
  cpSync(join(installed, compiled), join(packages, compiled), { recursive: true })
  for (const name of readdirSync(installed)) {
    if (name !== compiled) symlinkSync(join(installed, name), join(packages, name))
  }
}
