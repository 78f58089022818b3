import type { Reporter, TestModule } from 'vitest/node'
import { isOutcry, type Outcry, type Span, unexpected } from '../runtime-words.ts'

/** Ends the run red on what workerd writes of exceptions that no test has caused on purpose. */
export function createRuntimeReporter(): Reporter {
  const outcries: Outcry[] = []
  return {
    onInit() {
      // Cloudflare's plugin writes to one of these, by the level that workerd gives a line.
      for (const stream of [process.stdout, process.stderr]) {
        const write = stream.write.bind(stream)
        stream.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
          const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
          if (!isOutcry(text)) return write(chunk, ...rest)
          outcries.push({ at: Date.now(), text: text.trim() })
          return true
        }) as typeof stream.write
      }
    },
    onTestRunEnd(modules) {
      const words = unexpected(outcries, modules.flatMap(spansOf))
      if (words.length === 0) return
      process.exitCode = 1
      process.stdout.write('\nWorkerd tells of exceptions that no test has caused on purpose:\n')
      for (const { at, text } of words) {
        process.stdout.write(`  at ${new Date(at).toISOString()}: ${text}\n`)
      }
    },
  }
}

function spansOf(module: TestModule): Span[] {
  return [...module.children.allTests()].flatMap((test) => {
    const { causes } = test.meta()
    const ran = test.diagnostic()
    if (causes === undefined || ran === undefined) return []
    return [{ from: ran.startTime, to: ran.startTime + ran.duration, causes }]
  })
}
