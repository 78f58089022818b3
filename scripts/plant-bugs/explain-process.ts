import { explain, simulate } from '../dev/simulator/runs/simulate.ts'

// Started in a copy that has a bug, with the seed that found it.
const finding = await explain(await simulate(Number(process.argv[2])))
process.stdout.write(JSON.stringify(finding ?? null))
