import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

const crashPoints = 'test/workerd/faults/crash-points.test.ts'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'chain',
          include: ['test/chain/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'deno',
          include: ['test/deno/**/*.test.ts'],
          env: { SERVED_BY: 'deno' },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      inWorkerd('workerd', {
        include: ['test/workerd/**/*.test.ts'],
        exclude: [crashPoints],
      }),
      // What it cuts off in the middle stays behind in its runtime, so that is nobody else's.
      inWorkerd('crash-points', { include: [crashPoints] }),
    ],
  },
})

/** Tests that run in a workerd of their own, with the Worker as it is configured. */
function inWorkerd(
  name: string,
  files: { include: string[]; exclude?: string[] },
): TestProjectInlineConfiguration {
  return {
    plugins: [
      cloudflareTest(({ inject }) => ({
        wrangler: { configPath: './wrangler.toml' },
        miniflare: { bindings: inject<Record<string, string>>('workerBindings') },
      })),
    ],
    test: {
      name,
      ...files,
      globalSetup: ['./test/support/workerd-setup.ts'],
      testTimeout: 30_000,
      hookTimeout: 60_000,
    },
  }
}
