import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/cli-at-daemon.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function rehearse(rows: string | Uint8Array, name = 'rows.csv'): Promise<Outcome> {
  await using folder = await temporaryFolder({ 'one/a.csv': '1', 'extra/two.txt': '2' })
  await writeFile(join(folder.path, name), rows)
  // No daemon is contacted.
  const environment = { DEPOSIT_HOME: folder.path }
  return await runCli(['batch', name, '-n', '--json'], { folder: folder.path, environment })
}

describe('the columns of a table', () => {
  it.for([
    'title;folder;keywords\nOne;one;"tide; wind"\n',
    'title\tfolder\tkeywords\nOne\tone\ttide;wind\n',
    'sep=;\r\ntitle;Folder;keywords\r\nOne;one;"tide; wind"\r\n',
    'title,FOLDER,keywords\n"One",one,tide; wind\n',
  ])('may be separated by other characters, with column names in any case: %j', async (rows) => {
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
    ['title,folders\nA,one\n', 'a batch has no column "folders"; did you mean "folder"?'],
    ['title,file\nA,extra/two.txt\n', 'a batch has no column "file"; did you mean "files"?'],
    ['title,Ordner\nA,one\n', 'a batch has no column "Ordner"; did you mean "folder"?'],
    ['title,Datei\nA,extra/two.txt\n', 'did you mean "files"?'],
    ['title,Title,title\nA,B,C\n', 'two columns are called "title"'],
    ['title,folder,Folder\nA,one,one\n', 'two columns are called "folder"'],
    ['title,\nA,one\n', 'line 2: "one" has no title above it'],
    [
      'title,creators.name\nA,B\n',
      'line 2, column "creators.name": a field within another is written with slashes, such as ' +
        '"/creators/0/name"',
    ],
    [
      'title,keywords:\nA,"[""x"" "\n',
      'line 2, column "keywords:": the value after := cannot be used: this is not JSON',
    ],
    ['title,x:\nA,"{""a"":1,""a"":2}"\n', 'the key "a" is given twice in the same object'],
    ['title,notes\nA,b\n\nB\n', 'line 4: it has 1 cell, and the table has 2 columns\n'],
    [
      'title;notes\nA;b;c\n',
      'line 2: it has 3 cells, and the table has 2 columns; a cell with ";"',
    ],
    [
      'title,notes\nA,"x\ny"\nB,"z\n\n',
      'line 4: a cell begins with a quote (") that is never closed',
    ],
    ['title,notes\n\nA,b "q" c\n', 'line 3: a cell has a quote (") in its text and does not'],
    ['title,notes\nA,"b" c\n', 'line 2: a cell has more text behind the quote (") that closes it'],
  ] as const)(
    'refuse the batch if rows would lose files or metadata: %j',
    async ([rows, words]) => {
      expectFailure({ ...(await rehearse(rows)), stdout: '' }, 2, words)
    },
  )

  it('become fields of the metadata, with a warning for unknown fields', async () => {
    const { status, stderr } = await rehearse('title,/file,colour\nA,extra/two.txt,red\n')
    expect(status).toBe(0)
    expect(stderr).toContain('/colour: "colour" is not a field of the schema; it is kept as it is.')
  })

  it.for([
    ['rows.jsonl', '{"title": "A", "Folder": "one"}', 'a batch has no column "Folder"'],
    ['rows.yaml', 'metadata: {title: A}\nFolder: one\n', 'row 1: Folder beside metadata'],
  ] as const)('become fields of the documents in %s', async ([name, rows, words]) => {
    expectFailure({ ...(await rehearse(rows, name)), stdout: '' }, 2, words)
  })
})

describe('cells without a title', () => {
  it('are refused in each such column', async () => {
    const { stdout, ...outcome } = await rehearse('title,,\nOne,stray,\n')
    expectFailure({ ...outcome, stdout: '' }, 2, 'line 2: "stray" has no title above it')
    expect((await rehearse('title,,\nOne,,\n')).status).toBe(0)
  })
})

