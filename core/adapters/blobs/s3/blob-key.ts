import type { BlobId } from '../../../files/file.ts'

/** Where blobs lie in a bucket; what arrives in pieces has a place of its own. */
export const blobFolder = 'blobs/'

export const keyOf = (id: BlobId): string => blobFolder + id
