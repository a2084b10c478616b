import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { openPromise } from 'yauzl'

/** A file of an archive, as a program reads it. */
export interface ReadEntry {
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly crc32: number
}

/** The entries of each archive. @throws {Error} the program finds a fault in one */
type Read = (paths: readonly string[]) => Promise<readonly (readonly ReadEntry[])[]>

const javaSource = fileURLToPath(new URL('ReadZips.java', import.meta.url))

const pythonSource = `
import base64, sys, zipfile, zlib
for path in sys.argv[1:]:
    print('archive')
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            size = crc = 0
            with archive.open(info) as file:
                while chunk := file.read(1 << 20):
                    size, crc = size + len(chunk), zlib.crc32(chunk, crc)
            print(base64.b64encode(info.filename.encode()).decode(), size, crc)
`

/** Programs that tell the entries they read, by name. */
export const archiveReaders: Readonly<Record<string, Read>> = {
  yauzl: async (paths) => Promise.all(paths.map(readStrictly)),
  ...(isInstalled('python3', 'python3') && {
    "Python's zipfile": async (paths) =>
      toEntries(await runProgram('python3', ['-c', pythonSource, ...paths])),
  }),
  ...(isInstalled('java', 'default-jdk-headless') && {
    "Java's ZipInputStream": async (paths) =>
      toEntries(await runProgram('java', [javaSource, ...paths])),
  }),
}

/** Programs that find faults of an archive, by name. @throws {Error} there is a fault */
export const archiveCheckers: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  ...(isInstalled('unzip', 'unzip') && { unzip: (path) => runProgram('unzip', ['-tqq', path]) }),
  ...(isInstalled('7z', 'p7zip-full') && { '7z': checkWith7z }),
  ...(isInstalled('bsdtar', 'libarchive-tools') && {
    bsdtar: (path) => runProgram('sh', ['-c', 'exec bsdtar -xOf "$1" >/dev/null', 'sh', path]),
    'bsdtar, from a pipe': (path) =>
      runProgram('sh', ['-c', 'exec bsdtar -xOf - >/dev/null'], path),
  }),
}

/** Reported loudly if it is missing. */
function isInstalled(program: string, from: string): boolean {
  if (spawnSync('sh', ['-c', `command -v ${program}`]).status === 0) return true
  process.stderr.write(`\nSKIPPED: archives are not read by ${program} (Debian: ${from})\n`)
  return false
}

async function checkWith7z(path: string): Promise<void> {
  const said = await runProgram('7z', ['t', '-bd', path])
  if (/^Warnings/m.test(said)) throw new Error(said)
}

/**
 * Output of a program.
 *
 * @param input path of a file that it reads from a pipe
 * @throws {Error} it failed, or complained
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const closed = once(child, 'close') as Promise<[number | null]>
  const [said, complaints] = [text(child.stdout), text(child.stderr)]
  if (input === undefined) child.stdin.end()
  else await pipeline(createReadStream(input), child.stdin)
  const [status] = await closed
  if (status === 0 && (await complaints) === '') return said
  throw new Error(`${program} ended with ${status}: ${await complaints}${await said}`)
}

/** Of lines with a name in Base64, a size and a checksum, below one line for each archive. */
function toEntries(lines: string): readonly (readonly ReadEntry[])[] {
  const archives = lines.split('archive\n').slice(1)
  return archives.map((entries) => entries.split('\n').slice(0, -1).map(toEntry))
}

function toEntry(line: string): ReadEntry {
  const [name = '', size, sum] = line.split(' ')
  return { name: Buffer.from(name, 'base64').toString(), size: Number(size), crc32: Number(sum) }
}

/** With its header in front of the bytes as in the directory, and a name that is safe to unpack. */
async function readStrictly(path: string): Promise<readonly ReadEntry[]> {
  const archive = await openPromise(path, { strictFileNames: true, autoClose: false })
  const entries: ReadEntry[] = []
  for await (const entry of archive.eachEntry()) {
    const local = await archive.readLocalFileHeaderPromise(entry)
    if (local.crc32 !== entry.crc32 || !local.fileName.equals(entry.fileNameRaw)) {
      throw new Error(`two headers of "${entry.fileName}" differ`)
    }
    let [size, sum] = [0, 0]
    for await (const chunk of await archive.openReadStreamPromise(entry)) {
      size += (chunk as Buffer).length
      sum = crc32(chunk as Buffer, sum)
    }
    entries.push({ name: entry.fileName, size, crc32: sum })
  }
  archive.close()
  return entries
}
