import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/cli-at-daemon.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function rehearse(rows: string | Uint8Array, name = 'rows.csv'): Promise<Outcome> {
  await using folder = await temporaryFolder({ 'one/a.csv': '1', 'extra/two.txt': '2' })
  await writeFile(join(folder.path, name), rows)
  // No daemon is asked.
  const environment = { DEPOSIT_HOME: folder.path }
  return await runCli(['batch', name, '-n', '--json'], { folder: folder.path, environment })
}

describe('the columns of a table', () => {
  it.for([
    'title;folder;keywords\nOne;one;"tide; wind"\n',
    'title\tfolder\tkeywords\nOne\tone\ttide;wind\n',
    'sep=;\r\ntitle;Folder;keywords\r\nOne;one;"tide; wind"\r\n',
    'title,FOLDER,keywords\n"One",one,tide; wind\n',
  ])('may be separated by other characters, and ours are in any case: %j', async (rows) => {
    const { status, stdout } = await rehearse(rows)
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject([
      {
        metadata: { title: 'One', keywords: ['tide', 'wind'] },
        files: [{ filename: 'a.csv' }],
      },
    ])
  })

  it.for([
    ['title,folders\nA,one\n', '"folders" is no column of a batch; did you mean "folder"?'],
    ['title,file\nA,extra/two.txt\n', '"file" is no column of a batch; did you mean "files"?'],
    ['title,Ordner\nA,one\n', '"Ordner" is no column of a batch; did you mean "folder"?'],
    ['title,Datei\nA,extra/two.txt\n', 'did you mean "files"?'],
    ['title,Title,title\nA,B,C\n', 'the column "title" is there twice'],
    ['title,folder,Folder\nA,one,one\n', 'the column "folder" is there twice'],
    ['title,\nA,one\n', 'line 2: "one" has no title above it'],
    ['title,creators.0.name\nA,B\n', 'line 2: a field within another is named by a JSON Pointer'],
    ['title,keywords:\nA,"[""x"" "\n', 'line 2: what follows := is not JSON'],
  ] as const)('stop the run where rows would lose something: %j', async ([rows, words]) => {
    expectFailure({ ...(await rehearse(rows)), stdout: '' }, 2, words)
  })

  it('are fields where they are written as such, and named where no schema knows them', async () => {
    const { status, stderr } = await rehearse('title,/file,colour\nA,extra/two.txt,red\n')
    expect(status).toBe(0)
    expect(stderr).toContain('/colour: "colour" is not a field of the schema; it is kept as it is.')
  })

  it.for([
    ['rows.jsonl', '{"title": "A", "Folder": "one"}', '"Folder" is no column of a batch'],
    ['rows.yaml', 'metadata: {title: A}\nFolder: one\n', 'row 1: Folder beside metadata'],
  ] as const)('are fields of the documents of %s', async ([name, rows, words]) => {
    expectFailure({ ...(await rehearse(rows, name)), stdout: '' }, 2, words)
  })
})

describe('cells below no title', () => {
  it('are refused in each of several such columns', async () => {
    const { stdout, ...outcome } = await rehearse('title,,\nOne,stray,\n')
    expectFailure({ ...outcome, stdout: '' }, 2, 'line 2: "stray" has no title above it')
    expect((await rehearse('title,,\nOne,,\n')).status).toBe(0)
  })
})

describe('the line of a row', () => {
  it.for([
    ['rows.csv', 'title,notes\nA,"x\ny"\n\nB,z\n', [2, 5]],
    ['rows.jsonl', '{"title":"A"}\n\n{"title":"B"}\n', [1, 3]],
    ['rows.yaml', '# two\n- title: A\n- title: B\n---\ntitle: C\n', [2, 3, 5]],
    ['rows.json', '[\n {"title":"A"},\n {"title":"B"}]', [2, 3]],
  ] as const)('is known in %s', async ([name, rows, lines]) => {
    const { stdout } = await rehearse(rows, name)
    const found = JSON.parse(stdout) as readonly { readonly line: number }[]
    expect(found.map(({ line }) => line)).toEqual(lines)
  })
})

describe('a table that is not UTF-8', () => {
  const rows = 'title,notes\nOne,x\nPegelstände,y\n'

  it('is refused with its line, and one in UTF-16 is read by its mark', async () => {
    const latin = await rehearse(Buffer.from(rows, 'latin1'))
    expectFailure({ ...latin, stdout: '' }, 2, 'line 3 is not UTF-8')
    const { stdout } = await rehearse(Buffer.from(`\uFEFF${rows}`, 'utf16le'))
    expect(stdout).toContain('"Pegelstände"')
  })
})
