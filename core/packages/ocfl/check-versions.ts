import type { Findings } from './finding.ts'
import {
  contentFolder,
  versionNames,
  type Inventory,
  type ReadInventory,
  type Version,
} from './inventory.ts'

/** Compares the inventory in the folder of a version with that of the object. */
export function checkOlderInventory(
  name: string,
  older: ReadInventory,
  root: ReadInventory,
  findings: Findings,
): void {
  const path = `${name}/inventory.json`
  const add = (code: string, message: string): void => findings.add(code, path, message)
  const [was, is] = [older.inventory, root.inventory]
  if (was.head !== name) add('E040', `its head is ${was.head}, and not ${name}`)
  if (was.id !== is.id) add('E037', `its id is "${was.id}", and not "${is.id}"`)
  if (was.contentDirectory !== is.contentDirectory && contentFolder(was) !== contentFolder(is))
    add('E019', `its content is in "${contentFolder(was)}", and not in "${contentFolder(is)}"`)
  if (name === is.head && older.text !== root.text)
    add('E064', 'it is not the inventory of the object, whose latest version this is')
  if (name === is.head) return
  for (const version of versionNames(was)) {
    const [before, now] = [was.versions[version], is.versions[version]]
    if (before === undefined || now === undefined) {
      add('E066', `the inventory of the object has no version ${version}`)
      continue
    }
    for (const fault of differingState(was, before, is, now))
      add('E066', `its version ${version} ${fault}`)
    const facts = ({ created, message, user }: Version): string =>
      JSON.stringify([created, message, user?.name, user?.address])
    if (facts(before) !== facts(now))
      add('W011', `created, message or user of its version ${version} differ from the object's`)
  }
}

function* differingState(
  was: Inventory,
  before: Version,
  is: Inventory,
  now: Version,
): Generator<string> {
  const [old, current] = [filesOf(was, before), filesOf(is, now)]
  for (const [path, { digest, contents }] of old) {
    const same = current.get(path)
    current.delete(path)
    if (same === undefined) yield `has the file "${path}", which the object does not have`
    else if (was.digestAlgorithm === is.digestAlgorithm) {
      if (digest !== same.digest) yield `has other bytes of "${path}"`
    } else if (!contents.some((each) => same.contents.includes(each)))
      yield `has other bytes of "${path}"`
  }
  for (const path of current.keys()) yield `does not have the file "${path}"`
}

interface StateFile {
  readonly digest: string
  readonly contents: readonly string[]
}

function filesOf({ manifest }: Inventory, { state }: Version): Map<string, StateFile> {
  const byDigest = new Map(
    Object.entries(manifest).map(([digest, paths]) => [digest.toLowerCase(), paths]),
  )
  return new Map(
    Object.entries(state).flatMap(([sum, paths]) => {
      const digest = sum.toLowerCase()
      const contents = byDigest.get(digest) ?? []
      return paths.map((path) => [path, { digest, contents }] as const)
    }),
  )
}
