import type { Foreign } from '../foreign-values.ts'

/** A document that records which fields were read. */
interface Watched {
  /** A view to read in place of the document. */
  readonly view: Foreign
  /** Fields that were never read: `communities`, `contributors[].type`. */
  readonly unread: () => readonly string[]
}

/** Records which fields of `document` its reader does not read. */
export function watch(document: Foreign): Watched {
  const read = new Set<string>()
  return {
    view: viewOf(document, '', read),
    unread: () => [...new Set(unreadIn(document, '', read))],
  }
}

const holderOf = Symbol('holder')

/** The object behind a view: to look at a field that may not be taken, and is not marked as read. */
export function peek(view: Foreign): Foreign {
  const holder = (view as { readonly [holderOf]?: Foreign })[holderOf]
  return holder ?? view
}

function viewOf<T extends object>(target: T, path: string, read: Set<string>): T {
  return new Proxy(target, {
    get(holder, name, receiver) {
      if (name === holderOf) return holder
      const value: unknown = Reflect.get(holder, name, receiver)
      if (typeof name === 'symbol' || !Object.hasOwn(holder, name)) return value
      const at = `${path}/${name}`
      read.add(at)
      return typeof value === 'object' && value !== null ? viewOf(value, at, read) : value
    },
  })
}

function unreadIn(value: unknown, path: string, read: ReadonlySet<string>): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    const at = `${path}/${name}`
    if (isEmpty(part) || isFormal(name)) return []
    return read.has(at) ? unreadIn(part, at, read) : [nameOf(at)]
  })
}

/** Fields about the format itself. */
function isFormal(name: string): boolean {
  return name.startsWith('@') || ['$schema', 'cff-version', 'message'].includes(name)
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === null || value === undefined || value === ''
}

function nameOf(path: string): string {
  return path
    .slice(1)
    .replaceAll(/\/\d+(?=\/|$)/g, '[]')
    .replaceAll('/', '.')
}
