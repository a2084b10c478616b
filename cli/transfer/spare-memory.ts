import { setFlagsFromString } from 'node:v8'

/** Releases of V8 that know the flag. Others would complain on standard error. */
const knowing = /^13\.6\./

/**
 * Has buffers that were used once go soon. Each read of a download makes one, and otherwise V8 lets
 * more than 60 MB of them gather before it looks.
 */
export function spareMemory(): void {
  if (!knowing.test(process.versions.v8)) return
  setFlagsFromString('--scavenger-max-new-space-capacity-mb=1')
}
