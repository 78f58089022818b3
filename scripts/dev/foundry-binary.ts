import { createRequire } from 'node:module'

/**
 * Where npm has put a tool of Foundry for this machine; undefined where it has none. The command that
 * npm installs beside it is a wrapper: a second process to look after, which takes longer to start than
 * the tool and, of forge, ends with 0 whatever the tool ended with.
 */
export function foundryBinary(tool: 'anvil' | 'cast' | 'forge'): string | undefined {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const name = process.platform === 'win32' ? `${tool}.exe` : tool
  try {
    const place = `@foundry-rs/${tool}-${process.platform}-${architecture}/bin/${name}`
    return createRequire(import.meta.url).resolve(place)
  } catch {
    return undefined
  }
}
