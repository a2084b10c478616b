import { expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import type { DepositBody } from '../../../core/contract/schemas.ts'
import { knownFolder } from './folders.ts'
import { ada, batch, commandsIn, follow, refuse, run, write } from './rig.ts'

const closed = { files: 'restricted', until: '2999-05-01' } as const
const inYaml = `title: Tides\naccess: {files: restricted, until: ${closed.until}}\n`

async function accessOf(what: string): Promise<unknown> {
  const { metadata } = JSON.parse(await follow(`deposit show ${what} --json`)) as DepositBody
  return { ...metadata }['access' as never]
}

/** Hints where metadata without `access` would make closed files public. */
export const ofOpenings = {
  setAccess: async () => {
    const commands = async (): Promise<readonly string[]> => {
      const draft = await ada.createDraft({ title: 'x', access: closed })
      await ada.addFile(draft, 'a.csv')
      const { id } = await ada.publish(draft)
      await follow(`deposit edit ${id}`)
      await follow(`deposit update ${id} --unset access`)
      const hint = advice.setAccess(id, closed)
      await refuse(`deposit publish ${id} --yes`, hint)
      await refuse(`deposit publish ${id} --dry-run`, hint)
      return [...commandsIn(hint), id]
    }
    const [close, , first = ''] = await commands()
    await follow(close)
    await follow(`deposit publish ${first}`)
    expect(await accessOf(first)).toEqual(closed)
    const [, open, second = ''] = await commands()
    await follow(open)
    expect((await run(`deposit publish ${second}`)).stderr).toContain('The files become public')
  },
  writeAccess: async () => {
    await knownFolder('opening')
    await write('opening/metadata.yaml', inYaml)
    await follow('deposit release opening')
    await write('opening/metadata.yaml', 'title: Tides again\n')
    const hint = advice.writeAccess(closed)
    for (const option of ['', ' --yes', ' --dry-run'])
      await refuse(`deposit release opening${option}`, hint)
    const [close = '', open = ''] = commandsIn(hint)
    await write('opening/metadata.yaml', `title: Tides again\n${close}\n`)
    await follow('deposit release opening')
    expect(await accessOf('./opening')).toEqual(closed)
    await write('opening/metadata.yaml', `title: Tides once more\n${open}\n`)
    await follow('deposit release opening')
  },
  correctAccessOfRows: async () => {
    const hint = advice.correctAccessOfRows()
    for (const rows of [
      'title,access,files\nOne,restricted,a.csv\n',
      'title,access: {files: restricted},files\nOne,,a.csv\n',
      'title,embargo_date,files\nOne,2999-05-01,a.csv\n',
    ])
      await refuse(`${await batch('limited.csv', rows)} --publish --yes`, hint)
    const rows = `title,/access/files,/access/until,files\nOne,restricted,2999-05-01,a.csv\n`
    const [, , , url = ''] = (
      await follow(`${await batch('limited.csv', rows)} --publish --yes`)
    ).split('\t')
    expect(await accessOf(url)).toEqual(closed)
  },
  writeAccessOfRow: async () => {
    const head = 'key,title,/access/files,/access/until,files\n'
    const command = `${await batch('opening.csv', `${head}a,One,restricted,${closed.until},a.csv\n`)} --publish`
    await follow(command)
    await write('opening.csv', 'key,title,files\na,Two,a.csv\n')
    const hint = advice.writeAccessOfRow(closed)
    for (const option of ['', ' --dry-run'])
      expect((await run(`${command} --update${option}`)).stdout).toContain(hint)
    await write('opening.csv', `${head}a,Two,restricted,${closed.until},a.csv\n`)
    const [, , , id = ''] = (await follow(`${command} --update`)).split('\t')
    expect(await accessOf(id)).toEqual(closed)
    await write('opening.csv', 'key,title,/access/files,files\na,Two,public,a.csv\n')
    await follow(`${command} --update`)
  },
}
