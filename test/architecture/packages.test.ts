import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

interface LockFile {
  readonly packages: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const manifest: Manifest = readJson('package.json')
const contributing = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8')
const lock: LockFile = readJson('package-lock.json')

describe('package.json', () => {
  it('pins every package to one version', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest
    const versions = Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    })

    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })

  it('names no package without a reason in CONTRIBUTING.md, nor one twice', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest
    const names = [dependencies, devDependencies, optionalDependencies].flatMap(Object.keys)

    expect(packagesWithReason().toSorted()).toEqual(names.toSorted())
  })

  it('ships the same Node.js for every platform', () => {
    expect(new Set(Object.values(manifest.optionalDependencies)).size).toBe(1)
  })
})

describe('package-lock.json', () => {
  it('names no registry', () => {
    const resolved = Object.keys(lock.packages).filter((path) => lock.packages[path]?.['resolved'])

    expect(resolved).toEqual([])
  })

  it('has the optional packages of every platform, or `npm ci` refuses it', () => {
    const wanted = Object.values(lock.packages).flatMap((entry) =>
      Object.keys(entry['optionalDependencies'] ?? {}),
    )

    expect(wanted.filter((name) => lock.packages[`node_modules/${name}`] === undefined)).toEqual([])
  })

  it('keeps npm from compiling better-sqlite3; `npm install` puts this back', () => {
    expect(lock.packages['node_modules/better-sqlite3']).toHaveProperty('gypfile', false)
  })
})

describe('the package', () => {
  const packed = packedFiles()

  it('has the files that its pages name', () => {
    const pages = packed.filter((path) => path.endsWith('.md') && path !== 'CONTRIBUTING.md')
    const named = pages.flatMap((page) => namedFiles(readText(page)).map((path) => [page, path]))

    expect(named.length).toBeGreaterThan(15)
    expect(named.filter(([, path = '']) => !packed.some((file) => file.startsWith(path)))).toEqual(
      [],
    )
  })

  it.each(['deposit', 'depositd'])('has the licences of the packages that are in %s', (program) => {
    const licences = readText(`dist/${program}/licenses.txt`)
    const paths = globSync(`dist/${program}/*.js`, {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
    }).flatMap((file) => [
      ...readText(file).matchAll(
        /^\/\/ node_modules\/(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/\n]+)/gm,
      ),
    ])
    const packages = new Set(paths.map(([, name = '']) => name))

    expect(packages.size).toBeGreaterThan(5)
    expect([...packages].filter((name) => !licences.includes(`\n## ${name} - `))).toEqual([])
    expect(packed).toContain(`dist/${program}/licenses.txt`)
  })

  it('is installed and run under its own name in whatever the programs and their pages say', () => {
    const wanted = ['depositd', `depositd@${manifest.version}`]
    const commands = texts().flatMap((path) =>
      namedPackages(readText(path)).map((name) => ({ path, name })),
    )

    expect(commands.length).toBeGreaterThan(1)
    expect(commands.filter(({ name }) => !wanted.includes(name))).toEqual([])
  })

  it('is named with its version in the examples', () => {
    const versions = texts().flatMap((path) =>
      [...readText(path).matchAll(/depositd[@-](\d+\.\d+\.\d+)/g)].map(([, version]) => version),
    )

    expect(new Set(versions)).toEqual(new Set([manifest.version]))
  })

  it('is run by `npx` in the checkout alone, where npm finds it before a stranger’s', () => {
    const commands = texts().flatMap((path) =>
      [...readText(path).matchAll(/^.*\bnpx depositd? .*$/gm)].map(([line]) => [path, line]),
    )

    expect(commands).toEqual([
      ['README.md', '$ npm install && npx deposit create examples/tide-gauge --publish'],
    ])
  })
})

describe('CONTRIBUTING.md', () => {
  it('names files that exist', () => {
    const paths = contributing.matchAll(/`((?:cli|core|daemon|test|man)\/[\w/.-]+)/g)
    const missing = [...paths].map(([, path = '']) => path).filter((path) => !isThere(path))

    expect(missing).toEqual([])
  })
})

/** The packages of the table of dependencies: the first cell of each row lists some. */
function packagesWithReason(): readonly string[] {
  const [, table = ''] = contributing.split('| package | why |\n|---|---|\n')
  const rows = table.split('\n').filter((line) => line.startsWith('| '))
  const cells = rows.map((row) => row.split('|')[1] ?? '')
  return cells
    .flatMap((cell) => cell.replace('(optional)', '').split(','))
    .map((name) => name.trim())
}

/** What `npm pack` would put into the tarball. */
function packedFiles(): readonly string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
  const [{ files }] = JSON.parse(text) as [{ files: readonly { readonly path: string }[] }]
  return files.map(({ path }) => path)
}

/** Files and folders of the package that a page names: `examples/ci/`, `man/list.png`. */
function namedFiles(page: string): readonly string[] {
  const paths = page.matchAll(/(?<![\w/.-])(?:(?:examples|man)\/[\w/.-]*\w|[A-Z]+\.md)/g)
  return [...paths].map(([path]) => path)
}

/** Everything of the checkout that tells people or pipelines what to run. */
function texts(): readonly string[] {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const where = ['*.md', 'man', 'examples', 'cli', 'core', 'daemon', '.ci']
  const paths = execFileSync('git', ['ls-files', '-z', ...where], { cwd: root, encoding: 'utf8' })
  return paths.split('\0').filter((path) => /\.(md|\d|m?[jt]sx?|ya?ml|sh)$|file$|run$/.test(path))
}

/** The packages that the commands of a text would fetch by name; paths are none. */
function namedPackages(text: string): readonly string[] {
  const installs = text
    .replaceAll('\\-', '-')
    .matchAll(/\bnpm (?:install|i|add|exec|x|view|pack) ([^`#&|\n]*)/g)
  return [...installs].flatMap(([, words = '']) =>
    words
      .split(' ')
      .filter(
        (word, index, all) =>
          all[index - 1] !== '--prefix' && all[index - 1] !== '--pack-destination',
      )
      .filter((word) => /^@?[a-z][\w-]*/.test(word)),
  )
}

function readText(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
}

function isThere(path: string): boolean {
  return existsSync(new URL(`../../${path}`, import.meta.url))
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')) as T
}
