import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Manifest {
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

function isThere(path: string): boolean {
  return existsSync(new URL(`../../${path}`, import.meta.url))
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')) as T
}
