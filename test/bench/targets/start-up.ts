import { fileURLToPath } from 'node:url'
import { run, seconds } from '../timing.ts'
import type { Target } from '../target.ts'

const deposit = fileURLToPath(new URL('../../../cli/bin.mjs', import.meta.url))

export const version: Target = {
  id: 'P13',
  what: 'deposit --version ÷ node -e 0',
  reach: { atMost: 1.6 },
  obstacle: () => undefined,
  round: async () => ({
    reference: await seconds(() => run(process.execPath, ['-e', '0'])),
    measured: await seconds(() => run(process.execPath, [deposit, '--version'])),
  }),
}
