import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findCycles, findMutual, importsOf, readImports } from './imports.ts'
import type { Import } from './imports.ts'
import { layers } from './layers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const imports = readImports(root, ['core', 'daemon', 'cli'])

describe('the layers of the source', () => {
  it('import only what the table of layers allows', () => {
    expect(imports.flatMap(objectTo)).toEqual([])
  })

  it('have no import cycles', () => {
    expect(findCycles(imports)).toEqual([])
  })

  it('have no two folders that import each other', () => {
    expect(findMutual(imports)).toEqual([])
  })
})

describe('the check itself', () => {
  it.for([
    ['cli/commands/create.ts', 'core/service/deposits.ts'],
    ['core/contract/routes.ts', 'core/errors/errors.ts'],
    ['core/contract/routes.ts', 'fastify'],
    ['core/deposit/document.ts', 'node:fs/promises'],
    ['core/files/file.ts', 'core/deposit/deposit.ts'],
    ['core/ports/database.ts', 'kysely'],
    ['core/actions/publish.ts', 'core/service/deposits.ts'],
    ['core/service/deposits.ts', 'core/adapters/blobs/folder-blob-store.ts'],
    ['core/launch.mjs', 'core/errors/errors.ts'],
    ['cli/client/http.ts', 'fastify'],
    ['cli/session/context.ts', 'daemon/config/config.ts'],
    ['daemon/api/records.ts', 'core/service/records.ts'],
    ['daemon/api/records.ts', 'core/adapters/database/sqlite-database.ts'],
    ['core/elsewhere/new.ts', 'core/contract/routes.ts'],
    ['core/deposit/deposit.ts', 'core/elsewhere/new.ts'],
    ['daemon/http/gate.ts', 'daemon/api/records.ts'],
    ['daemon/api/records.ts', 'daemon/pages/templates.ts'],
    ['daemon/sign-in/routes/issuer.ts', 'daemon/serve/listen.ts'],
    ['daemon/advice.ts', 'daemon/config/config.ts'],
    ['daemon/serve/build-daemon.ts', 'core/adapters/database/sqlite-database.ts'],
    ['cli/output/report.ts', 'cli/client/http.ts'],
    ['cli/transfer/plan-upload.ts', 'cli/commands/upload.ts'],
    ['cli/failure.ts', 'cli/output/report.ts'],
  ] as const)('objects to %s importing %s', ([from, to]) => {
    expect(objectTo({ from, to })).toHaveLength(1)
  })

  it.for([
    ['cli/commands/create.ts', 'core/contract/routes.ts'],
    ['cli/commands/create.ts', 'cli/session/context.ts'],
    ['cli/local-daemon/find.ts', 'node:fs/promises'],
    ['core/adapters/database/sqlite-database.ts', 'kysely'],
    ['daemon/stores/open-stores.ts', 'core/adapters/database/sqlite-database.ts'],
    ['daemon/serve/main.ts', 'daemon/serve/build-daemon.ts'],
  ] as const)('lets %s import %s', ([from, to]) => {
    expect(objectTo({ from, to })).toEqual([])
  })

  it('sees static, type-only, multi-line, re-exported and dynamic imports, and no comments', () => {
    const source = `
      import { a } from './a.ts'
      import type { B } from '../b.ts'
      import {
        c,
      } from 'c'
      import './d.ts'
      export * from './e.ts'
      const f = await import('./f.ts')
      // import { g } from './g.ts'
      /** import { h } from './h.ts' */
    `
    const seen = importsOf('x/y/z.ts', source).map(({ to }) => to)

    expect(seen.join(' ')).toBe('x/y/a.ts x/b.ts c x/y/d.ts x/y/e.ts x/y/f.ts')
  })

  it('finds a cycle', () => {
    const cycle = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'b' },
    ]
    expect(findCycles(cycle)).toEqual(['b → c → b'])
  })

  it('finds two folders that import each other', () => {
    const both = [
      { from: 'a/x.ts', to: 'b/y.ts' },
      { from: 'b/z.ts', to: 'a/w.ts' },
      { from: 'b/z.ts', to: 'a/v.ts' },
      { from: 'a/x.ts', to: 'c/u.ts' },
    ]
    expect(findMutual(both)).toEqual(['a ⇄ b: a/x.ts → b/y.ts'])
  })
})

/** Nothing, or what is wrong with the import. */
function objectTo({ from, to }: Import): readonly string[] {
  const name = layerOf(from)
  const layer = name === undefined ? undefined : layers[name]
  if (layer === undefined) return [`${from} is in no layer of the table`]
  const isAllowed = isOurs(to) ? mayReach(from, to) : !isBanned(layer.never, to)
  return isAllowed ? [] : [`${from} (${name}) must not import ${to}`]
}

function mayReach(from: string, to: string): boolean {
  const [own, target] = [layerOf(from), layerOf(to) ?? to]
  if (own === undefined) return false
  return own === target || (layers[own]?.mayImport ?? []).includes(target)
}

function isOurs(to: string): boolean {
  return /^(core|daemon|cli|dist|test|man)\//.test(to)
}

function isBanned(never: readonly string[] = [], to: string): boolean {
  return never.some((name) => (name.endsWith('*') ? to.startsWith(name.slice(0, -1)) : to === name))
}

function layerOf(path: string): string | undefined {
  return Object.keys(layers)
    .filter((layer) => path === layer || path.startsWith(`${layer}/`))
    .toSorted((a, b) => b.length - a.length)[0]
}
