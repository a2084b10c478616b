import type { Outcome } from './run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

const table = `title,keywords,creators,levels:,folder,files
One,tide; wind,Ada; Grace,"[1, 2]",one,
"Two, quoted",,,,,extra/two.txt
Three,,,,,
`

/** A folder with a batch file, and files that its rows may name. */
export async function batchFolder(rows = table, name = 'rows.csv'): Promise<TemporaryFolder> {
  return temporaryFolder({
    [name]: rows,
    'one/metadata.yaml': 'title: not this\ndescription: of the folder\n',
    'one/a.csv': '1',
    'one/sub/b.csv': '2',
    'extra/two.txt': '2',
  })
}

/** The lines of standard output: the number of each row, its outcome, and the id. */
export function rowsOf({ stdout }: Outcome): readonly (readonly string[])[] {
  const lines = stdout.split('\n').filter((line) => line !== '')
  return lines.map((line) => line.split('\t'))
}
