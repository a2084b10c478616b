import { setFlagsFromString } from 'node:v8'

/** Releases of V8 that know the flags. Others would complain on standard error. */
const knowing = /^13\.6\./

/**
 * Has buffers that were used once go soon. Each read of a download makes one, and otherwise V8 lets
 * more than 60 MB of them gather before it looks.
 */
export function spareBuffers(): void {
  setFlag('--scavenger-max-new-space-capacity-mb=1')
}

/**
 * Has the heaps of all threads grow to one and a half times what is in use before V8 collects, and
 * not to four times that much: texts of a megabyte would lie there by the hundred.
 */
export function spareHeap(): void {
  setFlag('--heap-growing-percent=50')
}

function setFlag(flag: string): void {
  if (knowing.test(process.versions.v8)) setFlagsFromString(flag)
}
