import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'
import { runCli } from '../../support/run-cli.ts'
import { answerJson, strangeServer } from '../../support/strange-server.ts'

interface Planned {
  readonly metadata: {
    readonly related_identifiers?: readonly {
      readonly identifier: string
      readonly relation: string
    }[]
  }
}

const relations =
  'related_identifiers: [{identifier: 10.1234/abc, relation: isSupplementTo, scheme: doi}]\n'

describe.each(['Zenodo of today', 'InvenioRDM', 'Dataverse', 'figshare'] as const)(
  'what is pulled from %s',
  (name) => {
    it('is identical to a record, and to no draft, whose DOI is not registered', async () => {
      const under = remoteKinds[name]
      await using there = await pushedFolder(under, await under.start())
      await there.describe(relations)
      await there.write('a.csv', '1')
      const pull = async (address: string) => {
        const { stdout, stderr } = await there.deposit(['pull', address, '--dry-run', '--json'])
        const related = (JSON.parse(stdout) as Planned).metadata.related_identifiers ?? []
        return { stderr, kinds: related.map(({ relation }) => relation) }
      }
      const draft = await pull((await there.push()).stdout.trim())
      const record = await pull((await there.push('--publish', '--yes')).stdout.trim())

      expect(draft.kinds).not.toContain('IsIdenticalTo')
      expect(draft.stderr).toContain('is a draft there, and has no DOI yet')
      expect(record.kinds.filter((kind) => kind === 'IsIdenticalTo')).toHaveLength(1)
      // In one spelling, whatever that of the repository is.
      if (name !== 'Dataverse') expect(record.kinds).toContain('IsSupplementTo')
    })
  },
)

/** A dry run of a pull of record 1 from a server that answers this. */
async function pullOf(record: object) {
  await using server = await strangeServer(({ url = '' }, response) => {
    answerJson(response, url.includes('/records/') ? record : [])
  })
  const name = `r${randomUUID()}`
  await runCli(['remote', 'add', name, '--kind=zenodo', `--url=${server.url}`], {
    stdin: 'a-token-of-a-user',
  })
  return await runCli(['pull', `${name}:1`, '--dry-run', '--json', '--retries', '0'])
}

describe('a repository', () => {
  it.each(['javascript:alert(1)', '10.1/x y', '<b>10.5072/1</b>', 10.5072, { a: 1 }])(
    'whose DOI is %j has none',
    async (doi) => {
      const { status, stdout } = await pullOf({ id: 1, doi, metadata: { title: 'x' }, files: [] })
      expect(status).toBe(0)
      const { related_identifiers: related } = (JSON.parse(stdout) as Planned).metadata
      expect(related).toMatchObject([{ relation: 'IsIdenticalTo', scheme: 'url' }])
      expect(stdout).not.toContain(JSON.stringify(doi))
    },
  )

  it.each([undefined, null, 'many', -1])(
    'that says a file has %j bytes is told so',
    async (size) => {
      const file = { key: 'a.csv', size, links: { self: 'http://127.0.0.1:1/' } }
      const { status, stderr } = await pullOf({ id: 1, metadata: { title: 'x' }, files: [file] })
      expect(status).toBe(1)
      expect(stderr).toContain('does not say how large these files are: a.csv')
      expect(stderr).not.toContain('NaN')
    },
  )
})
