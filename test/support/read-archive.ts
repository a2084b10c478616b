import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { archiveCheckers } from './archive-readers.ts'

/** Output of a program, which must succeed; a daemon of this process answers beside it. */
export async function run(
  program: string,
  args: readonly string[],
  folder?: string,
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, {
    maxBuffer: 100_000_000,
    // Without a locale, unzip writes other names than an archive has.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    ...(folder !== undefined && { cwd: folder }),
  })
  return stdout
}

/** Fails where one of the programs finds a fault in an archive. */
export async function requireReadable(path: string): Promise<void> {
  for (const check of Object.values(archiveCheckers)) await check(path)
}

/** The texts of an archive by the names of its entries, as Python reads it. */
export async function readArchive(path: string): Promise<Readonly<Record<string, string>>> {
  const script =
    'import zipfile, sys, json; z = zipfile.ZipFile(sys.argv[1]); ' +
    'print(json.dumps({n: z.read(n).decode() for n in z.namelist()}))'
  return JSON.parse(await run('python3', ['-c', script, path])) as Readonly<Record<string, string>>
}
