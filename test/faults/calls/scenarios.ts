import { contentOf } from '../load/contents.ts'
import type { Known, Operation } from '../load/operation.ts'
import {
  bundleContents,
  create,
  discard,
  edit,
  newVersion,
  publish,
  putContent,
  putVersionOf,
  remove,
  removeFile,
  rename,
  replace,
  sort,
  uploadContent,
  type Plan,
} from '../load/operations.ts'
import { uploadInPieces } from '../load/upload-in-pieces.ts'
import type { Random } from '../random.ts'

/** The next operation of a client, by the deposits it has. */
export type Step = (deposits: readonly Known[], random: Random) => Operation | undefined

/** A series of operations of a client, during which faults are injected. */
export interface Scenario {
  readonly name: string
  /** Steps that prepare it, undisturbed. */
  readonly before: readonly Step[]
  readonly steps: readonly Step[]
  /**
   * Takes each call, for uploads and publish, on which everything rests. In the other scenarios some
   * calls of each kind stand for the rest, which are similar: a checkpoint alone makes ten thousand.
   */
  readonly every?: true
}

/** Bytes; two batches of the blob store. */
const large = 700_000
/** Bytes; many small files come in one upload. */
const small = 3000

/** Enough and large enough that their space is freed when they are deleted. */
const manyFiles = 24
const manySize = 60_000

/** More units of work than the log of the database holds before a checkpoint. */
const unitsOfALog = 520

const onNewest =
  (plan: Plan): Step =>
  (deposits, random) => {
    const newest = deposits.at(-1)
    return newest && plan(newest, random)
  }

const begin: Step = (_, random) => create(random)
const form = onNewest((to, random) => uploadContent(to, random, contentOf(random, large)))
const raw = onNewest((to, random) => putContent(to, random, contentOf(random, large)))
const smallForm = onNewest((to, random) => uploadContent(to, random, contentOf(random, small)))
const smallRaw = onNewest((to, random) => putContent(to, random, contentOf(random, small)))
const bundle = onNewest((to, random) =>
  bundleContents(to, random, [contentOf(random, small), contentOf(random, 2 * small)]),
)
const version = onNewest((to, random) => putVersionOf(to, random, contentOf(random, large)))
const pieces = onNewest((to, random) => uploadInPieces(to, random, contentOf(random, large)))
const published = [begin, form, smallRaw, onNewest(publish)]
const editing = [...published, onNewest(edit)]
const oneOfMany = onNewest((to, random) => putContent(to, random, contentOf(random, manySize)))
const manySmall = [begin, ...Array.from({ length: manyFiles }, () => oneOfMany)]
const changes = Array.from({ length: unitsOfALog }, () => onNewest(replace))

/** Each operation that changes something. */
export const scenarios: readonly Scenario[] = [
  { name: 'create', before: [], steps: [begin] },
  // A large file comes first, because the thread for digests starts with it.
  { name: 'upload as a form', before: [begin, raw], steps: [form], every: true },
  { name: 'upload of raw bytes', before: [begin, form], steps: [raw], every: true },
  { name: 'upload of a small file as a form', before: [begin], steps: [smallForm], every: true },
  {
    name: 'upload of a small file as raw bytes',
    before: [begin],
    steps: [smallRaw],
    every: true,
  },
  { name: 'upload of a bundle', before: [begin], steps: [bundle], every: true },
  { name: 'upload in pieces', before: [begin, form], steps: [pieces], every: true },
  { name: 'upload of a further version', before: [begin, form], steps: [version], every: true },
  { name: 'rename', before: [begin, form], steps: [onNewest(rename)] },
  { name: 'sort', before: [begin, smallForm, smallForm], steps: [onNewest(sort)] },
  {
    name: 'publish',
    before: published.slice(0, -1),
    steps: [onNewest(publish)],
    every: true,
  },
  { name: 'edit', before: published, steps: [onNewest(edit)] },
  { name: 'change', before: editing, steps: [onNewest(replace)] },
  { name: 'discard', before: [...editing, onNewest(replace)], steps: [onNewest(discard)] },
  {
    name: 'publish again',
    before: [...editing, onNewest(replace)],
    steps: [onNewest(publish)],
    every: true,
  },
  { name: 'new version', before: published, steps: [onNewest(newVersion)] },
  { name: 'delete a file', before: [begin, form], steps: [onNewest(removeFile)] },
  { name: 'delete a small file', before: [begin, smallRaw], steps: [onNewest(removeFile)] },
  { name: 'delete', before: [begin, form, smallRaw], steps: [onNewest(remove)] },
  // The thread for such work starts with its first use.
  {
    name: 'delete with many small files',
    before: [...manySmall, onNewest(remove), ...manySmall],
    steps: [onNewest(remove)],
  },
  { name: 'carrying the log over', before: [begin, ...changes], steps: changes },
]
