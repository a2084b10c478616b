import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { advice } from '../../../daemon/advice.ts'
import { canMount, diskAt, makeReadOnly } from '../../support/small-disk.ts'
import { at, done, refused, runIn, serves, usedHome, type Rows } from './scene.ts'

export const diskRows: Pick<Rows, 'mountForWriting'> = {
  mountForWriting: async (skip) => {
    if (!canMount()) skip('mounting needs root')
    const home = await usedHome()
    const blobs = join(home, 'blobs')
    await rename(blobs, at('blobs'))
    await mkdir(blobs, { mode: 0o700 })
    using _ = diskAt(blobs, '16m')
    runIn(`cp -a ${at('blobs')}/. ${blobs}`, 'cp')
    makeReadOnly(blobs)
    const hint = advice.mountForWriting(blobs)
    for (const args of [
      ['serve', '--port', '0'],
      ['config', 'check'],
    ])
      await refused(hint, home, args)
    for (const args of [['check'], ['backup', at('saved')]]) await done(home, args)
    runIn(hint.slice(hint.indexOf('mount -o')), 'mount')
    await serves(home)
  },
}
