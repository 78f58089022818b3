import type { Reporter } from 'vitest/node'

/** Prints the files that used the most CPU: the time of a run is bound by it. */
export const createCpuReporter = (count: number): Reporter => ({
  onTestRunEnd(modules) {
    const used = modules.flatMap((module) => {
      const { cpuMs } = module.meta()
      return cpuMs === undefined ? [] : [{ path: module.relativeModuleId, cpuMs }]
    })
    const seconds = (sum: number) => (sum / 1_000).toFixed(1).padStart(6)
    const total = used.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
    process.stdout.write(`\nCPU of ${used.length} files: ${seconds(total)} s\n`)
    for (const { path, cpuMs } of used.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, count)) {
      process.stdout.write(`${seconds(cpuMs)} s ${path}\n`)
    }
  },
})
