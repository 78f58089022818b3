import { createRequire } from 'node:module'
import { tryTo } from '../../src/runtime/log.ts'

/**
 * Finds Foundry's own tool below npm's wrapper, which is slow and hides forge's exit code
 * (findings/foundry-wrapper-exit-code.sh).
 */
export function foundryBinary(tool: 'anvil' | 'cast' | 'forge'): string | undefined {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const name = process.platform === 'win32' ? `${tool}.exe` : tool
  const place = `@foundry-rs/${tool}-${process.platform}-${architecture}/bin/${name}`
  return tryTo(() => createRequire(import.meta.url).resolve(place))
}

/** Names the tool, by its name alone where npm brings none. */
export const foundryTool = (tool: 'anvil' | 'cast' | 'forge'): string => foundryBinary(tool) ?? tool
