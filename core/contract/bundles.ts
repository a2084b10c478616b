/**
 * What a bundle holds: small files that come in one request, and are stored all or none. Where a
 * request for each costs more than to store it, a folder of thousands takes a fraction of the time.
 */

/** Files of a bundle. */
export const maxBundleFiles = 100

/** Bytes of each of them. */
export const maxBundledBytes = 64 * 1024
