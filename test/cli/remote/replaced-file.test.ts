import { describe, expect, it } from 'vitest'
import { md5 } from '../../support/md5.ts'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'

describe('a new version at InvenioRDM with a file in place of another', () => {
  // The first request is refused: the file of the version before has that name.
  it.each([1, 2] as const)(
    'goes on where the answer to request %i that announces it was lost',
    async (number) => {
      const under = remoteKinds.InvenioRDM
      for (const fault of ['lostAnswer', 'gatewayTimeout', 'cutAnswer', 'page'] as const) {
        await using there = await pushedFolder(under, await under.start())
        await there.write('a.csv', '1')
        await there.push('--publish', '--yes')
        await there.write('a.csv', '12')
        const next = [...Array<'none'>(number - 1).fill('none'), fault]
        there.service.misbehave({ only: /^POST .*\/draft\/files$/, next })

        const { status, stderr } = await there.push('--publish', '--yes', '--new-version')

        expect({ fault, status, stderr }).toMatchObject({ status: 0 })
        expect(there.held().at(-1)).toMatchObject({
          isPublished: true,
          files: { 'a.csv': md5(Buffer.from('12')) },
        })
      }
    },
  )
})
