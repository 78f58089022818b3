import { operate } from './ops/ops-cli.ts'
import { chooseCommand, runAsProgram } from './stack/command.ts'

/** Is `npm run ops`. A verb with verbs or options of its own is loaded once it is named. */
export const ops = chooseCommand(
  {
    account: async () => (await import('./ops/account-cli.ts')).account,
    borrowers: async () => (await import('./contracts/borrowers.ts')).borrowers,
    doctor: async () => (await import('./ops/doctor.ts')).doctor,
    fund: async () => (await import('./stack/money/fund.ts')).fund,
    keys: async () => (await import('./ops/credentials/keys-cli.ts')).keys,
    migrate: async () => (await import('./contracts/migrate/cli.ts')).migrate,
    operators: async () => (await import('./ops/credentials/operators-cli.ts')).operators,
    pool: async () => (await import('./ops/pool-cli.ts')).pool,
    relayers: async () => (await import('./ops/relayers-cli.ts')).relayers,
    secrets: async () => (await import('./ops/credentials/secrets-cli.ts')).secrets,
    verify: async () => (await import('./ops/verify.ts')).verify,
  },
  operate,
)
runAsProgram(import.meta, ops)
