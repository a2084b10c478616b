import { describe, expect, it } from 'vitest'
import { ofFiles } from './advice/files.ts'
import { ofReach, ofSignIn } from './advice/reach.ts'
import { ada, daemon, follow, run, type Rows } from './advice/rig.ts'
import { ofServer } from './advice/server.ts'
import { ofWords } from './advice/words.ts'

/**
 * One row for each hint: meets it, and does what it says. A hint of the table without a row does not
 * compile.
 */
const rows: Rows = { ...ofServer, ...ofReach, ...ofSignIn, ...ofWords, ...ofFiles }

describe('a hint of the command line leads where it says', () => {
  it.for(Object.keys(rows) as (keyof Rows)[])('%s', async (name) => {
    await rows[name]()
  })
})

it('show tells of a record that was corrected since, and the command it names takes that over', async () => {
  const { id, links } = await ada.createPublished()
  expect((await run(`deposit show ${id}`)).stdout).not.toContain('Correction')
  const curator = daemon.as('curator', { admin: true })
  await curator.put(links['record'] ?? '', { title: 'Corrected' })

  const { stdout } = await run(`deposit show ${id}`)
  expect(stdout).toContain(`\`deposit edit ${id}\` takes that over`)
  await follow(`deposit edit ${id}`)
  expect((await run(`deposit show ${id}`)).stdout).toContain('Corrected')
})
