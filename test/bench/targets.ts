import type { Target } from './target.ts'
import { download } from './targets/download.ts'
import { newVersionOfMany, publishMany } from './targets/many-files.ts'
import { create, read } from './targets/requests.ts'
import { smallFiles } from './targets/small-files.ts'
import { version } from './targets/start-up.ts'
import { formUpload, rawUpload } from './targets/uploads.ts'

export const targets: readonly Target[] = [
  rawUpload,
  formUpload,
  smallFiles,
  create,
  read,
  download,
  version,
  publishMany,
  newVersionOfMany,
]
