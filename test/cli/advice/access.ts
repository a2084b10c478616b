import { mkdir, readFile, rm } from 'node:fs/promises'
import { expect } from 'vitest'
import { ada, follow, pathTo, run, write } from './rig.ts'

/** Files of a folder that is not published, and options of the command. */
interface Limited {
  readonly files: Readonly<Record<string, string>>
  readonly options?: string
  /** The metadata file that is corrected. */
  readonly corrected: string
}

const rows = {
  'a field of metadata.yaml': {
    files: { 'metadata.yaml': 'title: x\naccess_right: restricted\nkeywords: [tide]\n' },
    corrected: 'metadata.yaml',
  },
  'an object in metadata.yaml': {
    files: { 'metadata.yaml': 'title: x\nembargo: {active: true, until: 2999-01-01}\n' },
    corrected: 'metadata.yaml',
  },
  'another file beside CITATION.cff': {
    files: { 'CITATION.cff': 'title: x\n', 'datacite.xml': '<rights>Closed Access</rights>' },
    corrected: 'CITATION.cff',
  },
  'another file without metadata': {
    files: { 'meta.yaml': 'access: restricted\n' },
    options: ' --yes',
    corrected: 'metadata.yaml',
  },
} as const satisfies Readonly<Record<string, Limited>>

export const accessNames = Object.keys(rows) as (keyof typeof rows)[]

/** Publishing is refused; once the line of the message is written where it says, it succeeds. */
export async function followAccess(name: keyof typeof rows): Promise<void> {
  const { files, corrected, options = '' }: Limited = rows[name]
  await rm(pathTo('limited'), { recursive: true, force: true })
  await mkdir(pathTo('limited'))
  for (const [file, text] of Object.entries(files)) await write(`limited/${file}`, text)
  const command = `deposit create limited --publish${options}`

  const refused = await run(command)
  const [, field = '', place = '', line = ''] =
    /: \/(\w+): \w+ (?:is|says) .* limits access.* write in (.+?): (access: \{files: public\})$/m.exec(
      refused.stderr,
    ) ?? []
  expect(refused.status).toBe(1)
  const isInPlace = place === 'place of the field'
  if (!isInPlace) expect(place).toBe(`limited/${corrected}`)
  const old = await readFile(pathTo(`limited/${corrected}`), 'utf8').catch(() => '')
  const lines = old.split('\n').filter((one) => !isInPlace || !one.startsWith(`${field}:`))
  await write(`limited/${corrected}`, [line, ...lines].join('\n'))
  await follow(command)
}

/** The same for a draft that the server refuses to publish. */
export async function followAccessOfDraft(): Promise<void> {
  const { id } = await ada.createDraft({ title: 'x', hold: true })
  const { stderr, status } = await run(`deposit publish ${id}`)
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /\/hold: hold is true, .* write in place of the field: access: \{files: public\}/,
  )
  await write('open.yaml', 'title: x\naccess: {files: public}\n')
  await follow(`deposit update ${id} --metadata open.yaml`)
  await follow(`deposit publish ${id}`)
}
