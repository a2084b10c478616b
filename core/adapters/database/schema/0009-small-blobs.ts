/**
 * Changes no table: from here on, bytes may lie in `small-blobs.db` (small-blobs.ts), where a
 * program that knows only the folder `blobs` would miss them. So such a program is refused.
 */
export async function smallBlobs(): Promise<void> {}
