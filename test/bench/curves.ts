import { audit } from './growth/audit.ts'
import { clients } from './growth/clients.ts'
import { cores } from './growth/cores.ts'
import type { Growth } from './growth/curve.ts'
import { deposits } from './growth/deposits.ts'
import { fileSize } from './growth/file-size.ts'
import { files } from './growth/files.ts'
import { history } from './growth/history.ts'
import { outbox } from './growth/outbox.ts'
import { packageFiles } from './growth/package.ts'
import { people } from './growth/people.ts'
import { records } from './growth/records.ts'
import { versions } from './growth/versions.ts'

/** Every curve. */
export const curves: readonly Growth[] = [
  fileSize,
  files,
  deposits,
  clients,
  records,
  packageFiles,
  versions,
  people,
  history,
  audit,
  outbox,
  cores,
]
