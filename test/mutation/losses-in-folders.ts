import type { Rows } from './guards.ts'

/** Guards without which files would go to a folder or disk that is not theirs. */
export const lossesInFolders: Rows = {
  'core/adapters/blobs/blob-folder.ts': [
    [
      'files leave the reserve of a disk of their own',
      ['this.#room?.take(size)', 'undefined'],
      'operator/blobs-away',
    ],
    [
      'an announced file leaves the reserve of a disk of its own',
      ['this.#room?.require(bytes)', 'undefined'],
      'operator/blobs-away',
    ],
    [
      'a disk of files that takes no writes is found',
      ['await this.#lookWhetherWritable()', 'return'],
      'operator/read-only-blobs',
    ],
  ],
  'core/base/durable-files.ts': [
    [
      'a folder that can be written by its mode alone is found',
      ['\n  await syncFolder(folder)\n', '\n'],
      'operator/read-only-blobs',
    ],
  ],
  'daemon/home/place.ts': [
    [
      'a home remembers which folder of files it used last',
      ['...(folders && home.storageUrl === undefined && { folders }),', ''],
      'operator/folder-away',
    ],
  ],
  'core/adapters/blobs/folder-mark.ts': [
    [
      'a snapshot of the disk of files is an older one',
      [' && now.turn >= then.turn', ''],
      'operator/one-folder-of-two',
    ],
  ],
  'daemon/stores/folder-use.ts': [
    [
      'a snapshot of a home does not use the files that were stored after it',
      ['if (hasChanged) await turn()', ''],
      'operator/one-folder-of-two',
    ],
    [
      'a copy of a home does not use the files of the home while that is used',
      ['if (await isUsedByAnother(user.home, home)) throw inUse(home, user)', ''],
      'operator/one-folder-of-two',
    ],
    [
      'a daemon tells that of a copy of its home to end',
      'await markFolder(home, service, first)',
      'operator/one-folder-of-two',
    ],
  ],
  'daemon/stores/storages.ts': [
    [
      'a folder of files that has nothing but what its file system made is away',
      ['.every(isBesideBlobs)', '.every(() => false)'],
      'operator/folder-away',
    ],
  ],
  'daemon/stores/last-folder.ts': [
    [
      'a home knows the id of its folder before the folder has it',
      'await noteFolders(home, [before, id])',
      'operator/folder-away',
    ],
    [
      'an old copy of the folder of files is not the one used last',
      'await noteFolders(home, [id])',
      'operator/folder-away',
    ],
  ],
  'daemon/stores/store-owner.ts': [
    [
      'a folder of files that was not used last is not used',
      ['if (home.storageUrl !== undefined || (await isLastFolder(home))) return', 'return'],
      'operator/folder-away',
    ],
  ],
}
