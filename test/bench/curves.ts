import type { Growth } from './growth/curve.ts'
import { clients } from './growth/clients.ts'
import { deposits } from './growth/deposits.ts'
import { fileSize } from './growth/file-size.ts'
import { files } from './growth/files.ts'

/** Every curve. */
export const curves: readonly Growth[] = [fileSize, files, deposits, clients]