describe('the line of a row', () => {
  it.for([
    ['rows.csv', 'title,notes\nA,"x\ny"\n\nB,z\n', [2, 5]],
    ['rows.csv', 'title,notes\nA,"x\r\ny"\r\n\r\nB,z\r\nC,z\r\n', [2, 5, 6]],
    ['rows.csv', '\r\ntitle,notes\r\nA,x\n  \nB,"z"', [3, 5]],
    ['rows.csv', 'title\rA\rB\r', [2, 3]],
    ['rows.csv', 'sep=,\r\ntitle,notes\nÄ,x\r\nB,z\r\n', [3, 4]],
    ['rows.jsonl', '{"title":"A"}\n\n{"title":"B"}\n', [1, 3]],
    ['rows.yaml', '# two\n- title: A\n- title: B\n---\ntitle: C\n', [2, 3, 5]],
    ['rows.json', '[\n {"title":"A"},\n {"title":"B"}]', [2, 3]],
  ] as const)('is reported for %s', async ([name, rows, lines]) => {
    const { stdout } = await rehearse(rows, name)
    const found = JSON.parse(stdout) as readonly { readonly line: number }[]
    expect(found.map(({ line }) => line)).toEqual(lines)
  })
})

describe('a line of JSON Lines', () => {
  it.for([
    ['{"title":"A"}\n{"title":"a","title":"b"}\n', 'line 2, column 14: the key "title" is given'],
    ['{"a":{"k":[{"x":1}],"k" : 2}}\n', 'line 1, column 21: the key "k" is given twice'],
    ['{"a":1,"\\u0061":2}\n', 'line 1, column 8: the key "\\u0061" is given twice'],
    ['\n{"title":"a",}\n', 'line 2, column 14: this is not JSON\n'],
    ['{"title":"a"\n', 'this is not JSON\n'],
  ] as const)('is refused with line and column: %j', async ([rows, words]) => {
    expectFailure({ ...(await rehearse(rows, 'rows.jsonl')), stdout: '' }, 2, words)
  })

  it('may repeat a key in different objects', async () => {
    const rows =
      '{"title":"title: \\"title\\":","a":{"title":"x"},"creators":[{"name":"x"},{"name":"y"}]}'
    expect((await rehearse(rows, 'rows.jsonl')).status).toBe(0)
  })
})

describe('a batch that is not a file', () => {
  it('is refused with a reason', async () => {
    await using folder = await temporaryFolder({ 'rows.csv/a.txt': '1' })
    const outcome = await runCli(['batch', 'rows.csv', '-n'], { folder: folder.path })
    expectFailure(outcome, 2, '  it is a folder, not a file\n')
  })
})

describe('a table that is not UTF-8', () => {
  const rows = 'title,notes\nOne,x\nPegelstände,y\n'

  it('is refused with its line, but read as UTF-16 with a byte order mark', async () => {
    const latin = await rehearse(Buffer.from(rows, 'latin1'))
    expectFailure({ ...latin, stdout: '' }, 2, 'line 3 is not UTF-8')
    const { stdout } = await rehearse(Buffer.from(`\uFEFF${rows}`, 'utf16le'))
    expect(stdout).toContain('"Pegelstände"')
  })

  it('lists all rows that cannot be sent, equal faults once', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => `T${at},closed,x`)
    const table = ['title,access,publication_date', ...rows, 'A,open,2024', 'B,closed,2024']
    await using folder = await temporaryFolder({ 'rows.csv': table.join('\n') })
    const args = ['batch', 'rows.csv', '--publish']
    const outcome = await runCli(args, { folder: folder.path })
    const asJson = await runCli([...args, '--json'], { folder: folder.path })
    const { error } = JSON.parse(asJson.stdout) as {
      readonly error: { readonly errors: readonly unknown[] }
    }

    expectFailure(outcome, 1, '\n  31 rows cannot be sent, as listed above\n')
    expect(outcome.stderr).toContain('error: row 1 (line 2, T0) and 30 further rows: /access: ')
    expect(outcome.stderr).toContain('error: row 1 (line 2, T0) and 29 further rows: /publication_')
    expect(outcome.stderr.match(/^error: /gm)).toHaveLength(2)
    expect(error.errors).toHaveLength(61)
    expect(error.errors).toContainEqual({
      row: 32,
      line: 33,
      name: 'B',
      field: '/access',
      message: expect.stringContaining('closed') as unknown,
    })
  })
})
