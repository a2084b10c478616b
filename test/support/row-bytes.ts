/** Bytes that the quota counts for each version of a file, whatever it has. */
export const rowBytes = 512

/** Bytes that it counts for a file in its first version, or a deleted one. */
export const fileRowBytes = (key: string): number => rowBytes + Buffer.byteLength(key)
