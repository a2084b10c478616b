import { execFileSync } from 'node:child_process'
import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect } from 'vitest'
import { advice } from '../../../daemon/advice.ts'
import { operateHere } from '../../support/depositd.ts'
import { canMount, diskAt, makeReadOnly } from '../../support/small-disk.ts'
import { testDaemon } from '../../support/test-daemon.ts'
import {
  at,
  done,
  refused,
  runIn,
  serves,
  servesNot,
  upload,
  usedHome,
  type Rows,
} from './scene.ts'

export const diskRows: Pick<
  Rows,
  'mountForWriting' | 'mountNotLink' | 'mountOwnDisk' | 'putSmallBack' | 'useOneHome'
> = {
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
  mountNotLink: async (skip) => {
    if (!canMount()) skip('mounting needs root')
    const home = await usedHome()
    const [blobs, disk] = [join(home, 'blobs'), at('disk')]
    await rename(blobs, disk)
    await symlink(relative(home, disk), blobs)
    const hint = advice.mountNotLink(blobs, disk)
    for (const command of [['gc'], ['check'], ['config', 'check'], ['serve', '--port', '0']])
      await refused(hint, home, command)
    execFileSync('/bin/sh', ['-c', hint.slice(hint.indexOf('rm '))])
    using _ = { [Symbol.dispose]: () => void execFileSync('umount', ['--lazy', blobs]) }
    await serves(home)
    await done(home, ['check'])
  },
  mountOwnDisk: async () => {
    const [own, other] = [await usedHome('with a disk'), at('with another')]
    for (const home of [own, other]) await upload(home, 'large', 'x'.repeat(100_000))
    await rename(join(own, 'blobs'), at('own disk'))
    await rename(join(other, 'blobs'), join(own, 'blobs'))
    const step = [`{"mark":{"service":"any"}}`, join(own, 'stores.json')] as const
    const hint = advice.mountOwnDisk(advice.useOneService(step))
    for (const command of [['gc'], ['check'], ['config', 'check']])
      await refused(hint, own, command)
    await servesNot(hint, own, {})
    await rename(join(own, 'blobs'), join(other, 'blobs'))
    await rename(at('own disk'), join(own, 'blobs'))
    await serves(own)
    await serves(other)
  },
  useOneHome: async (skip) => {
    if (!canMount()) skip('mounting needs root')
    const home = await usedHome()
    const copy = at('copy')
    const blobs = join(copy, 'blobs')
    await upload(home, 'large', 'x'.repeat(100_000))
    await using daemon = await testDaemon({ home })
    await cp(home, copy, { recursive: true, preserveTimestamps: true })
    await rm(blobs, { recursive: true })
    await mkdir(blobs, { mode: 0o700 })
    execFileSync('mount', ['--bind', join(home, 'blobs'), blobs])
    const hint = advice.useOneHome(blobs, home)
    for (const command of [['gc'], ['config', 'check'], ['serve', '--port', '0']])
      await refused(hint, copy, command)
    execFileSync('/bin/sh', ['-c', hint.slice(hint.indexOf('umount'))])
    await serves(copy)
    await done(copy, ['check'])
    await daemon[Symbol.asyncDispose]()
    await serves(home)
    await done(home, ['check'])
  },
  putSmallBack: async () => {
    const home = await usedHome()
    for (const content of ['in the backup', 'x'.repeat(100_000)])
      await upload(home, content.slice(0, 1), content)
    const saved = at('saved')
    await done(home, ['backup', saved])
    for (const name of await readdir(home))
      if (name.startsWith('small-blobs')) await rm(join(home, name))
    const [text, file] = ['{"mark":{"service":"any"}}', join(home, 'stores.json')]
    const hint = advice.putSmallBack(join(home, 'blobs'), [text, file])
    for (const command of [['gc'], ['check'], ['config', 'check']])
      await refused(hint, home, command)
    await servesNot(hint, home, {})
    const copy = /: (cp .+)\. To/.exec(hint)?.[1]?.replace('BACKUP', saved) ?? ''
    execFileSync('/bin/sh', ['-c', copy])
    await serves(home)
    await done(home, ['check'])
    // One is in no backup.
    await upload(home, 'lost', 'later')
    for (const name of await readdir(home))
      if (name.startsWith('small-blobs')) await rm(join(home, name))
    await refused(hint, home, ['gc'])
    await writeFile(file, text)
    await serves(home)
    expect((await operateHere(home, ['check'])).stdout).toContain('is missing')
  },
}
