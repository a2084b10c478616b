import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

/** Output of a program, which must succeed; a daemon of this process answers beside it. */
export async function run(
  program: string,
  args: readonly string[],
  folder?: string,
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, {
    maxBuffer: 100_000_000,
    ...(folder !== undefined && { cwd: folder }),
  })
  return stdout
}

/** Programs that check an archive, and the Debian package of each that may be missing. */
const readers = [
  { program: 'unzip', args: ['-tq'] },
  { program: 'python3', args: ['-m', 'zipfile', '-t'] },
  { program: '7z', args: ['t', '-bd'], from: 'p7zip-full' },
  { program: 'bsdtar', args: ['-xOf'], from: 'libarchive-tools' },
] as const

const installed = readers.filter((reader) => {
  if (!('from' in reader) || spawnSync(reader.program, ['--help']).error === undefined) return true
  process.stderr.write(`SKIPPED: there is no ${reader.program} (Debian: ${reader.from}).\n`)
  return false
})

/** Fails where one of the programs finds a fault in an archive. */
export async function requireReadable(path: string): Promise<void> {
  for (const { program, args } of installed) await run(program, [...args, path])
}

/** The texts of an archive by the names of its entries, as Python reads it. */
export async function readArchive(path: string): Promise<Readonly<Record<string, string>>> {
  const script =
    'import zipfile, sys, json; z = zipfile.ZipFile(sys.argv[1]); ' +
    'print(json.dumps({n: z.read(n).decode() for n in z.namelist()}))'
  return JSON.parse(await run('python3', ['-c', script, path])) as Readonly<Record<string, string>>
}
