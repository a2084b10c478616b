import { writeFileSync } from 'node:fs'
import { configManual } from './config.ts'

writeFileSync(new URL('deposit-config.5.md', import.meta.url), configManual())
